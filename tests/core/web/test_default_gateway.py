"""The gateway of a container's network."""

from core.web.default_gateway import default_gateway

# As a container of Docker shows it.
ROUTES = """Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t000012AC\t00000000\t0001\t0\t0\t0\t0000FFFF\t0\t0\t0
eth0\t00000000\t010012AC\t0003\t0\t0\t0\t00000000\t0\t0\t0
"""


def test_default_gateway_of_container_is_its_host():
    assert default_gateway(ROUTES) == "172.18.0.1"


def test_default_gateway_is_missing_without_default_route():
    assert default_gateway("\n".join(ROUTES.splitlines()[:2])) is None
