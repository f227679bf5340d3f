"""Create, change and preview the texts of a bureau's messages to its customers."""

from typing import Annotated, Literal, TypedDict

from django.utils import timezone

from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import MessageMoment
from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from apps.erp.orders.domain.customer_messages.message_texts import (
    DEFAULTS,
    LINK,
    OFF_BY_DEFAULT,
    PLACEHOLDERS,
    MessageText,
    one_line,
    render,
    unknown_placeholders,
)
from apps.erp.orders.domain.customer_messages.messages import day
from apps.erp.orders.domain.customer_pages import order_page
from apps.erp.orders.models.messages import MessageTemplate
from core.api.openapi.response_types import Uri
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError

SAMPLE = {
    "order": "1042",
    "customer": "Joost van Dijk",
    "tracking": "00340434161094042557",
    "amount": "30.94 EUR",
    "document": "INV-2026-0001",
    "remaining": "3",
}
# The link is a secret: subjects are shown where others can read them.
OF_SUBJECTS = tuple(name for name in PLACEHOLDERS if name != LINK)


class UnknownPlaceholder(ServiceError):
    """A name in braces has no value."""

    code = "unknown-placeholder"


class MessageTextEntry(TypedDict):
    """The text that a bureau sends at a moment in a language."""

    moment: Annotated[str, Literal[*MessageMoment.values]]
    language: Annotated[str, Literal[*Bureau.Language.values]]
    enabled: bool
    subject: str
    text: str
    is_default: bool
    template: Uri | None


def create(*, actor: Person, **values: str) -> MessageTemplate:
    """A text of a bureau. Raises InvalidFields for an unknown placeholder."""
    _require_placeholders(values)
    row: MessageTemplate = resources.create(actor=actor, kind=MessageTemplate, **values)
    return row


def change(*, actor: Person, row: MessageTemplate, **values: str) -> None:
    """Change a text or switch it off. Raises InvalidFields for an unknown placeholder."""
    _require_placeholders(values)
    resources.change(actor=actor, row=row, **values)


def texts_of(bureau: Bureau) -> list[MessageTextEntry]:
    """Return the texts of all moments and languages, the bureau's own or the defaults."""
    rows = MessageTemplate.objects.filter(bureau=bureau)
    own = {(row.moment, row.language): row for row in rows}
    return [
        _entry(moment, language, own.get((moment, language)))
        for moment in MessageMoment.values
        for language in DEFAULTS
    ]


def _entry(moment: str, language: str, row: MessageTemplate | None) -> MessageTextEntry:
    default = DEFAULTS[language][moment]
    return {
        "moment": moment,
        "language": language,
        "enabled": row.enabled if row else moment not in OFF_BY_DEFAULT,
        "subject": (row and row.subject) or default.subject,
        "text": (row and row.text) or default.text,
        "is_default": row is None or not (row.subject or row.text),
        "template": row.uri if row else None,
    }


def preview(
    *, bureau: Bureau, moment: str, language: str, subject: str = "", text: str = ""
) -> MessageText:
    """Return a text as a customer would read it, with sample values; empty: the default.

    Raises InvalidFields for an unknown placeholder.
    """
    _require_placeholders({"subject": subject, "text": text})
    default = DEFAULTS[language][moment]
    today = day(timezone.now(), language)
    values = {
        **SAMPLE,
        LINK: order_page(bureau.pk, "example"),
        "shop": one_line(bureau.name),
        "due_date": today,
        "valid_until": today,
    }
    return render(MessageText(subject or default.subject, text or default.text), values)


def _require_placeholders(values: dict[str, str]) -> None:
    faults: list[ServiceError] = []
    for field, allowed in (("subject", OF_SUBJECTS), ("text", PLACEHOLDERS)):
        if unknown := unknown_placeholders(values.get(field, ""), allowed):
            names = ", ".join(f"{{{name}}}" for name in allowed)
            title = f"{{{unknown[0]}}} is not a placeholder of a {field}; there are: {names}."
            faults.append(UnknownPlaceholder(title, field=field))
    if faults:
        raise InvalidFields(faults)
