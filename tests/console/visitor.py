"""A browser as the server sees it, and what it does on the console's pages."""

import re
from uuid import uuid4

from django.test import Client

HTML = "text/html,application/xhtml+xml"
PASSWORD = "correct horse battery"
# A value that is not there, printed by a template or a script.
MISSING = re.compile(r"(?<![\w-])(None|null|undefined|NaN)(?![\w-])")


class Browser(Client):
    """What a browser says of itself, and of its forms."""

    def __init__(self, host: str = "platform.test"):
        super().__init__(SERVER_NAME=host, headers={"accept": HTML})
        self.host = host

    def send(self, path: str, origin: str | None = "", **fields: str):
        """A form of the page's own origin, of a page of `origin`, or of no page (None)."""
        origin = f"http://{self.host}" if origin == "" else origin
        return self.post(path, fields, headers={"origin": origin} if origin else {})


def drop(browser: Browser, name: str = "part", **fields: str):
    return browser.send("/model/", **{"name": name, "type": "stl", "key": str(uuid4()), **fields})


def text_of(answer) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", answer.content.decode()))


def main_of(answer) -> str:
    """The text of a page without navigation and without its list of API requests."""
    (main,) = re.findall(r"<main.*?</main>", answer.content.decode(), re.DOTALL)
    main = re.sub(r'<details class="requests.*?</details>', "", main, flags=re.DOTALL)
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", main))


def set_up(browser: Browser, name: str = "Parts & Sons") -> str:
    """A shop with a printer that is in no catalogue; the path of its page."""
    said = {"name": name, "currency": "EUR", "material": "PLA", "filament": "PLA", "cost": "0.03"}
    made = browser.send("/bureau/", **said, preset="", hour="2", key=str(uuid4()))
    assert made.status_code == 303, text_of(made)
    return made["Location"].partition("?")[0]


def choices(page, name: str) -> dict[str, str]:
    """What a page lets choose from: value by word."""
    shown = page.content.decode()
    (options,) = re.findall(rf'<select name="{name}".*?</select>', shown, re.DOTALL)
    return {word: value for value, word in re.findall(r'value="([^"]*)"[^>]*>([^<]+)<', options)}


def order(browser: Browser, model: str, number: int = 3, **fields: str):
    """An order of so many of one model, by the page that offers it."""
    address = f"/order/new/?model={model.split('/')[2]}"
    form = browser.get(address)
    ways = {"material": choices(form, "material")["PLA"]}
    ways["workflow"] = choices(form, "workflow")["Print"]
    said = {"name": "Nr. 1", f"n-{model.split('/')[2]}": str(number), "key": str(uuid4()), **ways}
    return browser.send(address, **{**said, **fields})


def confirmed_order(browser: Browser, upload, work) -> str:
    """The page of an order of three cubes that wait to be printed; a shop is there."""
    model = drop(browser, "cube")["Location"]
    upload(model)
    work()
    path = order(browser, model)["Location"].partition("?")[0]
    work()
    assert browser.send(path, action="confirm").status_code == 303
    return path


def pack(browser, shop, **fields):
    """A run of all that waits, by the form that the board shows."""
    page = browser.get(shop)
    shown = page.content.decode()
    said = {
        "pieces": re.search(r'name="pieces" value="([^"]+)"', shown)[1],
        "key": re.search(r'name="key" value="([^"]+)"', shown)[1],
        "name": re.search(r'name="name" value="([^"]+)"', shown)[1],
        "printer": choices(page, "printer")["Printer 1"],
        "budget": "quick",
    }
    return browser.send(shop, **{**said, **fields})


def sell(browser: Browser, shop: str, **fields: str):
    """A first list of prices, by the shop's page of them."""
    said = {"cc": "0.4", "hour": "3.9", "line": "5", "order": "5.9", "country": "de", "rate": "19"}
    return browser.send(f"{shop}prices/", **{**said, "key": str(uuid4()), **fields})


def ask(browser: Browser, part: str, **fields: str):
    """A table of all materials that the form offers, of 1 and of 10."""
    page = browser.get(f"{part}prices/").content.decode()
    materials = re.findall(r'name="materials" value="([^"]+)"', page)
    said = {"materials": materials, "quantities": "1, 10"}
    return browser.send(f"{part}prices/", **{**said, **fields})
