"""Number series of documents: create and change them."""

from django.db import transaction

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.models.documents import DocumentSeries
from core.auth_user import Person
from core.errors import Conflict


class SeriesStarted(Conflict):
    """Documents have numbers of the series."""

    code = "series-started"


def create(*, actor: Person, bureau: Bureau, **values: object) -> DocumentSeries:
    """A series of a type that has none yet. Raises ResourceExists."""
    row: DocumentSeries = resources.create(
        actor=actor, kind=DocumentSeries, bureau=bureau, **values
    )
    return row


@transaction.atomic
def change(*, actor: Person, row: DocumentSeries, **values: object) -> None:
    """Change a series; its next number only before the first document, so that there are no gaps.

    Raises SeriesStarted.
    """
    row = DocumentSeries.objects.select_for_update().get(pk=row.pk)
    if values.get("next", row.next) != row.next and row.documents.exists():
        title = f"Documents are numbered by the series: its next number is {row.next} and stays."
        raise SeriesStarted(title, field="next")
    resources.change(actor=actor, row=row, **values)
