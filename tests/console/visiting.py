"""A browser as the server sees it, and what it does on the console's pages."""

import re
from uuid import uuid4

from django.test import Client

HTML = "text/html,application/xhtml+xml"
PASSWORD = "correct horse battery"


class Browser(Client):
    """What a browser says of itself, and of its forms."""

    def __init__(self):
        super().__init__(SERVER_NAME="platform.test", headers={"accept": HTML})

    def send(self, path: str, origin: str | None = "http://platform.test", **fields: str):
        """A form of ours, or of a page of `origin`."""
        return self.post(path, fields, headers={"origin": origin} if origin else {})


def drop(browser: Browser, name: str = "part", **fields: str):
    return browser.send("/model/", **{"name": name, "type": "stl", "key": str(uuid4()), **fields})


def words(answer) -> str:
    return re.sub(r"\s+", " ", re.sub("<[^>]+>", " ", answer.content.decode()))
