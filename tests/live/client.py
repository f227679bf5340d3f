"""A client with an account: what it does over HTTP, and the parts that it uploads."""

import struct
from typing import Any
from uuid import uuid4

import numpy as np
import requests

from tests.live.processes import Platform, browser, wait_for

FINAL = ("processed", "error")
FACET = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])
OCTETS = {"Content-Type": "application/octet-stream"}
JOBS = """
    SELECT queue_name, state::text, worker_id, consumed_at, available_at, starts, queue.message
    FROM dramatiq.queue LEFT JOIN core_jobstart ON core_jobstart.message = message_id
    WHERE subject = %s
"""
ROOM = {"x": 250.0, "y": 250.0, "z": 200.0}
CONFIG: dict[str, Any] = {
    "engine": "slic3r",
    "parameters": {"print_quality": "standard", "infill_density": 20},
}


class Client:
    """Somebody new, signed in by an API token.

    address : where they call from, as a proxy in front would say
    """

    def __init__(
        self, platform: Platform, session: requests.Session | None = None, *, address: str = ""
    ):
        self.platform = platform
        self.session = session or browser()
        if address:
            self.session.headers["X-Forwarded-For"] = address
        name = f"user-{uuid4()}"
        person = {"username": name, "password": "correct horse battery staple"}
        account = {**person, "name": name, "email": f"{name}@example.com"}
        self.ask("POST", "users/users/", 201, json=account)
        self.person = person
        self.ask("POST", "users/sessions/", 201, json=person)
        token = self.ask("POST", "users/api_tokens/", 201, json={"name": "tests"}).json()
        self.session.cookies.clear()
        self.session.auth = (token["uuid"], token["secret"])

    def ask(self, method: str, url: str, status: int, **options: Any) -> requests.Response:
        """One request, which must be answered with `status`; `url` as of Platform.url, or whole."""
        if not url.startswith("http"):
            url = self.platform.url(url)
        response = self.session.request(method, url, timeout=60, **options)
        assert response.status_code == status, response.text
        return response

    def read(self, uri: str) -> dict[str, Any]:
        return self.ask("GET", uri, 200).json()

    def create_model(self, hook: str | None = None) -> tuple[str, str]:
        """A model without a file: its URI and its upload location."""
        callback = {"callback": {"url": hook, "method": "POST"}} if hook else {}
        answer = self.ask("POST", "models/model/", 201, json={"name": "part", **callback})
        return answer.headers["Location"], answer.headers["X-Upload-Location"]

    def upload(self, location: str, data: bytes, status: int = 204) -> requests.Response:
        return self.ask("PUT", location, status, data=data, headers=OCTETS)

    def try_upload(self, location: str, data: bytes) -> int:
        """How an upload is answered."""
        return self.session.put(location, data=data, headers=OCTETS, timeout=60).status_code

    def model(self, data: bytes, hook: str | None = None) -> str:
        """The URI of a new model whose file has been uploaded."""
        uri, location = self.create_model(hook)
        self.upload(location, data)
        return uri

    def slice(self, model: str, config: str, hook: str) -> str:
        order = {"model": model, "config": config, "callback": {"url": hook}}
        return self.ask("POST", "slicing/slice/", 201, json=order).headers["Location"]

    def config(self, **parameters: Any) -> str:
        """The URI of a new config: the standard one, but for these parameters."""
        body = {**CONFIG, "parameters": CONFIG["parameters"] | parameters}
        answer = self.ask("POST", "slicing/config/curated/", 201, json=body)
        return answer.headers["Location"]

    def make(self, kind: str, **fields: Any) -> str:
        """The URI of a new row of the manufacturing system."""
        return self.ask("POST", f"erp/{kind}/", 201, json=fields).headers["Location"]

    def shop(self) -> tuple[str, str]:
        """A new bureau, and its printer."""
        bureau = self.make("bureau", name="Shop")
        hall = self.make("location", bureau=bureau, name="Hall")
        kind = self.make("printer-type", bureau=bureau, name="Large", build_volume=ROOM)
        return bureau, self.make("printer", location=hall, printer_type=kind, name="Number 1")

    def pieces(self, bureau: str, model: str, count: int) -> list[str]:
        """Those of a new line item, which is confirmed."""
        item = self.make("line-item", bureau=bureau, name="Part", quantity=count, model=model)
        wait_for(lambda: self.read(item)["status"] == "pending")
        self.ask("PUT", item, 204, json={"status": "confirmed"})
        query = {"filter[line_item]": item, "page[limit]": count}
        listed = self.ask("GET", "erp/piece/", 200, params=query).json()["resources"]
        return [row["uri"] for row in listed]

    def pack(self, count: int) -> str:
        """A run of so many balls, which is packed at length, for a printer of a new bureau."""
        bureau, printer = self.shop()
        model = self.settled(self.model(ball(40)))["uri"]
        pieces = self.pieces(bureau, model, count)
        about = {"printer": printer, "run_name": "Plate", "budget": "thorough"}
        return self.make("create-runs", pieces=pieces, **about)

    def can_read(self, uri: str) -> bool:
        """Whether the platform shows the resource at this moment."""
        try:
            return self.session.get(uri, timeout=2).status_code == 200
        except requests.RequestException:
            return False

    def settled(self, uri: str) -> dict[str, Any]:
        """The resource, once its state is final."""
        try:
            return wait_for(lambda: (row := self.read(uri))["status"] in FINAL and row)
        except AssertionError as error:
            ask = getattr(self.platform, "ask", None)  # of a platform that the test has started
            jobs = ask(JOBS, uri.split("/")[-2]) if ask else "in its database"
            raise AssertionError(f"{error}: {self.read(uri)}; its jobs: {jobs}") from None


def ball(rings: int, *, bumps: int = 9) -> bytes:
    """A closed ball of 40 mm with bumps: about 4 * rings ** 2 triangles, as a binary STL file."""
    polar, around = np.linspace(0, np.pi, rings + 1), np.arange(2 * rings) * np.pi / rings
    theta, phi = np.meshgrid(polar, around, indexing="ij")  # (rings + 1, 2 * rings)
    radius = 20 + np.sin(bumps * phi) * np.sin(theta) ** 8
    ring = np.sin(theta) * radius
    points = np.stack([ring * np.cos(phi), ring * np.sin(phi), np.cos(theta) * radius], axis=-1)
    points[0], points[-1] = (0, 0, 20), (0, 0, -20)
    right = np.roll(points, -1, axis=1)
    # At the poles one of the two triangles of each field has no area.
    upper = np.stack([points[:-1], points[1:], right[1:]], axis=-2)[:-1].reshape(-1, 3, 3)
    lower = np.stack([points[:-1], right[1:], right[:-1]], axis=-2)[1:].reshape(-1, 3, 3)
    facets = np.zeros(len(upper) + len(lower), FACET)
    facets["corners"] = np.concatenate([upper, lower])
    return bytes(80) + struct.pack("<I", len(facets)) + facets.tobytes()
