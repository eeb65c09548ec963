package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Connects to a cluster's API server. */
public final class ApiConnection {
    private static final int CONNECT_MILLIS = 5_000;
    private static final int ANSWER_MILLIS = 15_000;

    private ApiConnection() {}

    /**
     * A client that has not connected yet.
     *
     * @param kubeconfig null for the service account of the pod this runs in, else what KUBECONFIG names, else ~/.kube/config
     * @param version of this program, which the API server's log shows
     */
    public static KubernetesClient open(@Nullable Path kubeconfig, String version) {
        Config config = kubeconfig == null ? Config.autoConfigure(null) : Config.fromKubeconfig(kubeconfig.toFile());
        return to(config, version);
    }

    static KubernetesClient to(Config config, String version) {
        return to(config, version, ANSWER_MILLIS);
    }

    static KubernetesClient to(Config config, String version, int answerMillis) {
        Config ours = new ConfigBuilder(config)
                .withUserAgent("kuport/" + version)
                // A request that gets no answer ends its connection by HTTP/1.1; by HTTP/2 all later ones would go the
                // same way.
                .withHttp2Disable(true)
                .withConnectionTimeout(CONNECT_MILLIS)
                .withRequestTimeout(answerMillis)
                // Informers and the reporter try again themselves, at their own pace.
                .withRequestRetryBackoffLimit(0)
                .build();
        return new KubernetesClientBuilder()
                .withConfig(ours)
                .withKubernetesSerialization(lenient())
                .build();
    }

    /** Definitions of another version may have fields that this one does not know: one such object must not hide all others. */
    private static KubernetesSerialization lenient() {
        return new KubernetesSerialization(
                JsonMapper.builder()
                        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .build(),
                true);
    }
}
