"""From a visitor's upload to prices: 84,000 triangles, 6 materials, 4 quantities.

Through the platform's real processes, by the API that the page of a storefront uses: a visit, an
upload, its analysis, and the price table, read five times a second. The first figure is from the
verdict on the file until all 24 prices are there, by an estimate or a slice; the second from the
end of the upload until all are exact. Each round has a new file. There is no peer; the goals are
those of the storefront's design.
"""

import time
from collections.abc import Callable
from statistics import median, quantiles
from typing import Any

from benchmarks.kit import FULL, Figure, report
from tests.live.client import Client, ball
from tests.live.processes import Platform, browser
from tests.live.storefronts import Visitor, open_storefront

RINGS = 145  # 84,000 triangles
MATERIALS = 6
QUANTITIES = [1, 5, 10, 25]
ROUNDS = 50 if FULL else 11
WARM = 2  # rounds that do not count
POLL = 0.2  # s
TIMEOUT = 180.0  # s


def main() -> None:
    platform = Platform()
    try:
        platform.start()
        slug = open_storefront(Client(platform), materials=MATERIALS)
        rounds = [prices_of(platform, slug, bumps=9 + n) for n in range(WARM + ROUNDS)][WARM:]
    finally:
        left = platform.stop()
    if left:
        raise SystemExit(f"The platform left processes behind: {left}")
    verdicts, estimates, exact = zip(*rounds, strict=True)
    report(
        "storefront",
        [
            Figure("upload to verdict, median", "s", median(verdicts)),
            Figure("verdict to 24 prices, p95", "s", p95(estimates), goal="<= 1.5"),
            Figure("upload to 24 exact prices, median", "s", median(exact)),
            Figure("upload to 24 exact prices, p95", "s", p95(exact), goal="<= 5"),
        ],
    )


def p95(values: tuple[float, ...]) -> float:
    return quantiles(values, n=20)[-1]


def prices_of(platform: Platform, slug: str, *, bumps: int) -> tuple[float, float, float]:
    """Seconds from the upload to the verdict, from there to all prices, and from the upload to
    exact ones.
    """
    visitor = Visitor(platform, browser(), slug)
    part = visitor.upload(ball(RINGS, bumps=bumps))
    uploaded = time.perf_counter()
    until(visitor, part, lambda model: model["status"] == "processed")
    judged = time.perf_counter()
    table = visitor.price([part], QUANTITIES)
    until(visitor, table, lambda row: all(cell["net"] is not None for cell in row["cells"]))
    priced = time.perf_counter()
    until(visitor, table, lambda row: all(cell["basis"] == "slice" for cell in row["cells"]))
    times = judged - uploaded, priced - judged, time.perf_counter() - uploaded
    print(", ".join(f"{seconds:.2f} s" for seconds in times), flush=True)
    return times


def until(visitor: Visitor, uri: str, is_done: Callable[[dict[str, Any]], bool]) -> None:
    """Read a resource until it is as wanted."""
    end = time.perf_counter() + TIMEOUT
    while not is_done(row := visitor.read(uri)):
        if time.perf_counter() > end:
            raise SystemExit(f"Not within {TIMEOUT:g} s: {row}")
        time.sleep(POLL)


if __name__ == "__main__":
    main()
