"""From a file to prices: how soon there is a table, and how far off its first figures are.

Over HTTP, through the platform's own processes. Each round uploads a ring of 84,000 triangles that
nobody has seen, waits for its verdict, and asks for a table of 6 materials by 4 quantities; its
slice is taken away again, and its picture awaited, before the next. Then some parts are sliced,
from which machine times are learnt; others get a table each, and what its first answer says is set
against their own slices. Parts are the closed STL files of the folder DATA as far as they go, and
bodies with bosses and holes. FULL=1 judges 100 parts with each of three configs.
"""

import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.kit import DATA, FULL, Figure, report, torus
from benchmarks.workloads import bodies
from geometry.formats.stl import read_triangles, write_binary
from input_errors import InputError
from tests.live.client import Client
from tests.live.processes import Platform
from tests.waiting import wait_for

ROUNDS = 50
MATERIALS, QUANTITIES = 6, [1, 10, 50, 100]
LEARNT, JUDGED = 30, 100 if FULL else 40  # parts
QUALITIES = ("standard", "draft", "fine") if FULL else ("standard",)
wait = partial(wait_for, seconds=600, pause=0.03)
PRICE = 1000  # of an hour, and of a cm3, so that cents tell them well
MAX_TRIANGLES = 60_000
SMALLEST, LARGEST = 5.0, 120.0  # mm, of a part's longest side

Part = NDArray[np.float32]


class Judged(NamedTuple):
    """How far off an estimate was, parts of 1; `within` is what it said."""

    time: float
    material: float
    within: float


def main() -> None:
    platform = Platform(LOG_LEVEL="INFO")
    try:
        platform.start()
        client = Client(platform)
        figures = soon(client)
        for number, quality in enumerate(QUALITIES, start=1):
            figures += near(platform, client, quality, speeds=number)
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    report("prices", figures)


class Shop:
    """A bureau that sells what one type of printer makes of some materials, by hour and cm3."""

    def __init__(self, client: Client, quality: str, materials: int):
        self.client = client
        config = {"engine": "slic3r", "parameters": {"print_quality": quality}}
        self.config = self.make("slicing/config/curated/", **config)
        self.bureau = self.make("erp/bureau/", name="Bench")
        self.materials = [
            self.of_bureau("material", name=f"Material {number}", density=1.24)
            for number in range(materials)
        ]
        self.of_bureau(
            "printer-type",
            name="Printer",
            build_volume={"x": 200, "y": 200, "z": 200},
            config=self.config,
            materials=self.materials,
        )
        self.of_bureau("tax-rule", name="Full", category="S", country="DE", rate=19)
        sold_by = self.of_bureau("price-list", name="All", country="DE", is_default=True)
        for name, unit in (("Time", "hour"), ("Material", "cc")):
            term = {"name": name, "step": "piece", "unit": unit, "amount": PRICE}
            self.make("erp/price-term/", price_list=sold_by, **term)

    def make(self, path: str, **fields: Any) -> str:
        return self.client.ask("POST", path, 201, json=fields).headers["Location"]

    def of_bureau(self, kind: str, **fields: Any) -> str:
        return self.make(f"erp/{kind}/", bureau=self.bureau, **fields)

    def table(self, model: str, quantities: list[int]) -> dict[str, Any]:
        """The table of a model, as it is answered at once."""
        body = {"bureau": self.bureau, "models": [model], "materials": self.materials}
        asked = {**body, "quantities": quantities}
        return self.client.ask("POST", "erp/price-table/", 201, json=asked).json()


# ---------------------------------------------------------------- how soon


def soon(client: Client) -> list[Figure]:
    """Upload to table, and verdict to table, s."""
    shop = Shop(client, "standard", MATERIALS)
    whole, after = [], []
    ring = torus(84_000) * np.float32(0.35)
    for number in range(1 + ROUNDS):  # the first does not count
        data = as_file(ring * np.float32(1 + 1e-4 * number))
        model, location = client.create_model()
        begun = time.perf_counter()
        client.upload(location, data)
        judged(client, model)
        verdict = time.perf_counter()
        table = shop.table(model, QUANTITIES)
        now = time.perf_counter()
        if len(table["cells"]) != MATERIALS * len(QUANTITIES) or table["cells"][0]["net"] is None:
            raise SystemExit(f"The table has no prices: {table['cells'][0]}")
        whole.append(now - begun)
        after.append(now - verdict)
        be_idle(client, model)
    figures = [
        Figure("upload to table of 24 cells, median", "s", float(np.median(whole[1:]))),
        Figure("upload to table of 24 cells, p95", "s", percentile(whole[1:], 95), goal="<= 5"),
        Figure("verdict to table of 24 cells, p95", "s", percentile(after[1:], 95), goal="<= 1.5"),
    ]
    report("prices, so far", figures)
    return figures


