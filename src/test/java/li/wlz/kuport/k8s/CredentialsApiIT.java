package li.wlz.kuport.k8s;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.authentication.TokenRequestBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tokens come to an end; the kubelet writes the next one into the same file. */
class CredentialsApiIT {
    private static final Duration SOON = Duration.ofSeconds(90);

    private final ApiServer api = ApiServer.shared();
    private final KubernetesClient admin = api.admin();

    @Test
    void a_token_that_is_no_longer_valid_is_read_anew_from_its_file(@TempDir Path folder) throws IOException {
        String namespace = api.namespace();
        Path token = folder.resolve("token");
        Files.writeString(token, newToken(namespace));
        admin.resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .endMetadata()
                        .withNewRoleRef()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("ClusterRole")
                        .withName("cluster-admin")
                        .endRoleRef()
                        .addNewSubject()
                        .withKind("ServiceAccount")
                        .withNamespace(namespace)
                        .withName("agent")
                        .endSubject()
                        .build())
                .create();
        Config admins = api.config().build();
        // As in a pod, but for the places of the files.
        Map<String, String> properties = Map.of(
                Config.KUBERNETES_AUTH_TRYKUBECONFIG_SYSTEM_PROPERTY,
                "false",
                Config.KUBERNETES_MASTER_SYSTEM_PROPERTY,
                admins.getMasterUrl(),
                Config.KUBERNETES_CA_CERTIFICATE_FILE_SYSTEM_PROPERTY,
                admins.getCaCertFile(),
                Config.KUBERNETES_AUTH_SERVICEACCOUNT_TOKEN_FILE_SYSTEM_PROPERTY,
                token.toString());
        properties.forEach(System::setProperty);
        try (KubernetesClient client = ApiConnection.open(null, "test");
                KubernetesSource source = Agents.source(client)) {
            source.start(() -> {});
            await().atMost(SOON).until(() -> source.latest().isPresent());
            // Its tokens end with the account; the new one has the name of the old.
            admin.serviceAccounts().inNamespace(namespace).withName("agent").delete();
            Files.writeString(token, newToken(namespace));
            api.stopServer();
            api.startServer();
            String node = new Agents(api).node();
            await().atMost(SOON).until(() -> source.node(node) != null);
            assertThat(source.latest()).isPresent();
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
    }

    private String newToken(String namespace) {
        ServiceAccount account = admin.resource(new ServiceAccountBuilder()
                        .withNewMetadata()
                        .withNamespace(namespace)
                        .withName("agent")
                        .endMetadata()
                        .build())
                .create();
        return admin.serviceAccounts()
                .resource(account)
                .tokenRequest(new TokenRequestBuilder()
                        .withNewSpec()
                        .withExpirationSeconds(600L)
                        .endSpec()
                        .build())
                .getStatus()
                .getToken();
    }
}
