"""HTTP digest authentication of slicers: user name is the key's UUID, password its secret."""

from http import HTTPStatus
from urllib.parse import unquote
from uuid import UUID

from apps.erp.printing.models.slicer_uploads import SlicerKey
from apps.erp.printing.services.slicer_uploads import (
    FAILURES,
    FAILURES_IN,
    Sender,
    UnknownSlicerKey,
    require_valid,
    sender_with,
)
from core.errors import ServiceError
from core.web import http_digest, throttling
from core.web.http_digest import DigestCredentials


class StaleNonce(ServiceError):
    """The credentials are right, and their nonce has expired or was used: a client repeats them."""

    status = HTTPStatus.UNAUTHORIZED
    code = "invalid-credentials"
    is_stale = True


def sender_of_digest(
    credentials: DigestCredentials, *, realm: str, method: str, target: str, network: str
) -> Sender:
    """The sender with these credentials. Raises UnknownSlicerKey, StaleNonce, RateLimited.

    target  : path and query of the request, decoded
    network : the prefix of the client's address, whose failures are counted
    """
    limits = {f"slicer_keys {network}": FAILURES}
    with throttling.limit_failures(limits, FAILURES_IN, of=UnknownSlicerKey):
        row = require_valid(_key_of(credentials, realm=realm, method=method, target=target))
    if not http_digest.use_nonce(credentials):
        raise StaleNonce("The login of this request has expired or was used: send it again.")
    return sender_with(row)


def _key_of(
    credentials: DigestCredentials, *, realm: str, method: str, target: str
) -> SlicerKey | None:
    try:
        uuid = UUID(credentials.user)
    except ValueError:
        return None
    row = SlicerKey.objects.select_related("creator", "bureau").filter(pk=uuid).first()
    password = row.password if row else ""
    is_right = http_digest.is_right(credentials, method=method, password=password)
    is_ours = credentials.realm == realm and http_digest.is_ours(credentials.nonce)
    is_of_request = unquote(credentials.target) == target
    return row if password and is_right and is_ours and is_of_request else None
