package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** What the agent of one node tells the others; it bears the node's name. */
@JsonClassDescription("What the agent of one node tells the others. Written by the agents; it bears its node's name.")
@Group(PortMap.GROUP)
@Version(PortMap.VERSION)
@ShortNames("pmn")
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Underlay",
        jsonPath = ".status.link.underlay",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "MTU", jsonPath = ".status.link.mtu", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Reason",
        jsonPath = ".status.conditions[?(@.type==\"Ready\")].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Version", jsonPath = ".status.version", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
public final class PortMapNode extends CustomResource<@Nullable Void, @Nullable PortMapNodeStatus> {
    @Override
    protected @Nullable Void initSpec() {
        return null;
    }

    @Override
    protected @Nullable PortMapNodeStatus initStatus() {
        return null;
    }
}
