package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a node's agent says of its node. */
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PortMapNodeStatus(
        @JsonPropertyDescription("The agent's version.") @Nullable
        String version,

        @JsonPropertyDescription("The node's end of the link.") @Nullable
        Link link,

        @JsonPropertyDescription("The interfaces that some class names, with the addresses they hold.") @Nullable
        List<@Nullable Interface> interfaces,

        @JsonPropertyDescription("Ready.") @Nullable List<@Nullable Condition> conditions,

        @JsonPropertyDescription("What is wrong with the node, one entry for each reason.") @Nullable
        List<@Nullable Problem> problems) {

    /** The node's end of the link. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Link(
            @JsonPropertyDescription("Whether the link device is there and up.") @Nullable
            Boolean up,

            @JsonPropertyDescription("The node's address that the link's outer packets use.") @Nullable
            String underlay,

            @JsonPropertyDescription("The MTU of the interface that holds the underlay address, in bytes.")
            @JsonProperty("underlayMTU")
            @Nullable
            Integer underlayMtu,

            @JsonPropertyDescription("The MTU of the link device, in bytes.") @Nullable
            Integer mtu,

            @JsonPropertyDescription("The UDP port of the link.") @Nullable
            Integer port,

            @JsonPropertyDescription("The VXLAN network identifier.") @Nullable
            Integer vni) {}

    /** An interface and the addresses that it holds, those that may be handed out first. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Interface(
            @Required @JsonPropertyDescription("The interface's name.") @Nullable
            String name,

            @JsonPropertyDescription("Its IPv4 addresses.") @Nullable
            List<@Nullable String> addresses,

            @JsonPropertyDescription("Its IPv6 addresses.") @Nullable
            List<@Nullable String> addresses6) {}

    /** Something wrong with the node. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Problem(
            @Required
            @JsonPropertyDescription("What kind of trouble, in one word; docs/troubleshooting.md explains each.")
            @Nullable
            String reason,

            @JsonPropertyDescription("What is wrong and what to do about it.") @Nullable
            String message) {}
}
