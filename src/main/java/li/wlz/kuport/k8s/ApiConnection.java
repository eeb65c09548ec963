package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.Event;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.utils.KubernetesSerialization;
import java.nio.file.Path;
import java.util.List;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapClass;
import li.wlz.kuport.crd.PortMapNode;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Connects to a cluster's API server. */
public final class ApiConnection {
    private static final List<Class<? extends KubernetesResource>> KINDS = List.of(
            PortMap.class,
            PortMapClass.class,
            PortMapNode.class,
            Node.class,
            Namespace.class,
            Service.class,
            EndpointSlice.class,
            Pod.class,
            Event.class,
            SelfSubjectAccessReview.class,
            Status.class);
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

    /**
     * Definitions of another version may have fields that this one does not know: one such object must not hide all others.
     *
     * <p>Kinds are registered one by one. Else all that the client's library has are loaded, hundreds, for those that we read.
     */
    private static KubernetesSerialization lenient() {
        KubernetesSerialization serialization = new KubernetesSerialization(
                JsonMapper.builder()
                        .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
                        .build(),
                false);
        KINDS.forEach(serialization::registerKubernetesResource);
        return serialization;
    }
}
