"""Job: make the PDF of a document."""

from pathlib import Path

import font_roboto
from django.db import transaction

from apps.erp.base.domain.events import emit_status
from apps.erp.orders.domain.documents.document_page import logo_of, page_of
from apps.erp.orders.models.documents import Document
from core.errors import ErrorEntry
from core.files import blobs
from core.queue.row_jobs import row_job
from core.sandbox.sandbox import ResourceLimits, Sandbox

MAX_SECONDS, MAX_MEMORY, MAX_FILE = 60, 1024**3, 64 * 1024**2
COST = 0.5  # s
JOBS = "apps.erp.orders.jobs.document_pdf"
PDF = "document.pdf"
FONTS = Path(font_roboto.__file__).parent / "files"
WEIGHTS = {"regular": FONTS / "Roboto-Regular.ttf", "medium": FONTS / "Roboto-Medium.ttf"}

_Status = Document.Status
_drawing = Sandbox(
    JOBS, limits=ResourceLimits(seconds=MAX_SECONDS, memory=MAX_MEMORY, file_size=MAX_FILE)
)


@transaction.atomic
def _fail(document: Document, errors: list[ErrorEntry]) -> None:
    document.move(_Status.ERROR, errors=errors)
    emit_status(document)


@row_job(
    "extras",
    of=Document,
    begun_in=[_Status.PROCESSING],
    fail=_fail,
    related=("bureau", "order"),
)
def make_document(document: Document) -> None:
    """Make the PDF of what was issued: processing -> processed, or -> error."""
    sha256, size = draw(document)
    with transaction.atomic():
        content = blobs.create_row(sha256, size)
        document.move(_Status.PROCESSED, content_id=content, errors=None)
        emit_status(document)


def draw(document: Document) -> tuple[str, int]:
    """Draw a document and store the file: (sha256, bytes). Equal data gives equal bytes."""
    logo, accent = logo_of(document.bureau_id), document.bureau.accent
    return draw_page(page_of(document.data, logo=logo, accent=accent), document.pk.hex)


def draw_page(page: str, identifier: str) -> tuple[str, int]:
    """Draw a page as PDF and store the file: (sha256, bytes).

    identifier : of the PDF, hexadecimal
    """
    with blobs.scratch_dir() as folder:
        _drawing.run(
            f"{JOBS}:draw_document",
            folder=folder,
            html=page,
            fonts=WEIGHTS,
            output=folder / PDF,
            identifier=identifier,
        )
        return blobs.store_file(folder / PDF)
