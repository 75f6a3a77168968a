"""The runner's host by name."""

from pathlib import Path

import pytest

from fairgate.github.network import NAME, gateway, map_host

HEAD = "Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\tMTU\tWindow\tIRTT\n"
DOCKER = "eth0\t00000000\t010011AC\t0003\t0\t0\t0\t00000000\t0\t0\t0\n"
SUBNET = "eth0\t000011AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0\n"


@pytest.mark.parametrize(
    ("routes", "address"),
    [
        (HEAD + DOCKER + SUBNET, "172.17.0.1"),
        (HEAD + SUBNET + DOCKER, "172.17.0.1"),
        (HEAD + SUBNET, None),
        (HEAD + "tun0\t00000000\t00000000\t0001\n", None),
        (HEAD, None),
        ("", None),
    ],
)
def test_the_gateway(routes: str, address: str | None) -> None:
    assert gateway(routes) == address


def files(tmp_path: Path, routes: str) -> tuple[Path, Path]:
    hosts, table = tmp_path / "hosts", tmp_path / "route"
    hosts.write_text("127.0.0.1\tlocalhost", encoding="ascii")
    table.write_text(routes, encoding="ascii")
    return hosts, table


def test_the_host_is_mapped_once_and_only_when_needed(tmp_path: Path) -> None:
    hosts, table = files(tmp_path, HEAD + DOCKER)
    assert map_host(lambda _: True, hosts, table) is None
    assert map_host(lambda name: name != NAME, hosts, table) == "172.17.0.1"
    assert hosts.read_text(encoding="ascii") == f"127.0.0.1\tlocalhost\n172.17.0.1\t{NAME}\n"


@pytest.mark.parametrize("routes", [HEAD, HEAD + "eth0\t00000000\tzz\n", HEAD + "eth0\t00000000\t01\n"])
def test_where_there_is_no_gateway_nothing_changes(tmp_path: Path, routes: str) -> None:
    hosts, table = files(tmp_path, routes)
    assert map_host(lambda _: False, hosts, table) is None
    assert hosts.read_text(encoding="ascii") == "127.0.0.1\tlocalhost"
    assert map_host(lambda _: False, tmp_path / "no/hosts", tmp_path / "no") is None
