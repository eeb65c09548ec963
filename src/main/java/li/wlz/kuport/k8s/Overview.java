package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.net.HttpURLConnection;
import java.util.List;
import li.wlz.kuport.crd.PortMap;
import li.wlz.kuport.crd.PortMapNode;
import org.jspecify.annotations.Nullable;

/**
 * What a cluster's objects say at one time.
 *
 * @param portMaps of one namespace or of all
 * @param nodes empty where the definitions are of a version that has none
 */
public record Overview(List<PortMap> portMaps, List<PortMapNode> nodes) {

    /**
     * Asks the API server once.
     *
     * @param namespace null for all
     * @throws ClusterException if it does not answer, refuses, or does not know kuport's kinds
     */
    public static Overview read(KubernetesClient client, @Nullable String namespace) {
        try {
            List<PortMap> portMaps = namespace == null
                    ? client.resources(PortMap.class).inAnyNamespace().list().getItems()
                    : client.resources(PortMap.class)
                            .inNamespace(namespace)
                            .list()
                            .getItems();
            return new Overview(portMaps, nodes(client));
        } catch (KubernetesClientException e) {
            throw new ClusterException(
                    switch (e.getCode()) {
                        case HttpURLConnection.HTTP_NOT_FOUND ->
                            "the cluster at " + client.getMasterUrl()
                                    + " does not know PortMaps: apply the crds.yaml of kuport's release";
                        case HttpURLConnection.HTTP_UNAUTHORIZED ->
                            "the API server at " + client.getMasterUrl() + " does not accept the credentials";
                        case HttpURLConnection.HTTP_FORBIDDEN -> "not permitted: " + reason(e);
                        case 0 -> "no answer from the API server at " + client.getMasterUrl() + ": " + reason(e);
                        default -> "the API server at " + client.getMasterUrl() + " failed: " + reason(e);
                    },
                    e);
        }
    }

    private static List<PortMapNode> nodes(KubernetesClient client) {
        try {
            return client.resources(PortMapNode.class).list().getItems();
        } catch (KubernetesClientException e) {
            if (e.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return List.of();
            }
            throw e;
        }
    }

    private static String reason(KubernetesClientException e) {
        if (e.getStatus() != null && e.getStatus().getMessage() != null) {
            return e.getStatus().getMessage();
        }
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }
}
