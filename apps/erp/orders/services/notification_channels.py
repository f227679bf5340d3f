"""Create, change and test the notification channels of a bureau."""

from django.db import transaction

from apps.erp.base.domain import channel_messages
from apps.erp.base.models.bureaus import Bureau
from apps.erp.base.models.messages import Message, NotificationChannel
from apps.erp.base.services import resources
from apps.erp.base.services.resources import delete as delete
from core.auth_user import Person
from core.errors import ServiceError
from core.outbound import chat_services
from core.outbound.stored_secrets import encrypted
from core.outbound.url_policy import ForbiddenUrl
from core.postgres import advisory_locks
from core.web import throttling

MAX_CHANNELS = 20  # of a bureau
MAX_TESTS, HOUR = 30, 3600  # of a channel


class TooManyChannels(ServiceError):
    """The bureau has as many channels as it may."""

    code = "limit-exceeded"


@transaction.atomic
def create(*, actor: Person, bureau: Bureau, url: str, **values: object) -> NotificationChannel:
    """A channel of a bureau. Raises ServiceError for an address that is not allowed."""
    advisory_locks.advisory_lock(f"channels of {bureau.pk}")
    if NotificationChannel.objects.filter(bureau=bureau).count() >= MAX_CHANNELS:
        raise TooManyChannels(f"The bureau has {MAX_CHANNELS} channels: delete one.")
    row: NotificationChannel = resources.create(
        actor=actor, kind=NotificationChannel, bureau=bureau, **_stored(bureau, url), **values
    )
    return row


@transaction.atomic
def change(
    *, actor: Person, row: NotificationChannel, url: str | None = None, **values: object
) -> None:
    """Change what is named; an address that is not named stays. Raises ServiceError."""
    if url is not None:
        stored = _stored(row.bureau, url)
        NotificationChannel.objects.filter(pk=row.pk).update(error="", **stored)
    resources.change(actor=actor, row=row, **values)


def send_test(*, actor: Person, row: NotificationChannel) -> Message:
    """Send a test message to a channel, also where it is switched off. Raises RateLimited."""
    throttling.throttle(f"channel_tests {row.pk}", MAX_TESTS, HOUR)
    with transaction.atomic():
        return channel_messages.write_test(row, creator=actor)


def _stored(bureau: Bureau, url: str) -> dict[str, bytes | str]:
    """The columns of an address."""
    try:
        masked = chat_services.masked(url)
    except ForbiddenUrl as error:
        raise ServiceError(str(error), code="not-allowed", field="url") from error
    name = f"{NotificationChannel.KIND} {bureau.pk}"
    return {"url": encrypted(url, row=name), "masked_url": masked}
