package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a PortMap asks for; the descriptions of the fields are those that {@code kubectl explain} shows. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "!has(self.endPort) || self.endPort >= self.port",
        message = "endPort must not be lower than port",
        fieldPath = ".endPort")
@ValidationRule(
        value = "has(self.endPort) == has(oldSelf.endPort) && (!has(self.endPort) || self.endPort == oldSelf.endPort)",
        message = "endPort is immutable: make a new PortMap instead",
        fieldPath = ".endPort")
public record PortMapSpec(
        @Required
        @Size(min = 1, max = 253)
        @ValidationRule(value = "self == oldSelf", message = "className is immutable: make a new PortMap instead")
        @JsonPropertyDescription("The PortMapClass whose nodes and ports are used. Immutable.")
        @Nullable
        String className,

        @Required
        @SchemaFrom(type = Schemas.Protocol.class)
        @ValidationRule(value = "self == oldSelf", message = "protocol is immutable: make a new PortMap instead")
        @JsonPropertyDescription("TCP or UDP; SCTP is not delivered. Immutable.")
        @Nullable
        String protocol,

        @Required
        @Min(1)
        @Max(65535)
        @ValidationRule(value = "self == oldSelf", message = "port is immutable: make a new PortMap instead")
        @JsonPropertyDescription("The port that clients dial. Immutable.")
        @Nullable
        Integer port,

        @Min(1)
        @Max(65535)
        @JsonPropertyDescription(
                "The last port of a range that begins with port; a range is delivered number for number. Immutable.")
        @Nullable
        Integer endPort,

        @JsonPropertyDescription("Narrows what the class gives each node to these interfaces. Empty for all of it.")
        @Nullable
        List<@Size(min = 1, max = 15) @Pattern(Schemas.INTERFACE) @Nullable String> interfaces,

        @Required
        @JsonPropertyDescription("The Service, in the PortMap's own namespace, whose pods are delivered to.")
        @Nullable
        ServiceRef serviceRef) {

    /** A port of a Service. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ServiceRef(
            @Required
            @Size(min = 1, max = 63)
            @JsonPropertyDescription("The Service's name. Any type of Service serves, headless ones included.")
            @Nullable
            String name,

            @Required @JsonPropertyDescription("The name of a port of the Service, or its number.") @Nullable
            IntOrString port) {}
}
