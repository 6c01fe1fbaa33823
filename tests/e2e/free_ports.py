# SPDX-License-Identifier: BSD-3-Clause
"""TCP ports for servers whose configuration must name one before they start."""
import random
import socket

PORTS = range(16384, 65536)

_reserved = []  # for as long as this process runs


def _candidates():
    """Ports that the kernel does not choose itself: one of its own can be taken between being found and being used."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as told:
        first, last = map(int, told.read().split())
    candidates = [port for port in PORTS if not first <= port <= last] or list(PORTS)
    random.shuffle(candidates)
    return candidates


def _reserve(port):
    """False where another test has it; a name in the abstract namespace goes with its process."""
    name = socket.socket(socket.AF_UNIX)
    try:
        name.bind(f"\0kaname-test-port-{port}")
    except OSError:
        name.close()
        return False
    _reserved.append(name)
    return True


def _free(port):
    with socket.socket() as probe:
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
    return True


def free_ports(n):
    """n ports of 127.0.0.1 that nobody listens on, that no other test is given while this one runs."""
    found = []
    for port in _candidates():
        if len(found) == n:
            break
        if _reserve(port) and _free(port):
            found.append(port)
    if len(found) < n:
        raise RuntimeError(f"no {n} free ports")
    return found
