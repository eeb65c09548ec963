package li.wlz.kuport.lab;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import li.wlz.kuport.model.IpAddress;
import li.wlz.kuport.model.IpFamily;

/** What others have in nftables on the lab's machines; the texts lie beside this class. */
final class Background {
    private Background() {}

    /** kube-proxy's and a CNI's tables on a node, in both families. */
    static String node(MeshNode node) {
        return node(node, IpFamily.IPV4) + node(node, IpFamily.IPV6);
    }

    private static String node(MeshNode node, IpFamily family) {
        IpAddress endpoint = AddressPlan.pod(World.HOME1, 1).of(family);
        return text("node.nft")
                .replace("@family@", family == IpFamily.IPV4 ? "ip" : "ip6")
                .replace("@address-type@", family == IpFamily.IPV4 ? "ipv4_addr" : "ipv6_addr")
                .replace("@multicast@", family == IpFamily.IPV4 ? "224.0.0.0/4" : "ff00::/8")
                .replace("@endpoint@", family == IpFamily.IPV4 ? endpoint.toString() : "[" + endpoint + "]")
                .replace("@service@", AddressPlan.CLUSTER_SERVICE.of(family).toString())
                .replace("@pods@", AddressPlan.PODS.of(family).toString())
                .replace("@own-pods@", node.podBlock().of(family).toString());
    }

    /** A firewall that lets nothing reach the node itself but what a node of the cluster needs. */
    static String ingressFirewall(MeshNode node) {
        return text("ingress-firewall.nft")
                .replace("@mesh@", node.meshInterface())
                .replace("@pods4@", node.podBlock().ipv4().toString())
                .replace("@pods6@", node.podBlock().ipv6().toString())
                .replace("@wireguard@", String.valueOf(AddressPlan.WIREGUARD_PORT));
    }

    static String homeRouter() {
        return text("home-router.nft");
    }

    private static String text(String name) {
        try (InputStream stream = Objects.requireNonNull(Background.class.getResourceAsStream(name))) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new LabException("cannot read " + name + " from the jar", e);
        }
    }
}