def be_idle(client: Client, model: str) -> None:
    """Take away the slice of the table, and wait for the model's picture."""
    for row in client.ask("GET", "slicing/slice/", 200).json()["resources"]:
        if row["status"] in ("queued", "processing"):
            client.ask("DELETE", row["uri"], 204)
    wait(lambda: client.read(model)["snapshot"])


# ---------------------------------------------------------------- how near


def near(platform: Platform, client: Client, quality: str, *, speeds: int) -> list[Figure]:
    """What first answers say, beside the slices of parts that they were not learnt from."""
    shop = Shop(client, quality, 1)
    models = uploaded(client, LEARNT + JUDGED)
    learnt = [
        shop.make("slicing/slice/", model=model, config=shop.config) for model in models[:LEARNT]
    ]
    for uri in learnt:
        client.settled(uri)
    wait(lambda: platform.ask("SELECT count(*) FROM erp_printspeed") == [(speeds,)])
    tables = [shop.table(model, [1]) for model in models[LEARNT:]]
    found = [judge(client, table) for table in tables]
    off = [each for each in found if each is not None]
    print(f"{quality}: {len(off)} of {len(found)} parts were sliced", flush=True)
    time_off, material_off = [each.time for each in off], [each.material for each in off]
    true = sum(max(each.time, each.material) <= each.within for each in off)
    return [
        Figure(
            f"{quality}: machine time off, median of {len(off)}",
            "%",
            100 * float(np.median(time_off)),
        ),
        Figure(
            f"{quality}: machine time off, p90", "%", 100 * percentile(time_off, 90), goal="<= 25"
        ),
        Figure(f"{quality}: material off, median", "%", 100 * float(np.median(material_off))),
        Figure(
            f"{quality}: material off, p90", "%", 100 * percentile(material_off, 90), goal="<= 18"
        ),
        Figure(
            f"{quality}: told within, median", "%", 100 * float(np.median([e.within for e in off]))
        ),
        Figure(f"{quality}: as near as was told", "%", 100 * true / len(off), goal=">= 90"),
    ]


def judge(client: Client, table: dict[str, Any]) -> Judged | None:
    """A table's first answer beside its last; None where the part cannot be sliced."""

    def exact() -> Any:
        row = client.read(table["uri"])
        return row["status"] == "exact" and row

    (first,), (last,) = table["cells"], wait(exact)["cells"]
    if first["net"] is None or last["net"] is None or not all(amounts(last)):
        return None
    time_, material = (abs(a / b - 1) for a, b in zip(amounts(first), amounts(last), strict=True))
    return Judged(time_, material, first["within"] / 100)


def amounts(cell: dict[str, Any]) -> list[float]:
    return [term["amount"] for term in cell["terms"]]


# ---------------------------------------------------------------- parts


def uploaded(client: Client, count: int) -> list[str]:
    """So many models that were judged well, in an order of chance."""
    models = []
    for part in parts(count):
        models.append(client.model(as_file(part)))
    rows = [client.settled(uri) for uri in models]
    return [row["uri"] for row in rows if row["status"] == "processed"]


def parts(count: int) -> Iterator[Part]:
    """Of DATA as many as there are, and bodies."""
    chance = np.random.default_rng(7)
    given = list(read(DATA)) if DATA else []
    chance.shuffle(given)
    for part in given[:count]:
        yield part.astype(np.float32)
    for seed in range(count - len(given)):
        body = bodies.body(np.random.default_rng(1000 + seed), np.zeros(40))
        yield (bodies.triangles_of(body) * chance.uniform(0.6, 1.8)).astype(np.float32)


def read(folder: Path) -> Iterator[NDArray[np.float64]]:
    """The parts of a folder that can be printed as they are."""
    for path in sorted(folder.rglob("*.[sS][tT][lL]")):
        try:
            part = read_triangles(path, max_triangles=MAX_TRIANGLES).astype(np.float64)
        except (ValueError, InputError):
            continue
        if fits(part):
            yield part


def fits(part: NDArray[np.float64]) -> bool:
    """Closed, and of a size that is printed soon."""
    if not len(part):
        return False
    longest = np.ptp(part.reshape(-1, 3), axis=0).max()
    return SMALLEST <= longest <= LARGEST and bodies.solid_of(part) is not None


def as_file(part: Part) -> bytes:
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "part.stl"
        write_binary(part, path)
        return path.read_bytes()


def judged(client: Client, model: str) -> None:
    wait(lambda: client.read(model)["status"] == "processed")


def percentile(values: list[float], percent: float) -> float:
    return float(np.percentile(values, percent, method="higher"))


if __name__ == "__main__":
    main()
