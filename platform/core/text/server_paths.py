"""Absolute paths of this machine in texts of other programs."""

import re

_NAME = r"[^\s/'\"`<>|:;,()]+"
# Not what follows a letter, a dot or another slash: parts of URLs, fractions, relative paths. One
# folder alone, as /model/, may be a path of the API.
_ABSOLUTE = re.compile(rf"(?<![\w./~-])/(?!{_NAME}/(?!{_NAME}))(?:{_NAME}/)+({_NAME})?")


def without_folders(text: str) -> str:
    """Return a text in which absolute paths are cut to the names of their files.

    Users need only the file; the folders of a server are its administrator's matter.
    """
    return _ABSOLUTE.sub(lambda match: match[1] or "…", text)
