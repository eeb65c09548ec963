package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.stream.Collectors;
import li.wlz.kuport.model.NodeProblem;
import li.wlz.kuport.model.NodeReason;

/** Asks the API server what this agent may do. Equivalent to {@code kubectl auth can-i VERB RESOURCE} for each permission. */
final class PermissionCheck {
    private final KubernetesClient client;
    private final List<Permission> needed;

    PermissionCheck(KubernetesClient client, List<Permission> needed) {
        this.client = client;
        this.needed = List.copyOf(needed);
    }

    /**
     * The permissions that are missing.
     *
     * @throws io.fabric8.kubernetes.client.KubernetesClientException if the API server does not answer
     */
    List<Permission> missing() {
        return needed.stream().filter(permission -> !isAllowed(permission)).toList();
    }

    private boolean isAllowed(Permission permission) {
        String[] resource = permission.resource().split("/", 2);
        SelfSubjectAccessReview review = new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withGroup(permission.group())
                .withResource(resource[0])
                .withSubresource(resource.length == 2 ? resource[1] : null)
                .withVerb(permission.verb())
                .endResourceAttributes()
                .endSpec()
                .build();
        return Boolean.TRUE.equals(client.authorization()
                .v1()
                .selfSubjectAccessReview()
                .create(review)
                .getStatus()
                .getAllowed());
    }

    /** What to tell of missing permissions: nothing, or one problem that names them all. */
    static List<NodeProblem> problems(List<Permission> missing) {
        if (missing.isEmpty()) {
            return List.of();
        }
        String names = missing.stream().map(Permission::toString).collect(Collectors.joining(", "));
        return List.of(new NodeProblem(
                NodeReason.PermissionMissing,
                "the agent's service account may not " + names
                        + "; apply the ClusterRole of the agent's version. What was programmed stays in force"));
    }
}
