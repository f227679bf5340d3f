"""Resource kinds of `mp`."""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit
from uuid import UUID

from manufacturing import Client
from manufacturing.errors import ClientError
from manufacturing.request_encoding import Resource


class NothingToFetch(ClientError):
    """A resource has no file, or has none yet."""


@dataclass(frozen=True)
class Kind:
    """A kind of resource.

    path    : its collection, on the host of the service
    columns : what a list shows of each
    file    : where its file is, and how that ends; raises NothingToFetch
    """

    service: str
    path: str
    columns: tuple[str, ...]
    file: Callable[[Client, Resource], tuple[str, str]]

    def uri(self, client: Client, said: str) -> str:
        """The URI of one: of its URI, or of its uuid."""
        if said.startswith(("http://", "https://")):
            return said
        try:
            return client.transport.url(self.service, f"{self.path}{UUID(said)}/")
        except ValueError:
            raise ValueError(f"{said!r} is neither a URI nor a uuid.") from None


def content(ending: str) -> Callable[[Client, Resource], tuple[str, str]]:
    """The file that `content` leads to."""

    def of(client: Client, row: Resource) -> tuple[str, str]:
        if not row.get("content"):
            raise NothingToFetch(f"{row['uri']} has no file: it is {row['status']}.")
        return row["content"], ending

    return of


def gcode_of_run(client: Client, row: Resource) -> tuple[str, str]:
    """What a run is printed from."""
    if not row.get("slice"):
        raise NothingToFetch(f"{row['uri']} was not sliced: it is {row['status']}.")
    return content(".gcode")(client, client.get(row["slice"]))


def traveller(client: Client, row: Resource) -> tuple[str, str]:
    """The page that goes with an order through the shop."""
    return row["uri"] + "traveller/", ".html"


KINDS = {
    "model": Kind("models", "/model/", ("status", "name", "created", "uri"), content(".stl")),
    "slice": Kind("slicing", "/slice/", ("status", "engine", "created", "uri"), content(".gcode")),
    "order": Kind("erp", "/order/", ("status", "name", "created", "uri"), traveller),
    "run": Kind("erp", "/run/", ("status", "name", "created", "uri"), gcode_of_run),
}
# Whose page on the bare domain has the path of their URI.
WITH_A_PAGE = {
    *("model", "slice", "bureau", "location", "printer", "run", "order", "line-item"),
    "price-table",
}


def page_of(client: Client, uri: str) -> str | None:
    """The address of a resource's page; None where its kind has none."""
    path = urlsplit(uri).path
    known = path.strip("/").split("/")[0] in WITH_A_PAGE and path.count("/") == 3
    return client.transport.url("", path) if known else None
