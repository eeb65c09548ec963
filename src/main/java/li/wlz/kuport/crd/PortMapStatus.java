package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What became of a PortMap. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PortMapStatus(
        @JsonPropertyDescription("The pod that is delivered to.") @Nullable
        Endpoint endpoint,

        @JsonPropertyDescription(
                "What to hand to callers: one row for each node and interface that serves, the serving node's first.")
        @Nullable
        List<@Nullable Published> published,

        @JsonPropertyDescription("What each node that has a part says of it.") @Nullable
        List<@Nullable Node> nodes,

        @JsonPropertyDescription("The generation of the spec that endpoint, published and conditions speak of.")
        @Nullable
        Long observedGeneration,

        @JsonPropertyDescription("Accepted and Programmed.") @Nullable
        List<@Nullable Condition> conditions) {

    /** A pod and where it is. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Endpoint(
            @JsonPropertyDescription("The node that the pod runs on.") @Nullable
            String node,

            @JsonPropertyDescription("The pod's name.") @Nullable
            String pod,

            @JsonPropertyDescription("The pod's IPv4 address.") @Nullable
            String address,

            @JsonPropertyDescription("The pod's IPv6 address.") @Nullable
            String address6) {}

    /** Addresses that clients may dial. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Published(
            @JsonPropertyDescription("The node that answers.") @Nullable
            String node,

            @JsonPropertyDescription(
                    "The interface that holds the addresses; absent where no node's report places them.")
            @JsonProperty("interface")
            @Nullable
            String interfaceName,

            @JsonPropertyDescription("The IPv4 address.") @Nullable
            String address,

            @JsonPropertyDescription("The IPv6 address.") @Nullable
            String address6) {}

    /** One node's part. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Node(
            @Required @JsonPropertyDescription("The node's name.") @Nullable
            String name,

            @SchemaFrom(type = Schemas.Role.class)
            @JsonPropertyDescription(
                    "Accepting: clients dial it. Endpoint: the pod runs there. One that does both is Accepting.")
            @Nullable
            String role,

            @JsonPropertyDescription("Whether it does its part.") @Nullable
            Boolean ready,

            @JsonPropertyDescription("The pod's address that it delivers to.") @Nullable
            String endpoint,

            @JsonPropertyDescription("The generation of the spec that the row speaks of.") @Nullable
            Long observedGeneration,

            @JsonPropertyDescription("Why it is not ready, in one word.") @Nullable
            String reason,

            @JsonPropertyDescription("Why it is not ready, in a sentence.") @Nullable
            String message) {}
}
