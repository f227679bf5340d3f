"""Tables that a command writes into a page of the documentation."""

from pathlib import Path


def put(page: Path, command: str, text: str) -> None:
    """Write `text` where the page has the place of a command's table."""
    begin = f"<!-- {command}: from here, written by the command -->"
    end = f"<!-- {command}: to here -->"
    before, rest = page.read_text().split(begin, 1)
    _, after = rest.split(end, 1)
    page.write_text(f"{before}{begin}\n{text}\n{end}{after}")
