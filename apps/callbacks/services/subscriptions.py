"""Subscriptions: who is told of changes."""

from uuid import UUID

from django.db import transaction

from apps.callbacks.models import Subscription
from apps.callbacks.models.origin import key_of_origin
from core.errors import ServiceError
from core.http import ForbiddenUrl, check_url, origin_of


class InvalidCallback(ServiceError):
    """A callback whose URL could never be requested."""


@transaction.atomic(savepoint=False)
def subscribe(*, uri: str, url: str, method: str, owner_id: UUID) -> None:
    """Request `url` with `method` (GET, POST or PUT) whenever the resource `uri` changes.

    Raises InvalidCallback if the URL is none that we request.
    """
    try:
        check_url(url)
        name = origin_of(url)
    except ForbiddenUrl as error:
        raise InvalidCallback(str(error), field="callback.url") from error
    Subscription.objects.create(
        owner_id=owner_id, uri=uri, url=url, method=method, origin_id=key_of_origin(name)
    )
