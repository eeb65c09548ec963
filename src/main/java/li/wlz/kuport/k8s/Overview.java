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
            throw new ClusterException(words(client, e), e);
        }
    }

    private static String words(KubernetesClient client, KubernetesClientException e) {
        String server = "the API server at " + client.getMasterUrl();
        if (e.getCode() <= 0) {
            return "no answer from " + server + ": " + KindWatch.words(e)
                    + "; see that --kubeconfig or $KUBECONFIG names the right cluster, and that it can be reached from here";
        }
        return switch (e.getCode()) {
            case HttpURLConnection.HTTP_NOT_FOUND ->
                "the cluster at " + client.getMasterUrl()
                        + " does not know PortMaps: apply the crds.yaml of kuport's release";
            case HttpURLConnection.HTTP_UNAUTHORIZED -> server + " does not accept the credentials";
            case HttpURLConnection.HTTP_FORBIDDEN -> "not permitted: " + KindWatch.words(e);
            default -> server + " failed: " + KindWatch.words(e);
        };
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
}
