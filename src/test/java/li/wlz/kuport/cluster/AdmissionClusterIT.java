package li.wlz.kuport.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.util.List;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapNode;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** What the API server lets an agent write, asked with the token of a pod on a node, which is what an agent has. */
@InCluster
class AdmissionClusterIT {
    private static final String POD = "impostor";

    @BeforeAll
    static void run_a_pod_with_the_agents_account() {
        KubernetesCluster cluster = SharedCluster.cluster();
        Kuport.importImage(cluster);
        Kuport.installDefinitions(cluster);
        cluster.apply(Kuport.manifest("kuport"));
        cluster.apply("""
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: %s}
                spec:
                  nodeName: home1
                  serviceAccountName: kuport-agent
                  containers: [{name: idle, image: "%s", imagePullPolicy: Never}]
                """.formatted(POD, Kuport.NAMESPACE, WorkloadImage.NAME));
    }

    /** A client with a token of the agents' account, bound to the pod unless that is null. */
    private static KubernetesClient agent(boolean bound) {
        KubernetesCluster cluster = SharedCluster.cluster();
        TokenRequestBuilder request = new TokenRequestBuilder().withNewSpec().endSpec();
        if (bound) {
            request.editSpec().withNewBoundObjectRef("v1", "Pod", POD, null).endSpec();
        }
        TokenRequest token = cluster.admin()
                .serviceAccounts()
                .inNamespace(Kuport.NAMESPACE)
                .withName("kuport-agent")
                .tokenRequest(request.build());
        Config config = new ConfigBuilder(Config.empty())
                .withMasterUrl(ControlPlane.SERVER)
                .withCaCertFile(cluster.control().certificate().toString())
                .withOauthToken(token.getStatus().getToken())
                .build();
        return new KubernetesClientBuilder().withConfig(config).build();
    }

    private static PortMap portMap() {
        PortMap object = new PortMap();
        object.getMetadata().setName("game");
        object.getMetadata().setNamespace(Kuport.NAMESPACE);
        return object;
    }

    private static PortMapNode named(String node) {
        PortMapNode object = new PortMapNode();
        object.getMetadata().setName(node);
        return object;
    }

    @Test
    void an_agent_writes_the_report_of_its_own_node() {
        try (KubernetesClient agent = agent(true)) {
            assertThat(agent.resource(named("home1"))
                            .forceConflicts()
                            .serverSideApply()
                            .getMetadata()
                            .getName())
                    .isEqualTo("home1");
        }
    }

    @Test
    void P12_an_agent_cannot_speak_for_another_node() {
        try (KubernetesClient agent = agent(true)) {
            assertThatThrownBy(
                            () -> agent.resource(named("edge")).forceConflicts().serverSideApply())
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining("the agent of node home1 may not write the PortMapNode of edge");
        }
    }

    @Test
    void P12_a_token_that_names_no_node_writes_no_report() {
        try (KubernetesClient agent = agent(false)) {
            assertThatThrownBy(() ->
                            agent.resource(named("home1")).forceConflicts().serverSideApply())
                    .isInstanceOf(KubernetesClientException.class)
                    .hasMessageContaining("this token names none");
        }
    }

    @Test
    void an_agent_reads_no_secret_no_pod_and_changes_no_PortMap() {
        try (KubernetesClient agent = agent(true)) {
            for (Runnable attempt : List.<Runnable>of(
                    () -> agent.secrets().inNamespace(Kuport.NAMESPACE).list(),
                    () -> agent.pods().inAnyNamespace().list(),
                    () -> agent.resource(portMap()).create())) {
                assertThatThrownBy(attempt::run)
                        .isInstanceOfSatisfying(
                                KubernetesClientException.class,
                                refusal -> assertThat(refusal.getCode()).isEqualTo(403));
            }
        }
    }
}
