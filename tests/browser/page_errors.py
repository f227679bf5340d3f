"""What a browser finds wrong with the pages that it shows."""

from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request, Response, WebError


@contextmanager
def watch(context: BrowserContext, domain: str) -> Iterator[list[str]]:
    """A list that fills with the faults of all pages of a context.

    They are errors of the console (reports of the content security policy are among them) and of
    scripts, answers of 500 and more, and requests to another domain than `domain`.
    """
    faults: list[str] = []

    def on_console(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            faults.append(f"console: {message.text} at {message.location['url']}")

    def on_error(error: WebError) -> None:
        faults.append(f"script: {error.error}")

    def on_response(response: Response) -> None:
        if response.status >= 500:
            faults.append(f"{response.status}: {response.url}")

    def on_request(request: Request) -> None:
        parts = urlsplit(request.url)
        host = parts.hostname or ""
        if parts.scheme != "data" and host != domain and not host.endswith(f".{domain}"):
            faults.append(f"request to a stranger: {request.url}")

    context.on("console", on_console)
    context.on("weberror", on_error)
    context.on("response", on_response)
    context.on("request", on_request)
    yield faults
