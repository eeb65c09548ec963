package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Plural;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** An admin's permission: which nodes, interfaces, addresses, ports and namespaces may be used. */
@JsonClassDescription(
        "An admin's permission: which nodes, interfaces, addresses, ports and namespaces PortMaps may use.")
@Group(PortMap.GROUP)
@Version(PortMap.VERSION)
@Plural("portmapclasses")
@ShortNames("pmc")
@AdditionalPrinterColumn(name = "Mode", jsonPath = ".spec.returnPath.mode", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Serving", jsonPath = ".spec.servingMode", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Reason",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class PortMapClass extends CustomResource<@Nullable PortMapClassSpec, @Nullable PortMapClassStatus> {
    @Override
    protected @Nullable PortMapClassSpec initSpec() {
        return null;
    }

    @Override
    protected @Nullable PortMapClassStatus initStatus() {
        return null;
    }
}
