#!/bin/sh
# Runs a command in mount, network and process namespaces of its own, with an empty /run: what it makes there is seen by nobody
# else and ends with it.
#
#   isolate.sh COMMAND [ARGUMENT...]   runs it, as root, in a user namespace, or by sudo: whichever works here
#   isolate.sh                         only says whether it could: status 0, or 1 and what is missing on standard error
#
# Used by li.wlz.kuport.lab.Isolation and by scripts/isolated/bin/java.
# Where an ordinary user's shell does not look.
command -v nft >/dev/null || PATH="$PATH:/usr/sbin:/sbin"
export PATH

refuse() {
  echo "the lab cannot run here: $1" >&2
  exit 1
}

absent=''
for tool in unshare setpriv nsenter mount ip nft wg wireguard-go; do
  command -v "$tool" >/dev/null || absent="$absent $tool"
done
[ -z "$absent" ] || refuse "these programs are missing:$absent. Run: make setup"

spaces='--mount --net --pid --fork --kill-child --mount-proc'
# With arguments: by that command.
may_unshare() { "$@" unshare $spaces true 2>/dev/null; }
# Opening it for reading and writing is what wireguard-go does.
may_tunnel() { (: <>/dev/net/tun) 2>/dev/null; }

[ -c /dev/net/tun ] || refuse 'there is no /dev/net/tun, which wireguard-go needs. Run as root: modprobe tun'

# The signal of the parent's death is lost in sudo, so it is asked for behind it as well.
with_parent='setpriv --pdeathsig KILL'
if [ "$(id -u)" = 0 ]; then
  may_unshare || refuse 'this root may not make namespaces (CAP_SYS_ADMIN). In a container: start it with --privileged'
  run="$with_parent unshare $spaces"
elif may_unshare unshare --user --map-root-user && may_tunnel; then
  run="$with_parent unshare --user --map-root-user $spaces"
elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
  run="sudo -n $with_parent unshare $spaces"
elif may_tunnel; then
  refuse 'you are not root, sudo asks for a password, and this kernel lets ordinary users make no user namespaces
(sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns).
Run it as root, or allow one of these.'
else
  refuse 'you are not root, sudo asks for a password, and you may not open /dev/net/tun, which wireguard-go needs.
Run it as root, or once: sudo chmod 0666 /dev/net/tun'
fi

[ $# -gt 0 ] || exit 0
# The loopback device is up before the command starts: a JVM asks it whether there is IPv6.
exec $run sh -c 'mount -t tmpfs -o mode=755 kuport-lab /run && mkdir /run/netns /run/wireguard && ip link set lo up && exec "$@"' isolate "$@"
