"""The console in Debian's Chromium, on a real platform: what its pages weigh, cost and take.

There is no peer: the goals are those of its design. The browser draws without a graphics card
(SwiftShader), 800 x 600. Its processor time is that of all its processes, a frame's is what turning
costs divided by the frames that were drawn; memory is what its processes have beyond an empty page
(PSS). A page's own time is the web process's. What is shown first is told by the browser itself.
"""

import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

import psutil
from playwright.sync_api import Browser, Page, Response, sync_playwright

from benchmarks.kit import FULL, Figure, report
from tests.live.client import Client, ball
from tests.live.processes import DOMAIN, Platform, wait_for

CHROMIUM = "/usr/bin/chromium-headless-shell"
DRAWS = ["--enable-unsafe-swiftshader", "--use-angle=swiftshader", "--ignore-gpu-blocklist"]
SIZE = {"width": 800, "height": 600}
MODELS, CARDS, PIECES = 100, 200, 1_000
ROUNDS, REFRESHES = 10, 200
PROMOTE = "UPDATE users_user SET is_staff = true WHERE username = %s RETURNING 1"
LAST = """
    () => Object.fromEntries([
        ...performance.getEntriesByType("paint").map(one => [one.name, one.startTime]),
        ["scripts", performance.getEntriesByType("resource")
            .filter(one => new URL(one.name).pathname.endsWith(".js"))
            .reduce((sum, one) => sum + one.encodedBodySize, 0)],
        ["nodes", document.getElementsByTagName("*").length],
    ])
"""
AT_REST = "() => document.querySelector('[open]')?.stage?.isAtRest"
DRAWN = "() => document.querySelector('[open]')?.stage?.frames > 0"
FRAMES = "() => document.querySelector('[open]').stage.frames"


class Person:
    """Somebody with a browser, and a client of the API in the same name."""

    def __init__(self, platform: Platform, browser: Browser):
        self.platform, self.client = platform, Client(platform)
        self.context = browser.new_context(viewport=SIZE, locale="en-GB")
        self.operator = Client(platform)
        name = self.operator.person["username"]
        platform.ask(PROMOTE, name)
        page = self.open("sign-in/")
        page.get_by_label("Username").fill(self.client.person["username"])
        page.get_by_label("Password").fill(self.client.person["password"])
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Parts", exact=True).wait_for()
        page.close()

    def open(self, path: str) -> Page:
        page = self.context.new_page()
        page.set_default_timeout(120_000)
        page.goto(self.address(path))
        return page

    def address(self, path: str) -> str:
        return f"http://{DOMAIN}:{self.platform.port}/{path}"

    def page_of(self, uri: str) -> str:
        """The path of a resource's page."""
        return uri.split("/", 3)[3]

    def make(self, kind: str, **fields: Any) -> str:
        return self.client.ask("POST", f"erp/{kind}/", 201, json=fields).headers["Location"]

    def model(self, triangles: int) -> str:
        uri = self.client.model(ball(round((triangles / 4) ** 0.5)))
        assert self.client.settled(uri)["status"] == "processed"
        return uri

    def items(
        self, bureau: str, model: str, count: int, name: str = "Part", each: int = 1
    ) -> list[str]:
        """So many line items of a model, which can be confirmed."""
        about = {"bureau": bureau, "model": model, "quantity": each}
        made = [self.make("line-item", name=f"{name} {number}", **about) for number in range(count)]
        for item in made:
            wait_for(lambda item=item: self.client.read(item)["status"] == "pending")
        return made

    def confirm(self, item: str) -> None:
        self.client.ask("PUT", item, 204, json={"status": "confirmed"})


def cpu(processes: list[psutil.Process]) -> float:
    """What they and their children have used, s."""
    total = 0.0
    for process in processes:
        try:
            total += sum(process.cpu_times()[:2])
        except psutil.Error:
            continue
    return total


def browsers() -> list[psutil.Process]:
    return [one for one in psutil.Process().children(recursive=True) if "chrom" in one.name()]


