"""InputError: why a kernel rejects its input, with code, title and details."""

from typing import Any


class InputError(Exception):  # noqa: N818  an answer to the user, not an error of ours
    """An outcome that a person can act on: never our fault, and never worth another try.

    code    : kebab-case, for programs
    title   : a sentence for people: what, where, why, and what would mend it
    details : the figures behind the sentence; JSON values only
    """

    def __init__(self, code: str, title: str, details: dict[str, Any] | None = None):
        super().__init__(code, title, details)
        self.code = code
        self.title = title
        self.details = details or {}

    def __str__(self) -> str:
        return self.title
