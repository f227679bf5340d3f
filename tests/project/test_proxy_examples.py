"""Examples of reverse proxies: all hosts of the platform, and the paths that take files."""

import re
from pathlib import Path

import pytest

from project.hosts import host_patterns

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "proxy"
DOMAIN = "print.example.com"
EXAMPLES = ("nginx.conf", "haproxy.cfg", "Caddyfile")
NO_SERVICE = {"nowhere"}  # the answer to names that are no hosts
# Requests that bring a file of any size.
UPLOADS = ("/upload/1", "/api/files/local", "/api/v1/files/local/part.gcode")


def hosts() -> set[str]:
    """The names of all hosts below the domain."""
    names = {name for each in host_patterns for name in re.findall(r"\w+", each.regex)}
    asgi = (ROOT / "platform" / "project" / "asgi.py").read_text()
    not_django = set(re.findall(r'f"(\w+)\.\{settings\.PARENT_HOST\}"', asgi))
    assert not_django, "read the hosts of project.asgi here in the way it names them"
    return (names | not_django) - NO_SERVICE


@pytest.mark.parametrize("name", EXAMPLES)
def test_example_of_a_proxy_lists_all_hosts(name):
    text = (FOLDER / name).read_text()
    listed = re.search(r"# The hosts, .*? below it (.*?)\.\n", text, re.DOTALL)

    assert listed, f"docs/proxy/{name}: list the hosts in a comment, as the others do"
    assert set(re.findall(r"\w+", listed[1])) == hosts(), f"docs/proxy/{name}: name these hosts"


@pytest.mark.parametrize(
    ("name", "pattern"),
    [("nginx.conf", r"server_name (.*);"), ("Caddyfile", r"(?m)^(print\.example\.com.*) \{")],
)
def test_example_of_a_proxy_takes_requests_of_all_hosts(name, pattern):
    servers = re.findall(pattern, (FOLDER / name).read_text())

    assert servers
    for names in servers:
        taken = re.split(r",? +", names)
        assert DOMAIN in taken
        missing = {host for host in hosts() if not {f"{host}.{DOMAIN}", f"*.{DOMAIN}"} & {*taken}}
        assert missing == set(), f"docs/proxy/{name}: add these hosts to {names}"


@pytest.mark.parametrize("path", UPLOADS)
def test_nginx_streams_files_of_any_size(path):
    text = (FOLDER / "nginx.conf").read_text()
    locations = re.findall(r"location (~ )?(\S+) \{(.*?)\}", text, re.DOTALL)

    (rules,) = [
        body
        for is_pattern, start, body in locations
        if start != "/" and (re.match(start, path) if is_pattern else path.startswith(start))
    ]
    assert "client_max_body_size 0;" in rules
    assert "proxy_request_buffering off;" in rules