def memory() -> float:
    """PSS of the browser, MB."""
    total = 0
    for one in browsers():
        try:
            text = Path(f"/proc/{one.pid}/smaps_rollup").read_text()
        except OSError:
            continue
        total += next(int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:"))
    return total / 1e3


# ---------------------------------------------------------------- pages


def pages(person: Person, board: str) -> Iterator[Figure]:
    """What a page weighs, when it shows something, what it costs the web process."""
    web = person.platform.program("project.asgi:application")
    cookies = {one["name"]: one["value"] for one in person.context.cookies()}
    for name, path, paint, cost in (
        (f"list of {MODELS} models", "model/", 0.4, 80),
        (f"board of {CARDS} line items", board, 0.5, 120),
    ):
        shown: list[float] = []
        for _ in range(ROUNDS):
            page = person.open(path)
            page.wait_for_function(
                "() => performance.getEntriesByName('first-contentful-paint').length"
            )
            told = page.evaluate(LAST)
            shown.append(told["first-contentful-paint"] / 1e3)
            page.close()
        used = cpu(web)
        for _ in range(ROUNDS):
            answer = person.client.session.get(
                person.address(path), cookies=cookies, headers={"Accept": "text/html"}, auth=None
            )
            assert answer.ok
        used = (cpu(web) - used) / ROUNDS
        yield Figure(f"{name}: first contentful paint", "s", median(shown), goal=f"<= {paint}")
        yield Figure(f"{name}: of the web process", "ms", used * 1e3, goal=f"<= {cost}")
        yield Figure(f"{name}: scripts, as sent", "kB", told["scripts"] / 1e3, goal="<= 60")
        yield Figure(f"{name}: nodes", "", told["nodes"], goal="<= 1500")


def refreshes(person: Person, board: str) -> Iterator[Figure]:
    """Whether a page that is asked for anew again and again grows."""
    page = person.open(board)
    page.wait_for_load_state("networkidle")
    heap = []
    session = person.context.new_cdp_session(page)
    for number in range(1, REFRESHES + 1):
        with page.expect_response(lambda answer: answer.url == page.url):
            page.evaluate("() => { new BroadcastChannel('events').postMessage('') }")
        if number in (20, REFRESHES):
            session.send("HeapProfiler.collectGarbage")
            heap.append(page.evaluate("() => performance.memory.usedJSHeapSize"))
    page.close()
    name = f"heap after {REFRESHES} refreshes, of that after 20"
    yield Figure(name, "", heap[1] / heap[0], goal="<= 1.2")


def tabs(person: Person, bureau: str) -> Iterator[Figure]:
    """Ten tabs share a stream, and a change is on all of them soon."""
    opened = [person.open(person.page_of(bureau)) for _ in range(10)]
    time.sleep(3)
    metrics = person.operator.ask("GET", person.address("metrics/"), 200).text
    told = [line.split() for line in metrics.splitlines()]
    streams = next(float(line[1]) for line in told if line[0] == "platform_event_streams")
    late = []
    model = person.model(500)
    for number, item in enumerate(person.items(bureau, model, ROUNDS, "Change")):
        begun = time.monotonic()
        person.confirm(item)
        opened[-1].get_by_text(f"Change {number}").first.wait_for(state="attached")
        late.append(time.monotonic() - begun)
    for page in opened:
        page.close()
    yield Figure("ten tabs: streams of events", "", streams, goal="<= 1")
    yield Figure("a change, until the tab in front shows it", "s", median(late), goal="<= 1.5")


# ---------------------------------------------------------------- three dimensions and layers


@contextmanager
def turned(person: Person, path: str) -> Iterator[tuple[Page, float]]:
    """A page whose viewer is open and at rest; how long it took to its first full frame, s."""
    page = person.open(path)
    button = page.get_by_role("button", name="3D view", exact=True)
    button.wait_for()
    begun = time.monotonic()
    button.click()
    page.wait_for_function(DRAWN)
    took = time.monotonic() - begun
    page.wait_for_function(AT_REST)
    yield page, took
    page.close()


def frames(page: Page) -> tuple[float, float]:
    """Processor time of the browser, ms: for a frame while a part is turned, and for the last one.

    The last is drawn in full once the part rests: a short turn and a long one both have it.
    """
    page.get_by_role("application").focus()

    def turn(steps: int) -> tuple[float, int]:
        used, drawn = cpu(browsers()), page.evaluate(FRAMES)
        for _ in range(steps):
            page.keyboard.press("ArrowLeft")
            page.evaluate("() => new Promise(requestAnimationFrame)")
        page.wait_for_function(AT_REST)
        return 1e3 * (cpu(browsers()) - used), page.evaluate(FRAMES) - drawn

    turn(1)  # what is made for the first one is there then
    (short, few), (long, many) = turn(1), turn(60)
    each = (long - short) / (many - few)
    return each, short - each * (few - 1)


@contextmanager
def over_an_empty_page(person: Person) -> Iterator[Callable[[], float]]:
    """What the page that is open takes beyond an empty one, MB: asked with one page open."""
    blank, other = person.open("model/"), person.open("model/")
    empty = memory()
    other.close()
    yield lambda: memory() - empty
    blank.close()


def parts(person: Person) -> Iterator[Figure]:
    with over_an_empty_page(person) as memory_taken:
        yield from parts_turned(person, memory_taken)


def parts_turned(person: Person, memory_taken: Callable[[], float]) -> Iterator[Figure]:
    for triangles, goal in ((50_000, "<= 70"), (500_000, ""), (1_300_000, "")):
        uri = person.model(triangles)
        wait_for(lambda uri=uri: person.client.read(uri)["snapshot_content"])
        path, name = person.page_of(uri), f"part of {triangles:,}"
        begun = time.monotonic()
        page = person.open(path)
        page.get_by_role("img", name="Preview of").wait_for()
        yield Figure(f"{name}: its picture is shown", "s", time.monotonic() - begun, goal="<= 0.3")
        page.close()
        with turned(person, path):
            pass  # its light mesh is made
        with turned(person, path) as (page, took):
            yield Figure(f"{name}: first frame", "s", took, goal="<= 1.5")
            each, full = frames(page)
            yield Figure(f"{name}: a frame while turning", "ms", each, goal=goal)
            yield Figure(f"{name}: the frame at rest", "ms", full)
            if triangles == 50_000:
                yield Figure(f"{name}: memory", "MB", memory_taken(), goal="<= 60")
                drawn = page.evaluate(FRAMES)
                time.sleep(5)
                rest = page.evaluate(FRAMES) - drawn
                yield Figure(f"{name}: frames in 5 s at rest", "", rest, goal="<= 0")


def plate(person: Person) -> Iterator[Figure]:
    path = person.page_of(packed(person))
    with turned(person, path):
        pass  # its light meshes are made
    with over_an_empty_page(person) as memory_taken, turned(person, path) as (page, took):
        yield Figure(f"plate of {PIECES:,} pieces: first frame", "s", took, goal="<= 1.5")
        each, full = frames(page)
        yield Figure(f"plate of {PIECES:,} pieces: a frame", "ms", each, goal="<= 60")
        yield Figure(f"plate of {PIECES:,} pieces: the frame at rest", "ms", full, goal="<= 500")
        yield Figure(f"plate of {PIECES:,}: memory", "MB", memory_taken(), goal="<= 60")


def packed(person: Person) -> str:
    """A run of many small pieces."""
    bureau = person.make("bureau", name="Powder")
    hall = person.make("location", bureau=bureau, name="Hall")
    room = {"x": 500.0, "y": 500.0, "z": 400.0}
    kind = person.make("printer-type", bureau=bureau, name="Powder", build_volume=room)
    printer = person.make("printer", location=hall, printer_type=kind, name="Number 1")
    model = person.model(500)
    client = person.client
    (item,) = person.items(bureau, model, 1, each=PIECES)
    person.confirm(item)
    pieces, query = [], f"erp/piece/?filter[line_item]={item}&page[limit]=100"
    for offset in range(0, PIECES, 100):
        rows = client.ask("GET", f"{query}&page[offset]={offset}", 200).json()["resources"]
        pieces += [row["uri"] for row in rows]
    order = {"printer": printer, "run_name": "Rings", "budget": "quick"}
    run = person.make("create-runs", pieces=pieces, **order)
    wait_for(lambda: client.read(run)["status"] == "calculated", 600)
    wait_for(lambda: all(client.read(one)["content"] for one in client.read(run)["snapshots"]), 600)
    return run


def layers(person: Person) -> Iterator[Figure]:
    """A long gcode, layer by layer."""
    parameters = {"print_quality": "fine", "infill_density": 20 if FULL else 5}
    order = {"engine": "slic3r", "parameters": parameters}
    client = person.client
    larger = {"type": "scale", "parametersScale": {"x": 400, "y": 400, "z": 400}}  # %
    model = client.ask(
        "POST", f"{person.model(500_000)}transformation/", 201, json={"transformations": [larger]}
    ).headers["Location"]
    client.settled(model)
    config = client.ask("POST", "slicing/config/curated/", 201, json=order).headers["Location"]
    uri = client.ask(
        "POST", "slicing/slice/", 201, json={"model": model, "config": config}
    ).headers["Location"]
    wait_for(lambda: client.read(uri)["status"] in ("processed", "error"), 600)
    size = len(client.session.get(client.read(uri)["content"]).content)
    with over_an_empty_page(person) as memory_taken:
        yield from layers_shown(person, uri, size, memory_taken)


def layers_shown(
    person: Person, uri: str, size: int, memory_taken: Callable[[], float]
) -> Iterator[Figure]:
    page = person.open(person.page_of(uri))
    read: list[int] = []
    page.on("response", lambda one: read.append(taken(one)))
    button = page.get_by_role("button", name="Layer view")
    button.click()  # whoever asks first has them written
    slider = page.get_by_role("slider", name="Layer")
    slider.wait_for()
    page.reload()
    read.clear()
    begun = time.monotonic()
    page.get_by_role("button", name="Layer view").click()
    page.wait_for_function("() => document.querySelector('output[for=layer]')?.value")
    first = time.monotonic() - begun
    slider.focus()
    count = int(slider.get_attribute("max") or 1)
    used = cpu(browsers())
    for _ in range(100):
        page.keyboard.press("ArrowRight")
        page.evaluate("() => new Promise(requestAnimationFrame)")
    used = (cpu(browsers()) - used) / 100
    for layer in range(1, count, max(1, count // 60)):
        slider.fill(str(layer))
        page.evaluate("() => new Promise(requestAnimationFrame)")
    page.wait_for_load_state("networkidle")
    name = f"gcode of {size / 1e6:.0f} MB"
    yield Figure(f"{name}: first layer", "s", first, goal="<= 1")
    yield Figure(f"{name}: a step", "ms", used * 1e3, goal="<= 60")
    yield Figure(f"{name}: read, of the gcode", "%", 100 * sum(read) / size, goal="<= 14")
    yield Figure(f"{name}: memory", "MB", memory_taken(), goal="<= 100")
    page.close()


def taken(answer: Response) -> int:
    """The bytes of a file's answer."""
    return int(answer.headers.get("content-length", 0)) if "//files." in answer.url else 0


def main() -> None:
    platform = Platform()
    platform.start()
    try:
        with sync_playwright() as playwright:
            sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []
            flags = [*sandbox, *DRAWS, "--enable-precise-memory-info", "--js-flags=--expose-gc"]
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=flags)
            report("console", [*measure(Person(platform, browser))])
            browser.close()
    finally:
        platform.stop()


def measure(person: Person) -> Iterator[Figure]:
    bureau = person.make("bureau", name="Parts")
    for item in person.items(bureau, person.model(500), CARDS):
        person.confirm(item)
    for uri in [person.client.model(ball(9)) for _ in range(MODELS)]:
        person.client.settled(uri)
    board = person.page_of(bureau)
    yield from pages(person, board)
    yield from refreshes(person, board)
    yield from tabs(person, bureau)
    yield from parts(person)
    yield from plate(person)
    yield from layers(person)


if __name__ == "__main__":
    main()
