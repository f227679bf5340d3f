"""A crawler of the console: follows each link and each form that is sent by GET."""

from __future__ import annotations

import re
from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from tests.console.visitor import MISSING

ORIGIN = "http://platform.test"
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
# Sentences that Django and its forms have of their own, which no page of ours shows.
FRAMEWORK = re.compile(
    r"This field is required|Select a valid choice|Enter a valid |Traceback|DoesNotExist|"
    r"is not one of the available choices|CSRF verification|Page not found \(404\)|<[a-z_.]+ object"
)
VOID = {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "use"}
# Text in these is data or code.
CODE = {"code", "pre", "script", "style", "kbd", "bdi", "textarea"}
MAX_ALIKE = 2  # pages of one kind with the same arguments
# Lists of resources that are sorted, filtered or have other columns: one template for all kinds.
LISTS = re.compile(r"/[a-z-]+/\?(?!0$)")
MAX_LISTS = 4  # lists with the same argument
# Pages that show what a program reads, where `null` is a word.
REFERENCE = ("/docs/", "/client/")


@dataclass
class Element:
    """An open element, with the text below it; `name` of attributes that name it."""

    tag: str
    attributes: dict[str, str | None]
    text: str = ""


@dataclass
class PageParser(HTMLParser):
    """Links, forms, headings and texts of a page."""

    links: list[str] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    stack: list[Element] = field(default_factory=list)
    form: dict[str, str] | None = None
    action: str = ""
    select: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        values = dict(attributes)
        if tag == "a" and values.get("href"):
            self.links.append(str(values["href"]))
        if tag == "form" and str(values.get("method") or "get").lower() == "get":
            self.form, self.action = {}, values.get("action") or ""
        if self.form is not None:
            self._field(tag, values)
        if tag == "img" and self.stack and values.get("alt"):
            self._write(str(values["alt"]))
        if tag not in VOID:
            self.stack.append(Element(tag, values))

    def _field(self, tag: str, values: dict[str, str | None]) -> None:
        assert self.form is not None
        name = values.get("name") or ""
        if tag == "select":
            self.select = name
            self.form[name] = ""
        elif tag == "option" and self.select and "selected" in values:
            self.form[self.select] = values.get("value") or ""
        elif tag == "input" and name:
            checkable = values.get("type") in ("checkbox", "radio")
            if not checkable or "checked" in values:
                self.form[name] = values.get("value") or ""

    def handle_endtag(self, tag: str) -> None:
        if tag == "form" and self.form is not None:
            sent = {name: value for name, value in self.form.items() if name}
            self.links.append(f"{self.action}?{urlencode(sent)}")
            self.form = None
        if not any(each.tag == tag for each in self.stack):
            return
        while self.stack:
            element = self.stack.pop()
            self._close(element)
            if element.tag == tag:
                return

    def _close(self, element: Element) -> None:
        text = element.text.strip()
        name = text or element.attributes.get("aria-label") or element.attributes.get("title")
        if element.attributes.get("aria-hidden") == "true":
            return
        if re.fullmatch("h[1-6]|button|a|summary|legend|label|th", element.tag):
            if not name and (element.tag != "th" or element.attributes.get("scope") == "row"):
                self.faults.append(f"empty <{element.tag}> {element.attributes}")
            elif UUID.search(str(name)):
                self.faults.append(f"identifier as text of <{element.tag}>: {name}")

    def handle_data(self, data: str) -> None:
        if text := data.strip():
            self._write(data)
            if not any(each.tag in CODE or "lang" in each.attributes for each in self.stack[1:]):
                self.texts.append(re.sub(r"\s+", " ", text))

    def _write(self, text: str) -> None:
        for element in self.stack:
            element.text += text


@dataclass
class Crawl:
    """What a crawl of a browser has seen: faults with their addresses, texts, visited pages."""

    faults: list[str] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    pages: list[str] = field(default_factory=list)


def crawl(browser, *starts: str, alike: int = MAX_ALIKE, **headers: str) -> Crawl:
    """Visit what can be reached from these paths: at most `alike` pages of a kind."""
    result = Crawl()
    queue, seen = deque((start, "the start") for start in starts), set(starts)
    visits: Counter[str] = Counter()
    while queue:
        path, source = queue.popleft()
        page = browser.get(path, headers=headers)
        if page.status_code >= 400:
            result.faults.append(f"{page.status_code} {path} from {source}")
            continue
        if page.status_code in (301, 302, 303, 307, 308):
            targets = [page["Location"]]
        elif not page["Content-Type"].startswith("text/html"):
            continue
        else:
            targets = _read(page, path, result)
        for target in _own(targets, path):
            kind = _kind(target)
            limit = MAX_LISTS if LISTS.match(kind) else alike
            kind = LISTS.sub("/*/?", kind)
            if target not in seen and visits[kind] < limit:
                seen.add(target)
                visits[kind] += 1
                queue.append((target, path))
    return result


def _read(page, path: str, result: Crawl) -> list[str]:
    parser = PageParser()
    content = page.content.decode()
    requests = r'<details class="requests.*?</details>'  # the API's addresses
    parser.feed(re.sub(requests, "", content, flags=re.DOTALL))
    result.pages.append(path)
    result.faults += [f"{path}: {fault}" for fault in parser.faults]
    if not path.startswith(REFERENCE):  # its attributes, too
        result.faults += [f"{path}: a missing value: {each}" for each in MISSING.findall(content)]
    for text in parser.texts:
        result.texts.setdefault(text, path)
        if MISSING.search(text) or FRAMEWORK.search(text):
            result.faults.append(f"{path}: {text}")
    return parser.links


def _own(targets: list[str], path: str) -> Iterator[str]:
    """The addresses on the console, without fragments."""
    for target in targets:
        parts = urlsplit(urljoin(ORIGIN + path, target))
        if f"{parts.scheme}://{parts.netloc}" == ORIGIN and not parts.path.startswith("/static/"):
            yield parts.path + (f"?{parts.query}" if parts.query else "")


def _kind(path: str) -> str:
    """What addresses have in common that differ in keys and values alone.

    Of a list with several arguments, such as filter and order, any two are as good as another two.
    """
    parts = urlsplit(path)
    names = [name for name, _value in parse_qsl(parts.query, keep_blank_values=True)]
    arguments = names[0] if len(names) == 1 else str(min(len(names), 2))
    return f"{UUID.sub('*', parts.path)}?{arguments}"
