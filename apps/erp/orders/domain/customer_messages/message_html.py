"""The HTML part of a mail: its text in the brand of the bureau, with a button for its link."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from django.conf import settings
from django.template.loader import render_to_string

from apps.erp.base.models.messages import Message
from apps.erp.orders.domain.customer_messages.message_texts import one_line
from core.uris import base_url, domain_url

DEFAULT_ACCENT = "#066fd1"
LABELS = {"en": "View the order", "de": "Bestellung ansehen"}


@dataclass(frozen=True)
class Paragraph:
    """Lines of a text without a blank one between, or the address of a button."""

    lines: tuple[str, ...]
    address: str = ""


def html_of(message: Message, text: str) -> str:
    """Return the HTML part of a mail with this text.

    A line that is an address of this platform becomes a button. Other addresses stay text: those
    that a shop, or a visitor, has typed are no links of ours.
    """
    bureau = message.bureau
    contact = (bureau.name, bureau.email, bureau.phone)
    context = {
        "subject": one_line(message.subject),
        "language": message.language,
        "shop": one_line(bureau.name),
        "contact": [one_line(part) for part in contact if part],
        "accent": bureau.accent or DEFAULT_ACCENT,  # white text on it is readable
        "paragraphs": list(_paragraphs(text)),
        "label": LABELS[message.language],
    }
    return render_to_string("mail/message.html", context)


def _paragraphs(text: str) -> Iterator[Paragraph]:
    sites = [base_url(""), *map(domain_url, settings.STOREFRONT_DOMAINS)]
    own = re.compile(rf"(?:{'|'.join(map(re.escape, sites))})/\S*")
    for block in re.split(r"\n\s*\n", text.strip()):
        lines: list[str] = []
        for line in block.splitlines():
            if own.fullmatch(line.strip()):
                if lines:
                    yield Paragraph(tuple(lines))
                yield Paragraph((), line.strip())
                lines = []
            else:
                lines.append(line)
        if lines:
            yield Paragraph(tuple(lines))
