"""The runner's host as ``host.docker.internal``, which Docker Desktop knows and a Linux runner does not.

A Docker action runs in a container of its own; its default gateway is the host, where an earlier step may have started
the system under test.
"""

import ipaddress
from collections.abc import Callable
from pathlib import Path

NAME = "host.docker.internal"
HOSTS = Path("/etc/hosts")
ROUTES = Path("/proc/net/route")

_DEFAULT = "00000000"


def gateway(routes: str) -> str | None:
    """The default gateway in the text of ``/proc/net/route``: IPv4, hexadecimal, lowest byte first (proc(5)).

    None when there is no default route through a gateway.
    """
    for line in routes.splitlines()[1:]:
        fields = line.split()
        if len(fields) > 2 and fields[1] == _DEFAULT and fields[2] != _DEFAULT:
            return str(ipaddress.IPv4Address(bytes.fromhex(fields[2])[::-1]))
    return None


def map_host(resolves: Callable[[str], bool], hosts: Path = HOSTS, routes: Path = ROUTES) -> str | None:
    """Name the gateway ``host.docker.internal`` in the hosts file, unless the name resolves already.

    :returns: the address mapped, None when nothing was to be done or could be
    """
    if resolves(NAME):
        return None
    try:
        address = gateway(routes.read_text(encoding="ascii"))
        if address is None:
            return None
        with hosts.open("a", encoding="ascii") as file:
            file.write(f"\n{address}\t{NAME}\n")
    except (OSError, ValueError):
        return None  # a system that is reached by this name will say that it was not found
    return address
