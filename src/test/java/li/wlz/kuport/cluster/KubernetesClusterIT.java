package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NodeAddress;
import java.util.List;
import li.wlz.kuport.cluster.KubernetesNode.ProxyMode;
import li.wlz.kuport.lab.Answer;
import li.wlz.kuport.lab.Dial;
import li.wlz.kuport.lab.Dialler;
import li.wlz.kuport.lab.DualAddress;
import li.wlz.kuport.lab.MeshNode;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.Protocol;
import org.junit.jupiter.api.Test;

/** What the other tests build on: the cluster is as real as they take it to be. */
@InCluster
class KubernetesClusterIT {
    @Test
    void nodes_bear_their_mesh_addresses_of_both_families() {
        for (MeshNode node : SharedCluster.cluster().world().nodes()) {
            List<String> addresses =
                    SharedCluster.cluster()
                            .admin()
                            .nodes()
                            .withName(node.name())
                            .get()
                            .getStatus()
                            .getAddresses()
                            .stream()
                            .filter(address -> address.getType().equals("InternalIP"))
                            .map(NodeAddress::getAddress)
                            .toList();
            assertThat(addresses)
                    .containsExactly(
                            node.mesh().ipv4().toString(), node.mesh().ipv6().toString());
        }
    }

    @Test
    void nodes_reach_pods_of_other_nodes_by_both_families_and_protocols(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        String pod = scene.pod(server);
        for (IpAddress address : addresses(scene, pod)) {
            for (Protocol protocol : Protocol.values()) {
                Answer answer = scene.world().edge().dial(Dial.to(protocol, address, Server.PORT));
                assertThat(answer)
                        .isInstanceOfSatisfying(
                                Answer.Reply.class,
                                reply -> assertThat(reply.server()).isEqualTo(pod));
            }
        }
    }

    private static List<IpAddress> addresses(Scene scene, String pod) {
        return scene.admin().pods().inNamespace(scene.namespace()).withName(pod).get().getStatus().getPodIPs().stream()
                .map(ip -> IpAddress.parse(ip.getIp()))
                .toList();
    }

    @Test
    void kube_proxy_serves_by_nftables_and_by_iptables_and_hides_the_client_from_a_pod_elsewhere(Scene scene) {
        Server server = Server.on("home1");
        scene.serve(server);
        scene.admin()
                .services()
                .inNamespace(scene.namespace())
                .withName("gameserver")
                .edit(service -> {
                    service.getSpec().setType("NodePort");
                    return service;
                });
        int port = scene
                .admin()
                .services()
                .inNamespace(scene.namespace())
                .withName("gameserver")
                .get()
                .getSpec()
                .getPorts()
                .stream()
                .filter(each -> each.getProtocol().equals("TCP"))
                .findAny()
                .orElseThrow()
                .getNodePort();
        String pod = scene.pod(server);
        for (String entry : List.of("edge", "edge2")) {
            MeshNode node = scene.world().node(entry);
            DualAddress address = node.uplinks().getFirst().addresses().getFirst();
            for (IpAddress family : address.both()) {
                Scene.await("node port of " + entry).untilAsserted(() -> {
                    Answer answer = scene.world().cli().dial(Dial.tcp(family, port));
                    assertThat(answer).isInstanceOfSatisfying(Answer.Reply.class, reply -> {
                        assertThat(reply.server()).isEqualTo(pod);
                        assertThat(reply.sourceSeen().address()).isEqualTo(node.mesh(family.family()));
                    });
                });
            }
        }
        assertThat(scene.cluster().node("edge").proxyMode()).isEqualTo(ProxyMode.NFTABLES);
        assertThat(scene.world().edge().namespace().run("nft", "list", "tables"))
                .contains("table ip kube-proxy");
        assertThat(scene.cluster().node("edge2").proxyMode()).isEqualTo(ProxyMode.IPTABLES_LEGACY);
        assertThat(scene.world().edge2().namespace().run("iptables-legacy-save", "-t", "nat"))
                .contains("KUBE-SERVICES");
        assertThat(scene.world().edge2().namespace().run("nft", "list", "tables"))
                .doesNotContain("nat");
        assertThat(scene.cluster().node("home2").proxyMode()).isEqualTo(ProxyMode.IPTABLES);
        assertThat(scene.world().home2().namespace().run("iptables-nft-save", "-t", "nat"))
                .contains("KUBE-SERVICES");
    }

    @Test
    void pods_reach_services_and_the_api_server_from_every_node(Scene scene) {
        for (MeshNode node : scene.world().nodes()) {
            // A TCP connection to the API server by its Service's address is made, whatever it says then.
            Answer answer = Dialler.dial(node.namespace(), Dial.tcp(IpAddress.parse("10.96.0.1"), 443));
            assertThat(answer).as(node.name()).isInstanceOf(Answer.Reset.class);
        }
    }
}
