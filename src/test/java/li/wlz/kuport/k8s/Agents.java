package li.wlz.kuport.k8s;

import io.fabric8.kubernetes.api.model.EventBuilder;
import io.fabric8.kubernetes.api.model.NodeBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Users of the API server with the rights of agents, and the objects that agents need to be there. */
final class Agents {
    /** What an agent that serves PortMaps alone needs. */
    static final List<Permission> ALL = Permission.of(Demand.PORT_MAPS);

    private final ApiServer api;
    private final KubernetesClient admin;

    Agents(ApiServer api) {
        this.api = api;
        this.admin = api.admin();
    }

    /** A new user who may do what {@link #ALL} says, and nothing else. */
    String user() {
        String user = ApiServer.unique("agent");
        allow(user, ALL);
        admin.rbac()
                .clusterRoleBindings()
                .resource(new ClusterRoleBindingBuilder()
                        .withNewMetadata()
                        .withName(user)
                        .endMetadata()
                        .withNewRoleRef()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("ClusterRole")
                        .withName(user)
                        .endRoleRef()
                        .addNewSubject()
                        .withApiGroup("rbac.authorization.k8s.io")
                        .withKind("User")
                        .withName(user)
                        .endSubject()
                        .build())
                .create();
        return user;
    }

    /** Lets a user do these things and no others. */
    void allow(String user, Collection<Permission> permissions) {
        List<PolicyRule> rules = permissions.stream()
                .map(permission -> new PolicyRuleBuilder()
                        .withApiGroups(permission.group())
                        .withResources(permission.resource())
                        .withVerbs(permission.verb())
                        .build())
                .toList();
        admin.rbac()
                .clusterRoles()
                .resource(new ClusterRoleBuilder()
                        .withNewMetadata()
                        .withName(user)
                        .endMetadata()
                        .withRules(rules)
                        .build())
                .forceConflicts()
                .serverSideApply();
    }

    /** As {@link #allow}, with all permissions but one. */
    void allowAllBut(String user, Permission missing) {
        allow(user, ALL.stream().filter(p -> !p.equals(missing)).toList());
    }

    /** How to connect as a user. */
    Config config(String user) {
        return api.config()
                .withImpersonateUsername(user)
                .withImpersonateGroups("system:authenticated")
                .build();
    }

    KubernetesClient client(String user) {
        return api.client(config(user));
    }

    /** A new Node; its name. */
    String node() {
        String name = ApiServer.unique("node");
        admin.nodes()
                .resource(new NodeBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .build())
                .create();
        return name;
    }

    /** What an agent that serves PortMaps alone sees; it notices soon that the API server does not answer. */
    static KubernetesSource source(KubernetesClient client) {
        return new KubernetesSource(client, Demand.PORT_MAPS, Duration.ofMillis(500), Duration.ofMinutes(5));
    }

    /** Whether the API server would refuse a new Event in the namespace with these words; none is made. */
    static boolean isEventRefused(KubernetesClient admin, String namespace, String words) {
        try {
            admin.resource(new EventBuilder()
                            .withNewMetadata()
                            .withNamespace(namespace)
                            .withName(ApiServer.unique("probe"))
                            .endMetadata()
                            .withNewInvolvedObject()
                            .withNamespace(namespace)
                            .endInvolvedObject()
                            .build())
                    .dryRun()
                    .create();
            return false;
        } catch (KubernetesClientException e) {
            return KindWatch.words(e).contains(words);
        }
    }
}
