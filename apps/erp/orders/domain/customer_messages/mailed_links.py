"""The share link of an order that mails to its customer name.

Of a share link the hash of its token is stored, so that no copy of the database has usable links.
A mail that is sent again after a crash must name the same link as before, since the receiver may
drop the second copy. The token is therefore derived from the key of the row and the secret of the
installation, and stored nowhere.
"""

import base64
from operator import attrgetter

from django.utils import timezone
from django.utils.crypto import salted_hmac

from apps.erp.orders.models.orders import Order
from apps.erp.orders.models.share_links import ShareLink, hashed

TOKEN_BYTES = 16


def mailed_token(order: Order) -> str:
    """Return the token of the order's link for mails; the link is created if there is none.

    A link that was revoked, has expired, or has a token of another origin is left alone.
    """
    if token := current_token(order):
        return token
    link = ShareLink(order=order, bureau_id=order.bureau_id, creator_id=order.creator_id)
    token = _derived(link)
    link.token_sha256 = hashed(token)
    link.save(force_insert=True)
    return token


def current_token(order: Order) -> str:
    """Return the token of the order's link for mails; empty where there is no usable one."""
    now = timezone.now()
    for link in sorted(order.share_links.all(), key=attrgetter("pk")):
        token = _derived(link)
        is_usable = not link.revoked and (link.expires is None or link.expires > now)
        if is_usable and bytes(link.token_sha256 or b"") == hashed(token):
            return token
    return ""


def _derived(link: ShareLink) -> str:
    digest = salted_hmac("mailed share link", str(link.pk), algorithm="sha256").digest()
    return base64.urlsafe_b64encode(digest[:TOKEN_BYTES]).rstrip(b"=").decode()
