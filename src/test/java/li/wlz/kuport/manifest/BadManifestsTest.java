package li.wlz.kuport.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import li.wlz.kuport.intake.Intake;
import li.wlz.kuport.model.ObjectKey;
import li.wlz.kuport.model.Problem;
import li.wlz.kuport.model.World;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Each mistake is named by file, object, field and what is right, and everything else in the folder counts as if it were not. */
class BadManifestsTest {
    private static final String GOOD = """
            {apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {name: good, namespace: good},
             spec: {className: good, protocol: TCP, port: 80, serviceRef: {name: good, port: http}}}
            ---
            {apiVersion: kuport.wlz.li/v1alpha1, kind: PortMapClass, metadata: {name: good},
             spec: {nodes: {edge-a: {interfaces: [enp1s0]}}, returnPath: {mode: Vxlan}}}
            ---
            {apiVersion: kuport.wlz.li/v1alpha1, kind: PortMapNode, metadata: {name: good}}
            ---
            {apiVersion: v1, kind: Node, metadata: {name: good}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: good, namespace: good}, spec: {ports: [{name: http, port: 80}]}}
            ---
            {apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4,
             metadata: {name: good-1, namespace: good, labels: {kubernetes.io/service-name: good}},
             ports: [{name: http, port: 8080}],
             endpoints: [{addresses: [10.244.1.2], targetRef: {kind: Pod, name: good-0}, nodeName: good}]}
            ---
            {apiVersion: v1, kind: Namespace, metadata: {name: good}}
            """;

    @TempDir
    private Path folder;

    /** What must come of the object {@code bad/bad} or {@code bad} of a row. */
    private enum Fate {
        COUNTS,
        IS_LEFT_OUT,
        CLASS_NOT_FOUND,
        INVALID_PORT_RANGE,
        INTERFACE_NOT_IN_CLASS,
        SERVICE_NOT_FOUND,
        SERVICE_PORT_NOT_FOUND
    }

    private record Row(String mistake, String yaml, Fate fate, List<String> problems) {}

    private static String portMap(String spec) {
        return "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {name: bad, namespace: bad}, spec: {"
                + spec + "}}";
    }

    private static String portMapWith(String more) {
        return portMap("className: good, protocol: TCP, port: 80, serviceRef: {name: web, port: http}, " + more);
    }

    private static String portMapMeta(String metadata) {
        return "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {" + metadata
                + "}, spec: {className: good, protocol: TCP, port: 80, serviceRef: {name: web, port: http}}}";
    }

    private static String portMapClass(String spec) {
        return "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMapClass, metadata: {name: bad}, spec: {" + spec + "}}";
    }

    private static String classWith(String more) {
        return portMapClass("nodes: {edge-a: {interfaces: [enp1s0]}}, returnPath: {mode: Vxlan}, " + more);
    }

    private static String classNodes(String nodes) {
        return portMapClass("nodes: {edge-b: {interfaces: [enp1s0]}, " + nodes + "}, returnPath: {mode: Vxlan}");
    }

    private static String portMapNode(String status) {
        return "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMapNode, metadata: {name: bad}, status: {" + status
                + "}}";
    }

    private static String node(String metadata, String status) {
        return "{apiVersion: v1, kind: Node, metadata: {name: bad, " + metadata + "}, status: {" + status + "}}";
    }

    private static String service(String spec) {
        return "{apiVersion: v1, kind: Service, metadata: {name: bad, namespace: bad}, spec: {" + spec + "}}";
    }

    private static String slice(String fields) {
        return "{apiVersion: discovery.k8s.io/v1, kind: EndpointSlice, addressType: IPv4, metadata: {name: bad, namespace: bad,"
                + " labels: {kubernetes.io/service-name: bad}}, " + fields + "}";
    }

    private static Row row(String mistake, String yaml, Fate fate, String... problems) {
        return new Row(mistake, yaml, fate, List.of(problems));
    }

