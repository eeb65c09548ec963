package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SchemaFrom;
import io.fabric8.generator.annotation.Default;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Pattern;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a PortMapClass permits; the descriptions of the fields are those that {@code kubectl explain} shows. */
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
        value = "has(self.nodes) && size(self.nodes) > 0 || has(self.nodeSelector)",
        message = "a class needs nodes: name them under nodes, or select them by nodeSelector")
@ValidationRule(
        value = "!has(self.nodeSelector) || has(self.interfaces) && size(self.interfaces) > 0",
        message = "nodes that nodeSelector selects offer interfaces: name at least one",
        fieldPath = ".interfaces")
public record PortMapClassSpec(
        @Size(max = 5000) @JsonPropertyDescription("What each named node offers.") @Nullable
        Map<String, @Nullable NodeOffer> nodes,

        @JsonPropertyDescription(
                "Further nodes, which offer interfaces. A node named under nodes offers what it says there.")
        @Nullable
        LabelSelector nodeSelector,

        @JsonPropertyDescription("The interfaces that nodes of nodeSelector offer.") @Nullable
        List<@Size(min = 1, max = 15) @Pattern(Schemas.INTERFACE) @Nullable String> interfaces,

        @Default("Single")
        @SchemaFrom(type = Schemas.ServingMode.class)
        @JsonPropertyDescription("Single: one accepting node serves a mapping. Multi: every accepting node does.")
        @Nullable
        String servingMode,

        @JsonPropertyDescription("Which ports may be asked for; all of them where absent.") @Nullable
        Ports ports,

        @JsonPropertyDescription(
                "The namespaces whose PortMaps may use the class. Absent or empty for every namespace.")
        @Nullable
        LabelSelector namespaceSelector,

        @Required @JsonPropertyDescription("How replies get back to the accepting node.") @Nullable
        ReturnPath returnPath) {

    /** What one node offers. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value =
                    "has(self.interfaces) && size(self.interfaces) > 0 || has(self.addresses) && size(self.addresses) > 0",
            message = "a node offers interfaces or addresses: name at least one")
    public record NodeOffer(
            @JsonPropertyDescription("The interfaces by which clients may come in.") @Nullable
            List<@Size(min = 1, max = 15) @Pattern(Schemas.INTERFACE) @Nullable String> interfaces,

            @JsonPropertyDescription("If given, only these addresses answer. Each must be one that the node holds.")
            @Nullable
            List<@Size(min = 2, max = 45) @Pattern(Schemas.ADDRESS) @Nullable String> addresses,

            @JsonPropertyDescription(
                    "For a node behind 1:1 NAT: the outside address of a local one, published in its place.")
            @Nullable
            Map<String, @Pattern(Schemas.ADDRESS) @Nullable String> external) {}

    /** Which ports may be asked for. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    @ValidationRule(
            value = "!has(self.min) || !has(self.max) || self.min <= self.max",
            message = "min must not be greater than max",
            fieldPath = ".min")
    public record Ports(
            @Min(1) @Max(65535) @Default("1") @JsonPropertyDescription("The lowest port.") @Nullable
            Integer min,

            @Min(1) @Max(65535) @Default("65535") @JsonPropertyDescription("The highest port.") @Nullable
            Integer max,

            @JsonPropertyDescription("Ports that may not be asked for: numbers, or ranges such as 9000-9100.") @Nullable
            List<@Nullable IntOrString> reserved,

            @JsonPropertyDescription("Ports that may be asked for though they could cut the node off, such as 22, or a"
                    + " process of the host listens on them: numbers, or ranges such as 9000-9100.")
            @Nullable
            List<@Nullable IntOrString> allowProtected) {}

    /** How replies get back to the accepting node. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record ReturnPath(
            @Required
            @SchemaFrom(type = Schemas.ReturnPathMode.class)
            @JsonPropertyDescription("Vxlan: over the link. None: a mapping whose pod is on another node is refused.")
            @Nullable
            String mode,

            @JsonPropertyDescription("Settings of the link, compared with those of the agents.") @Nullable
            Vxlan vxlan) {}

    /** Settings of the link. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    public record Vxlan(
            @Min(1) @Max(16777215) @JsonPropertyDescription("The VXLAN network identifier.") @Nullable
            Integer vni,

            @Min(1) @Max(65535) @JsonPropertyDescription("The UDP port of the link.") @Nullable
            Integer port,

            @Size(max = 18)
            @ValidationRule(
                    value = "isCIDR(self) && cidr(self).ip().family() == 4",
                    message = "subnet must be an IPv4 block such as 169.254.77.0/24")
            @JsonPropertyDescription("Read and not used: link addresses need no subnet.")
            @Nullable
            String subnet,

            @Size(max = 43)
            @ValidationRule(
                    value = "isCIDR(self) && cidr(self).ip().family() == 6",
                    message = "subnet6 must be an IPv6 block such as fd6b:7570:77::/112")
            @JsonPropertyDescription("Read and not used: link addresses need no subnet.")
            @Nullable
            String subnet6) {}
}
