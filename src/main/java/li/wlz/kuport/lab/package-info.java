/** A small world of network namespaces on one machine: nodes, pods, clients and a WireGuard mesh, for the demo and the kernel tests. */
@NullMarked
package li.wlz.kuport.lab;

import org.jspecify.annotations.NullMarked;
