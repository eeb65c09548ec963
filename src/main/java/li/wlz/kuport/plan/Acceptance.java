package li.wlz.kuport.plan;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import li.wlz.kuport.model.AcceptedReason;
import li.wlz.kuport.model.Endpoint;
import li.wlz.kuport.model.PortClass;
import li.wlz.kuport.model.PortRequest;
import li.wlz.kuport.model.World.ServicePort;
import org.jspecify.annotations.Nullable;

/**
 * Judges each PortMap by itself, from API objects alone, so that every agent comes to the same verdict.
 *
 * <p>Reasons are looked for in the order of {@link AcceptedReason}; conflicts, which take all mappings, are settled after it.
 */
final class Acceptance {
    private final Services services;
    private final Scopes scopes;
    private final Placement placement;
    private final ClassPermission permission;
    private final Map<String, Verdict> valid = new HashMap<>();

    Acceptance(ClassPermission permission, Services services, Scopes scopes, Placement placement) {
        this.permission = permission;
        this.services = services;
        this.scopes = scopes;
        this.placement = placement;
    }

    Judged judge(PortRequest request) {
        Scope scope = scopes.of(request);
        if (scope == null) {
            return new Judged(
                    request,
                    null,
                    null,
                    new Verdict(
                            AcceptedReason.ClassNotFound,
                            "there is no PortMapClass " + request.className()
                                    + "; spec.className must name one, and can be set only when the PortMap is created"));
        }
        Verdict refusal = permission(request, scope.classNodes());
        return refusal != null ? new Judged(request, scope, null, refusal) : judgeService(request, scope);
    }

    private Judged judgeService(PortRequest request, Scope scope) {
        List<ServicePort> ports = services.ports(request.service());
        if (ports == null) {
            return new Judged(
                    request,
                    scope,
                    null,
                    new Verdict(
                            AcceptedReason.ServiceNotFound,
                            "there is no Service " + request.serviceName() + " in namespace "
                                    + request.key().namespace()));
        }
        ServicePort port = ServicePorts.find(ports, request.protocol(), request.servicePort());
        if (port == null) {
            return new Judged(
                    request,
                    scope,
                    null,
                    new Verdict(
                            AcceptedReason.ServicePortNotFound,
                            "Service " + request.service() + " has no " + request.protocol() + " port "
                                    + request.servicePort() + "; it has " + ServicePorts.describe(ports)));
        }
        Verdict refusal = request.ports().isSingle() ? null : range(request, port);
        return new Judged(
                request,
                scope,
                port,
                refusal != null ? refusal : valid.computeIfAbsent(request.className(), Acceptance::valid));
    }

    private static Verdict valid(String className) {
        return new Verdict(AcceptedReason.Valid, "PortMapClass " + className + " permits it");
    }

    private @Nullable Verdict permission(PortRequest request, ClassNodes classNodes) {
        PortClass portClass = classNodes.portClass();
        Verdict refusal = permission.namespace(request.key().namespace(), portClass);
        if (refusal == null) {
            refusal = permission.ports(request.protocol(), request.ports(), portClass);
        }
        return refusal != null ? refusal : interfaces(request, classNodes);
    }

    private @Nullable Verdict interfaces(PortRequest request, ClassNodes classNodes) {
        if (request.interfaces().isEmpty()) {
            return null;
        }
        SortedSet<String> offered = classNodes.interfaceNames();
        for (String name : request.interfaces()) {
            if (!offered.contains(name) && !holdsListedAddress(classNodes, name)) {
                return new Verdict(
                        AcceptedReason.InterfaceNotInClass,
                        "PortMapClass " + request.className() + " offers no interface " + name
                                + " on any node; it offers " + Words.list(offered, "none"));
            }
        }
        return null;
    }

    /** A class may list addresses and leave it to the node's report which interface they are on. */
    private boolean holdsListedAddress(ClassNodes classNodes, String interfaceName) {
        return classNodes.offers().entrySet().stream()
                .anyMatch(entry -> entry.getValue().entryPoints().stream()
                        .anyMatch(point -> point instanceof EntryPoint.Listed listed
                                && interfaceName.equals(placement.holder(entry.getKey(), listed.address()))));
    }

    private @Nullable Verdict range(PortRequest request, ServicePort port) {
        List<Endpoint> endpoints = services.endpoints(request.service());
        boolean anyReady = endpoints.stream().anyMatch(Endpoint::ready);
        for (Endpoint endpoint : endpoints) {
            if (anyReady ? !endpoint.ready() : !endpoint.serving()) {
                continue;
            }
            for (Endpoint.Port listed : endpoint.ports()) {
                if (listed.protocol() == port.protocol()
                        && listed.name().equals(port.name())
                        && listed.port() != request.ports().first()) {
                    return new Verdict(
                            AcceptedReason.RangeTranslation,
                            "a range is delivered number for number, but " + Words.endpoint(endpoint) + " listens on "
                                    + listed.port() + " where the range begins with "
                                    + request.ports().first()
                                    + "; let the Service's targetPort and spec.port be one number");
                }
            }
        }
        return null;
    }
}
