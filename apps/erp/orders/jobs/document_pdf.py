"""Sandboxed drawing of documents: HTML to PDF by WeasyPrint."""

import os
import resource
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypedDict

from weasyprint import HTML
from weasyprint.text.fonts import FontConfiguration
from weasyprint.urls import URLFetcher, URLFetcherResponse

# The fonts of the machine play no part: the same document looks the same everywhere.
FONTCONFIG = "<fontconfig><cachedir>{folder}</cachedir></fontconfig>"


class DrawnDocument(TypedDict):
    """What was drawn: pages, CPU time in s and the largest resident memory in bytes."""

    pages: int
    cpu: float
    memory: int


def local_fetcher(fonts: Mapping[str, str]) -> Callable[[str], URLFetcherResponse]:
    """Return what fetches pictures inside the document and the fonts of the job, nothing else.

    fonts : name -> path of a TrueType file, which is at `font:<name>`
    """
    embedded = URLFetcher(allowed_protocols=("data",), allow_redirects=False)

    def fetch(url: str) -> URLFetcherResponse:
        name = url.removeprefix("font:")
        if name in fonts:
            content = Path(fonts[name]).read_bytes()
            return URLFetcherResponse(url, content, {"Content-Type": "font/ttf"})
        return embedded.fetch(url)

    return fetch


def draw_document(
    html: str, fonts: Mapping[str, str], output: str, identifier: str
) -> DrawnDocument:
    """Write the PDF of a page to `output`; the same page and fonts give the same bytes.

    html       : may refer to `data:` and to `font:<name>`; nothing else is fetched
    fonts      : name -> path of a TrueType file
    identifier : of the PDF, hexadecimal
    """
    folder = Path(output).parent  # the only one that can be written
    tempfile.tempdir = str(folder)
    configuration = folder / "fonts.conf"
    configuration.write_text(FONTCONFIG.format(folder=folder))
    os.putenv("FONTCONFIG_FILE", str(configuration))
    page = HTML(string=html, url_fetcher=local_fetcher(fonts))
    document = page.render(font_config=FontConfiguration())
    document.write_pdf(output, pdf_identifier=identifier.encode())
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "pages": len(document.pages),
        "cpu": used.ru_utime + used.ru_stime,
        "memory": used.ru_maxrss * 1024,
    }