    private static List<Row> portMaps() {
        String object = "PortMap bad/bad: ";
        String ref = "serviceRef: {name: web, port: http}";
        return List.of(
                row(
                        "no spec",
                        "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {name: bad, namespace: bad}}",
                        Fate.IS_LEFT_OUT,
                        object + "spec: is missing; it needs className, protocol, port and serviceRef"),
                row(
                        "no class",
                        portMap("protocol: TCP, port: 80, " + ref),
                        Fate.CLASS_NOT_FOUND,
                        object + "spec.className: is missing; write the name of a PortMapClass"),
                row(
                        "a class that cannot be",
                        portMap("className: Public Class, protocol: TCP, port: 80, " + ref),
                        Fate.CLASS_NOT_FOUND,
                        object
                                + "spec.className: \"Public Class\" cannot be the name of a PortMapClass; write the name of a PortMapClass"),
                row(
                        "no protocol",
                        portMap("className: good, port: 80, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.protocol: is missing; write TCP or UDP"),
                row(
                        "P11 SCTP",
                        portMap("className: good, protocol: SCTP, port: 80, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.protocol: SCTP is not delivered; write TCP or UDP"),
                row(
                        "a protocol in lower case",
                        portMap("className: good, protocol: udp, port: 80, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.protocol: \"udp\" is not a protocol; write TCP or UDP"),
                row(
                        "no port",
                        portMap("className: good, protocol: TCP, " + ref),
                        Fate.INVALID_PORT_RANGE,
                        object + "spec.port: is missing; ports are 1 to 65535"),
                row(
                        "port 0",
                        portMap("className: good, protocol: TCP, port: 0, " + ref),
                        Fate.INVALID_PORT_RANGE,
                        object + "spec.port: 0 is not a port; ports are 1 to 65535"),
                row(
                        "port 70000",
                        portMap("className: good, protocol: TCP, port: 70000, " + ref),
                        Fate.INVALID_PORT_RANGE,
                        object + "spec.port: 70000 is not a port; ports are 1 to 65535"),
                row(
                        "a negative port",
                        portMap("className: good, protocol: TCP, port: -80, " + ref),
                        Fate.INVALID_PORT_RANGE,
                        object + "spec.port: -80 is not a port; ports are 1 to 65535"),
                row(
                        "a port in quotes",
                        portMap("className: good, protocol: TCP, port: '80', " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.port: is the text \"80\"; it must be a whole number, without quotes"),
                row(
                        "a port in words",
                        portMap("className: good, protocol: TCP, port: http, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.port: is the text \"http\"; it must be a whole number"),
                row(
                        "a fractional port",
                        portMap("className: good, protocol: TCP, port: 80.5, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.port: is the number 80.5; it must be a whole number"),
                row(
                        "a port beyond 32 bits",
                        portMap("className: good, protocol: TCP, port: 99999999999, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.port: is the number 99999999999; it must be at most 2147483647"),
                row(
                        "a list for a port",
                        portMap("className: good, protocol: TCP, port: [80], " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.port: is a list; it must be a whole number"),
                row(
                        "endPort below port",
                        portMapWith("endPort: 79"),
                        Fate.INVALID_PORT_RANGE,
                        object
                                + "spec.endPort: 79 is lower than port, which is 80; endPort is the last port of the range"),
                row(
                        "endPort beyond the last port",
                        portMapWith("endPort: 65536"),
                        Fate.INVALID_PORT_RANGE,
                        object + "spec.endPort: 65536 is not a port; ports are 1 to 65535"),
                row(
                        "an interface that cannot be",
                        portMapWith("interfaces: [wt0, 'eth0; drop']"),
                        Fate.INTERFACE_NOT_IN_CLASS,
                        object
                                + "spec.interfaces[1]: \"eth0; drop\" is not the name of an interface; interfaces have 1 to 15 letters,"
                                + " digits, and _ . @ + -"),
                row(
                        "an interface that is null",
                        portMapWith("interfaces: [null]"),
                        Fate.INTERFACE_NOT_IN_CLASS,
                        object
                                + "spec.interfaces[0]: is missing; interfaces have 1 to 15 letters, digits, and _ . @ + -"),
                row(
                        "interfaces that are no list",
                        portMapWith("interfaces: wt0"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.interfaces: is the text \"wt0\"; it must be a list"),
                row(
                        "a number among interfaces",
                        portMapWith("interfaces: [0]"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.interfaces[0]: is the number 0; it must be a text, in quotes"),
                row(
                        "no Service",
                        portMap("className: good, protocol: TCP, port: 80"),
                        Fate.SERVICE_NOT_FOUND,
                        object + "spec.serviceRef.name: is missing; write the name of a Service of namespace bad",
                        object
                                + "spec.serviceRef.port: is missing; write the name of a port of the Service, or its number, 1 to 65535"),
                row(
                        "a Service of another namespace",
                        portMap("className: good, protocol: TCP, port: 80, serviceRef: {name: other/web, port: http}"),
                        Fate.SERVICE_NOT_FOUND,
                        object
                                + "spec.serviceRef.name: \"other/web\" cannot be the name of a Service; write the name of a Service of namespace bad"),
                row(
                        "no Service port",
                        portMap("className: good, protocol: TCP, port: 80, serviceRef: {name: web}"),
                        Fate.SERVICE_PORT_NOT_FOUND,
                        object
                                + "spec.serviceRef.port: is missing; write the name of a port of the Service, or its number, 1 to 65535"),
                row(
                        "a Service port of 0",
                        portMap("className: good, protocol: TCP, port: 80, serviceRef: {name: web, port: 0}"),
                        Fate.SERVICE_PORT_NOT_FOUND,
                        object
                                + "spec.serviceRef.port: \"0\" is neither the name of a port nor its number; write the name of a port of the"
                                + " Service, or its number, 1 to 65535"),
                row(
                        "a truth for a Service port",
                        portMap("className: good, protocol: TCP, port: 80, serviceRef: {name: web, port: true}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.serviceRef.port: is true; it must be a number or a text"),
                row(
                        "a mapping for a Service port",
                        portMap(
                                "className: good, protocol: TCP, port: 80, serviceRef: {name: web, port: {number: 80}}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.serviceRef.port: is a mapping; it must be a number or a text"),
                row(
                        "a misspelt required field",
                        portMap("className: good, prot: TCP, port: 80, " + ref),
                        Fate.IS_LEFT_OUT,
                        object + "spec.prot: unknown field; did you mean protocol?"),
                row(
                        "a misspelt optional field",
                        portMapWith("interface: [wt0]"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.interface: unknown field; did you mean interfaces?"),
                row(
                        "a field in the wrong case",
                        portMapWith("endport: 90"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.endport: unknown field; did you mean endPort?"),
                row(
                        "a field that means nothing",
                        portMapWith("comment: x"),
                        Fate.COUNTS,
                        object + "spec.comment: unknown field; remove it"),
                row(
                        "a field beside spec",
                        portMapWith("endPort: 81").replace(", spec:", ", extra: 1, spec:"),
                        Fate.COUNTS,
                        object + "extra: unknown field; remove it"),
                row(
                        "spec is a text",
                        "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMap, metadata: {name: bad, namespace: bad}, spec: all}",
                        Fate.IS_LEFT_OUT,
                        object + "spec: is the text \"all\"; it must be a mapping of fields"),
                row(
                        "no name",
                        portMapMeta("namespace: bad"),
                        Fate.IS_LEFT_OUT,
                        "PortMap: metadata.name: is missing; every object needs a name"),
                row(
                        "a name that is a path",
                        portMapMeta("name: ../../etc/passwd, namespace: bad"),
                        Fate.IS_LEFT_OUT,
                        "PortMap bad/../../etc/passwd: metadata.name: \"../../etc/passwd\" is not a name; names have lower case letters,"
                                + " digits, - and ., begin and end with a letter or digit, and are at most 253 long"),
                row(
                        "a namespace that is a path",
                        portMapMeta("name: bad, namespace: ../bad"),
                        Fate.IS_LEFT_OUT,
                        "PortMap ../bad/bad: metadata.namespace: \"../bad\" is not a name; it has lower case letters, digits and -,"
                                + " begins and ends with a letter or digit, and is at most 63 long"),
                row(
                        "a time that is none",
                        portMapMeta("name: bad, namespace: bad, creationTimestamp: yesterday"),
                        Fate.COUNTS,
                        object
                                + "metadata.creationTimestamp: \"yesterday\" is not a time such as 2026-01-31T12:00:00Z; taken as the oldest"),
                row(
                        "a key that is taken",
                        portMapMeta("name: bad, namespace: bad") + "\n---\n" + portMapMeta("name: bad, namespace: bad"),
                        Fate.COUNTS,
                        object
                                + "metadata.name: is taken by the one in bad.yaml, which counts; remove or rename one of the two"),
                row(
                        "a key that another file has",
                        portMapMeta("name: bad, namespace: bad") + "\n---\n" + portMapMeta("name: zzz, namespace: zzz"),
                        Fate.COUNTS,
                        "zzz.yaml: PortMap zzz/zzz: metadata.name: is taken by the one in bad.yaml, which counts; remove or rename one of the two"));
    }

    private static List<Row> classes() {
        String object = "PortMapClass bad: ";
        return List.of(
                row(
                        "no spec",
                        "{apiVersion: kuport.wlz.li/v1alpha1, kind: PortMapClass, metadata: {name: bad}}",
                        Fate.IS_LEFT_OUT,
                        object + "spec: is missing; it needs nodes and returnPath.mode"),
                row(
                        "no nodes",
                        portMapClass("returnPath: {mode: None}"),
                        Fate.COUNTS,
                        object + "spec.nodes: names no node that can be used, so nothing is served; name at least one"),
                row(
                        "nodes that are a list",
                        portMapClass("nodes: [edge-a], returnPath: {mode: None}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.nodes: is a list; it must be a mapping of names to values"),
                row(
                        "a node without a name",
                        classNodes("Edge A: {interfaces: [wt0]}"),
                        Fate.COUNTS,
                        object
                                + "spec.nodes[Edge A]: \"Edge A\" is not the name of a node; names have lower case letters, digits, -"
                                + " and ., begin and end with a letter or digit, and are at most 253 long"),
                row(
                        "a node that offers nothing",
                        classNodes("edge-a: {}"),
                        Fate.COUNTS,
                        object + "spec.nodes[edge-a]: offers nothing that can be used; name interfaces or addresses"),
                row(
                        "a node that is null",
                        classNodes("edge-a: null"),
                        Fate.COUNTS,
                        object + "spec.nodes[edge-a]: offers nothing that can be used; name interfaces or addresses"),
                row(
                        "a bad interface of a node",
                        classNodes("edge.a: {interfaces: [wt0, way-too-long-interface]}"),
                        Fate.COUNTS,
                        object
                                + "spec.nodes[edge.a].interfaces[1]: \"way-too-long-interface\" is not the name of an interface; interfaces"
                                + " have 1 to 15 letters, digits, and _ . @ + -"),
                row(
                        "a bad address of a node",
                        classNodes("edge-a: {interfaces: [wt0], addresses: [203.0.113.9/24]}"),
                        Fate.COUNTS,
                        object
                                + "spec.nodes[edge-a].addresses[0]: \"203.0.113.9/24\" is not an address; write one such as 203.0.113.9 or"
                                + " 2001:db8::9, without a prefix length",
                        object + "spec.nodes[edge-a]: offers nothing that can be used; name interfaces or addresses"),
                row(
                        "P12 an address that nobody can dial",
                        classNodes("edge-a: {addresses: [203.0.113.9, 127.0.0.1]}"),
                        Fate.COUNTS,
                        object
                                + "spec.nodes[edge-a].addresses[1]: 127.0.0.1 cannot be dialled from elsewhere; write an address that the"
                                + " node holds"),
                row(
                        "D3 an external address of the other family",
                        classNodes("edge-a: {interfaces: [wt0], external: {192.168.7.2: '2001:db8::9'}}"),
                        Fate.COUNTS,
                        object
                                + "spec.nodes[edge-a].external[192.168.7.2]: 2001:db8::9 is of the other family than 192.168.7.2; write one of"
                                + " the same"),
                row(
                        "an unknown field of a node",
                        classNodes("edge-a: {interface: [wt0]}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.nodes[edge-a].interface: unknown field; did you mean interfaces?"),
                row(
                        "nodeSelector without interfaces",
                        classWith("nodeSelector: {matchLabels: {role: edge}}"),
                        Fate.COUNTS,
                        object
                                + "spec.interfaces: names no interface, so the nodes of nodeSelector offer nothing; name at least one"),
                row(
                        "a bad nodeSelector",
                        classWith("interfaces: [wt0], nodeSelector: {matchExpressions: [{key: role, operator: Is}]}"),
                        Fate.COUNTS,
                        object
                                + "spec.nodeSelector.matchExpressions[0].operator: \"Is\" is not an operator; write In, NotIn, Exists or"
                                + " DoesNotExist"),
                row(
                        "a bad serving mode",
                        classWith("servingMode: single"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.servingMode: \"single\" is not a mode; write Single or Multi"),
                row(
                        "no return path",
                        portMapClass("nodes: {edge-a: {interfaces: [wt0]}}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.returnPath.mode: is missing; write Vxlan or None"),
                row(
                        "a bad return path",
                        portMapClass("nodes: {edge-a: {interfaces: [wt0]}}, returnPath: {mode: VXLAN}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.returnPath.mode: \"VXLAN\" is not a mode; write Vxlan or None"),
                row(
                        "a VNI out of range",
                        portMapClass(
                                "nodes: {edge-a: {interfaces: [wt0]}}, returnPath: {mode: Vxlan, vxlan: {vni: 16777216}}"),
                        Fate.COUNTS,
                        object + "spec.returnPath.vxlan.vni: 16777216 is out of range; write 1 to 16777215"),
                row(
                        "min above max",
                        classWith("ports: {min: 2000, max: 1000}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.ports.min: 2000 is greater than max, which is 1000; no port is between them"),
                row(
                        "max beyond the last port",
                        classWith("ports: {max: 65536}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.ports.max: 65536 is not a port; ports are 1 to 65535"),
                row(
                        "a reserved range upside down",
                        classWith("ports: {reserved: [22, 9100-9000]}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.ports.reserved[1]: \"9100-9000\" is neither a port nor a range; write a number such as 8080 or a range"
                                + " such as 9000-9100, ports are 1 to 65535"),
                row(
                        "a reserved port that is null",
                        classWith("ports: {reserved: [null]}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.ports.reserved[0]: is empty; write a number such as 8080 or a range such as 9000-9100, ports are 1 to"
                                + " 65535"),
                row(
                        "P1 a bad allowed port",
                        classWith("ports: {allowProtected: [ssh, 22]}"),
                        Fate.COUNTS,
                        object
                                + "spec.ports.allowProtected[0]: \"ssh\" is neither a port nor a range; write a number such as 8080 or a range"
                                + " such as 9000-9100, ports are 1 to 65535"),
                row(
                        "a misspelt restriction",
                        classWith("namespaceSelecter: {matchLabels: {a: b}}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.namespaceSelecter: unknown field; did you mean namespaceSelector?"),
                row(
                        "a field of a newer version",
                        classWith("sourceRanges: [192.0.2.0/24]"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.sourceRanges: unknown field; remove it"),
                row(
                        "a misspelt part of a selector",
                        classWith("namespaceSelector: {matchLables: {a: b}}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.namespaceSelector.matchLables: unknown field; a selector has matchLabels and matchExpressions"),
                row(
                        "a selector without values",
                        classWith("namespaceSelector: {matchExpressions: [{key: team, operator: In}]}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.namespaceSelector.matchExpressions[0].values: is empty; In needs at least one value"),
                row(
                        "a selector with values too many",
                        classWith(
                                "namespaceSelector: {matchExpressions: [{key: team, operator: Exists, values: [a]}]}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.namespaceSelector.matchExpressions[0].values: must be empty; Exists asks for the label alone"),
                row(
                        "a selector of a key that cannot be",
                        classWith("namespaceSelector: {matchLabels: {'a b': c}}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.namespaceSelector.matchLabels: \"a b\" is not the key of a label; keys look like role or example.org/role"),
                row(
                        "a selector of a truth",
                        classWith("namespaceSelector: {matchLabels: {public: true}}"),
                        Fate.IS_LEFT_OUT,
                        object + "spec.namespaceSelector.matchLabels[public]: is true; it must be a text, in quotes"),
                row(
                        "a selector of nothing",
                        classWith("namespaceSelector: {matchLabels: {public: null}}"),
                        Fate.IS_LEFT_OUT,
                        object
                                + "spec.namespaceSelector.matchLabels[public]: has no value; values have letters, digits, - _ and ., at most 63,"
                                + " and quotes where YAML needs them"));
    }

    private static List<Row> clusterObjects() {
        return List.of(
                row(
                        "a report's bad underlay",
                        portMapNode("link: {up: true, underlay: 100.64.0.300}"),
                        Fate.COUNTS,
                        "PortMapNode bad: status.link.underlay: \"100.64.0.300\" is not an address; write one such as 203.0.113.9 or 2001:db8::9"),
                row(
                        "a report's bad interface",
                        portMapNode("interfaces: [{name: 'a b', addresses: [192.0.2.1]}]"),
                        Fate.COUNTS,
                        "PortMapNode bad: status.interfaces[0].name: \"a b\" is not the name of an interface; interfaces have 1 to 15 letters,"
                                + " digits, and _ . @ + -"),
                row(
                        "a report's bad address",
                        portMapNode("interfaces: [{name: wt0, addresses6: ['2001:db8::1/64', '2001:db8::2']}]"),
                        Fate.COUNTS,
                        "PortMapNode bad: status.interfaces[0].addresses6[0]: \"2001:db8::1/64\" is not an address; write one such as 203.0.113.9"
                                + " or 2001:db8::9"),
                row(
                        "a report's MTU in words",
                        portMapNode("link: {mtu: large}"),
                        Fate.IS_LEFT_OUT,
                        "PortMapNode bad: status.link.mtu: is the text \"large\"; it must be a whole number"),
                row(
                        "D4 an underlay that is no address",
                        node("annotations: {kuport.wlz.li/underlay: wg0}", ""),
                        Fate.COUNTS,
                        "Node bad: metadata.annotations[kuport.wlz.li/underlay]: \"wg0\" is not an address; write at most one of each family,"
                                + " separated by a comma",
                        "Node bad: metadata.annotations[kuport.wlz.li/underlay]: names no address that can be used; the node's InternalIP is"
                                + " used instead"),
                row(
                        "D4 two underlays of one family",
                        node("annotations: {kuport.wlz.li/underlay: '100.64.0.1, 100.64.0.2'}", ""),
                        Fate.COUNTS,
                        "Node bad: metadata.annotations[kuport.wlz.li/underlay]: names two addresses of one family; only the first counts:"
                                + " 100.64.0.1"),
                row(
                        "a node's bad address",
                        node("labels: {}", "addresses: [{type: InternalIP, address: here}]"),
                        Fate.COUNTS,
                        "Node bad: status.addresses[0].address: \"here\" is not an address, as its type InternalIP says"),
                row(
                        "a label that is a number",
                        node("labels: {tier: 1}", ""),
                        Fate.IS_LEFT_OUT,
                        "Node bad: metadata.labels[tier]: is the number 1; it must be a text, in quotes"),
                row(
                        "a Service port out of range",
                        service("ports: [{port: 99999}, {name: b, port: 1}]"),
                        Fate.COUNTS,
                        "Service bad/bad: spec.ports[0].port: 99999 is not a port; ports are 1 to 65535"),
                row(
                        "a Service port that is missing",
                        service("ports: [{name: a}]"),
                        Fate.COUNTS,
                        "Service bad/bad: spec.ports[0].port: is missing; ports are 1 to 65535"),
                row(
                        "Service ports that are no list",
                        service("ports: {name: a}"),
                        Fate.IS_LEFT_OUT,
                        "Service bad/bad: spec.ports: is a mapping; it must be a list"),
                row(
                        "E6 an endpoint's bad address",
                        slice("endpoints: [{addresses: [example.org]}, {addresses: [10.0.0.1]}]"),
                        Fate.COUNTS,
                        "EndpointSlice bad/bad: endpoints[0].addresses[0]: \"example.org\" is not an address; write the pod's address"),
                row(
                        "an endpoint without an address",
                        slice("endpoints: [{addresses: []}]"),
                        Fate.COUNTS,
                        "EndpointSlice bad/bad: endpoints[0].addresses: is empty; an endpoint has an address"),
                row(
                        "P12 an endpoint at the node's loopback",
                        slice("endpoints: [{addresses: [127.0.0.1]}]"),
                        Fate.COUNTS,
                        "EndpointSlice bad/bad: endpoints[0].addresses[0]: 127.0.0.1 cannot be an endpoint's; write the pod's address"),
                row(
                        "E5 an endpoint port out of range",
                        slice("ports: [{name: a, port: 0}], endpoints: [{addresses: [10.0.0.1]}]"),
                        Fate.COUNTS,
                        "EndpointSlice bad/bad: ports[0].port: 0 is not a port; ports are 1 to 65535"),
                row(
                        "an endpoint's readiness in quotes",
                        slice("endpoints: [{addresses: [10.0.0.1], conditions: {ready: 'true'}}]"),
                        Fate.IS_LEFT_OUT,
                        "EndpointSlice bad/bad: endpoints[0].conditions.ready: is the text \"true\"; it must be true or false"));
    }

    private static List<Row> documents() {
        String kinds = "PortMap, PortMapClass, PortMapNode, Node, Service, EndpointSlice, Namespace, Pod";
        return List.of(
                row(
                        "no YAML",
                        "a: [1, 2",
                        Fate.IS_LEFT_OUT,
                        "line 1, column 9: while parsing a flow sequence: expected ',' or ']', but got <stream end>"),
                row(
                        "no YAML in a later document",
                        "# first\n---\nkind: X\n  port: 1\n",
                        Fate.IS_LEFT_OUT,
                        "line 4, column 7: mapping values are not allowed here"),
                row(
                        "a tab",
                        "a:\n\tb: 1\n",
                        Fate.IS_LEFT_OUT,
                        "line 2, column 1: while scanning for the next token: found character '\\t(TAB)' that cannot start any token. (Do not"
                                + " use \\t(TAB) for indentation)"),
                row(
                        "a field twice",
                        "a: 1\nb: 2\na: 3\n",
                        Fate.IS_LEFT_OUT,
                        "line 3, column 1: \"a\" is there twice; only one of the two can be meant"),
                row(
                        "a merge key",
                        "a: &x {b: 1}\nc:\n  <<: *x\n",
                        Fate.IS_LEFT_OUT,
                        "line 3, column 3: merge keys (<<) are not read; write the fields out"),
                row(
                        "an alias of nothing",
                        "a: *nothing\n",
                        Fate.IS_LEFT_OUT,
                        "line 1, column 4: *nothing has no &nothing before it"),
                row(
                        "a tag",
                        "a: !!python/object x\n",
                        Fate.IS_LEFT_OUT,
                        "line 1, column 4: the tag tag:yaml.org,2002:python/object is not read"),
                row(
                        "a list as the name of a field",
                        "? [a]\n: b\n",
                        Fate.IS_LEFT_OUT,
                        "line 1, column 3: the name of a field must be a plain text"),
                row(
                        "a list",
                        "- a\n",
                        Fate.IS_LEFT_OUT,
                        "document at line 1: is a list; an object has apiVersion, kind and metadata"),
                row(
                        "a text",
                        "# x\n---\nhello\n",
                        Fate.IS_LEFT_OUT,
                        "document at line 2: is the text \"hello\"; an object has apiVersion, kind and metadata"),
                row(
                        "no kind",
                        "metadata: {name: x}\n",
                        Fate.IS_LEFT_OUT,
                        "document at line 1: kind: is missing; it is one of " + kinds),
                row(
                        "a kind of somebody else",
                        "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: games}}",
                        Fate.IS_LEFT_OUT,
                        "Deployment games/web: kind: Deployment is not read; a folder holds " + kinds),
                row(
                        "a version that is not there yet",
                        portMapWith("").replace("v1alpha1", "v1"),
                        Fate.IS_LEFT_OUT,
                        "PortMap bad/bad: apiVersion: kuport.wlz.li/v1 is not read; write kuport.wlz.li/v1alpha1"),
                row(
                        "no version",
                        "{kind: Node, metadata: {name: bad}}",
                        Fate.IS_LEFT_OUT,
                        "Node bad: apiVersion: is missing; write v1"),
                row(
                        "a List without items",
                        "{apiVersion: v1, kind: List}",
                        Fate.IS_LEFT_OUT,
                        "document at line 1: items: a List has a list of items"),
                row(
                        "an item of a List",
                        "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Node, metadata: {name: bad}}, 5]}",
                        Fate.COUNTS,
                        "item 1 of the List at line 1: is the number 5; an object has apiVersion, kind and metadata"));
    }

    @TestFactory
    Stream<DynamicTest> F7_each_mistake_is_named_and_touches_nothing_else() {
        return Stream.of(portMaps(), classes(), clusterObjects(), documents())
                .flatMap(List::stream)
                .map(row -> DynamicTest.dynamicTest(row.mistake(), () -> check(row)));
    }

    private void check(Row row) throws IOException {
        Files.writeString(folder.resolve("good.yaml"), GOOD);
        Files.writeString(folder.resolve("bad.yaml"), row.yaml());
        Files.writeString(
                folder.resolve("zzz.yaml"), row.yaml().contains("zzz") ? portMapMeta("name: zzz, namespace: zzz") : "");
        var snapshot = ManifestSource.read(folder);
        Intake.Result result = new Intake(null).read(snapshot.resources(), false);

        List<Problem> problems = new ArrayList<>(snapshot.problems());
        problems.addAll(result.problems());
        assertThat(problems.stream().map(Problem::toString).distinct())
                .containsExactlyInAnyOrder(row.problems().stream()
                        .map(text -> text.startsWith("zzz.yaml") ? text : "bad.yaml: " + text)
                        .toArray(String[]::new));
        assertThat(fate(result.world())).isEqualTo(row.fate());
        assertGoodOnesCount(result.world());
    }

    private static Fate fate(World world) {
        ObjectKey key = new ObjectKey("bad", "bad");
        for (World.Refusal refusal : world.refused()) {
            assertThat(refusal.key()).isEqualTo(key);
            return switch (refusal.reason()) {
                case ClassNotFound -> Fate.CLASS_NOT_FOUND;
                case InvalidPortRange -> Fate.INVALID_PORT_RANGE;
                case InterfaceNotInClass -> Fate.INTERFACE_NOT_IN_CLASS;
                case ServiceNotFound -> Fate.SERVICE_NOT_FOUND;
                case ServicePortNotFound -> Fate.SERVICE_PORT_NOT_FOUND;
                case Valid, NamespaceNotSelected, PortOutOfRange, PortReserved, RangeTranslation, PortConflict ->
                    throw new AssertionError("not for intake to say: " + refusal);
            };
        }
        boolean counts = world.portMaps().containsKey(key)
                || world.services().containsKey(key)
                || world.endpoints().containsKey(key)
                || world.classes().containsKey("bad")
                || world.nodes().containsKey("bad")
                || world.nodeReports().containsKey("bad");
        return counts ? Fate.COUNTS : Fate.IS_LEFT_OUT;
    }

    private static void assertGoodOnesCount(World world) {
        ObjectKey key = new ObjectKey("good", "good");
        assertThat(world.portMaps()).containsKey(key);
        assertThat(world.services()).containsKey(key);
        assertThat(world.endpoints()).containsKey(key);
        assertThat(world.classes()).containsKey("good");
        assertThat(world.nodes()).containsKey("good");
        assertThat(world.nodeReports()).containsKey("good");
        assertThat(world.namespaceLabels()).containsKey("good");
    }

    @Test
    void there_is_a_row_for_every_kind_of_mistake() {
        assertThat(portMaps().size()
                        + classes().size()
                        + clusterObjects().size()
                        + documents().size())
                .isGreaterThanOrEqualTo(90);
    }
}
