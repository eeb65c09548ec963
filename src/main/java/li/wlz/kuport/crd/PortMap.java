package li.wlz.kuport.crd;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import io.fabric8.crd.generator.annotation.AdditionalPrinterColumn;
import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.ShortNames;
import io.fabric8.kubernetes.model.annotation.Version;
import org.jspecify.annotations.Nullable;

/** A workload's wish: a port of a node, delivered to a pod behind a Service. */
@JsonClassDescription("Delivers a port of a node to a pod behind a Service, with the client's source address intact.")
@Group(PortMap.GROUP)
@Version(PortMap.VERSION)
@ShortNames("pm")
@AdditionalPrinterColumn(name = "Class", jsonPath = ".spec.className", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Proto", jsonPath = ".spec.protocol", type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(name = "Port", jsonPath = ".spec.port", type = AdditionalPrinterColumn.Type.INTEGER)
@AdditionalPrinterColumn(
        name = "Endpoint",
        jsonPath = ".status.endpoint.address",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Ready",
        jsonPath = ".status.conditions[?(@.type==\"Programmed\")].status",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Reason",
        jsonPath = ".status.conditions[?(@.status==\"False\")].reason",
        type = AdditionalPrinterColumn.Type.STRING)
@AdditionalPrinterColumn(
        name = "Age",
        jsonPath = ".metadata.creationTimestamp",
        type = AdditionalPrinterColumn.Type.DATE)
@AdditionalPrinterColumn(
        name = "Node",
        jsonPath = ".status.endpoint.node",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Published",
        jsonPath = ".status.published[*].address",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
@AdditionalPrinterColumn(
        name = "Published6",
        jsonPath = ".status.published[*].address6",
        type = AdditionalPrinterColumn.Type.STRING,
        priority = 1)
public final class PortMap extends CustomResource<@Nullable PortMapSpec, @Nullable PortMapStatus>
        implements Namespaced {
    public static final String GROUP = "kuport.wlz.li";
    public static final String VERSION = "v1alpha1";

    // A record has no empty state to start from: what was not written is null.
    @Override
    protected @Nullable PortMapSpec initSpec() {
        return null;
    }

    @Override
    protected @Nullable PortMapStatus initStatus() {
        return null;
    }
}
