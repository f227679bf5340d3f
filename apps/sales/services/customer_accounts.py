"""Accounts of customers: sign in by a mailed link or a password, change, end."""

import hashlib
from datetime import timedelta
from typing import NamedTuple
from uuid import UUID

from django.db import IntegrityError, transaction
from django.utils import timezone

from apps.sales.actors import mail_sign_in_link
from apps.sales.models import CustomerAccount, CustomerLink
from apps.sales.services.visits import find_storefront
from apps.users import interface as users
from core.auth_user import Person
from core.errors import InvalidFields, NotFound, ServiceError
from core.request_context import request_context
from core.web import throttling

HOUR, QUARTER = 3600, 900
MAX_REQUESTS = 20  # for links, of a network in an hour
MAX_UNKNOWN = 60  # unknown tokens of a network in a quarter of an hour
SESSION = timedelta(days=30)
ACCOUNT = timedelta(days=3650)  # after the last sign-in
FRESH = timedelta(minutes=10)  # after a sign-in by a link a password can be set without the old one
NAMESPACES = ("sales",)


class UnknownSignInLink(NotFound):
    """No link has this token, or it was used or is over."""


class CustomerSession(NamedTuple):
    """A new session of a customer: an API token, whose secret is not stored."""

    account: CustomerAccount
    storefront: str
    token: UUID
    secret: str


def request_link(*, storefront: str, email: str, language: str = "") -> None:
    """Have a sign-in link mailed, if the address is that of a customer of the storefront's bureau.

    Whether it is, is looked up in a job: neither the answer nor its duration tells.

    Raises NotFound for an unknown storefront, and RateLimited.
    """
    shop = find_storefront(storefront)
    place = throttling.client_prefix(request_context().address)
    throttling.throttle(f"customer_links {place}", MAX_REQUESTS, HOUR)
    mail_sign_in_link.send(shop.slug, email.lower(), language)


def sign_in_by_link(*, token: str) -> CustomerSession:
    """Sign in by the token of a mailed link, which works once; the first time makes the account.

    Raises UnknownSignInLink, and RateLimited after many of these.
    """
    place = throttling.client_prefix(request_context().address)
    allowed = {f"customer_link_tokens {place}": MAX_UNKNOWN}
    digest = hashlib.sha256(token.encode()).digest()
    with throttling.limit_failures(allowed, QUARTER, of=UnknownSignInLink), transaction.atomic():
        now = timezone.now()
        usable = CustomerLink.objects.filter(token_sha256=digest, used=None, expires__gt=now)
        if not usable.update(used=now):
            raise UnknownSignInLink(
                "The link was used, has expired, or was never valid: ask for another one."
            )
        link = CustomerLink.objects.get(token_sha256=digest)
        account = _account_of(link)
        account.confirmed = now
        account.save(update_fields=["confirmed"])
        return _session(account, link.storefront)


def _account_of(link: CustomerLink) -> CustomerAccount:
    """The account of the link's address, which is created the first time."""
    accounts = CustomerAccount.objects.filter(bureau=link.bureau, email=link.email)
    if account := accounts.first():
        return account
    now = timezone.now()
    shop = find_storefront(link.storefront)
    try:
        with transaction.atomic():
            guest = users.guests.create_account(share=shop.pk, until=now + ACCOUNT)
            return CustomerAccount.objects.create(
                user=guest, bureau=link.bureau, email=link.email, confirmed=now
            )
    except IntegrityError:  # another link of the same address, at the same moment
        return accounts.get()


def sign_in(*, storefront: str, email: str, password: str) -> CustomerSession:
    """Sign in by e-mail address and password.

    Raises NotFound for an unknown storefront, WrongPassword, and RateLimited after many of these.
    """
    shop = find_storefront(storefront)
    accounts = CustomerAccount.objects.filter(bureau=shop.bureau.uri, email=email.lower())
    encoded = accounts.values_list("password", flat=True).first() or ""
    _require_password(shop.bureau.uri, email, encoded, password)
    with transaction.atomic():
        return _session(accounts.get(), shop.slug)


def _require_password(bureau: str, email: str, encoded: str, password: str) -> None:
    name = hashlib.sha256(f"{bureau} {email.lower()}".encode()).hexdigest()[:32]
    users.customer_passwords.require_match(
        password=password, encoded=encoded, account=name, address=request_context().address
    )


def _session(account: CustomerAccount, storefront: str) -> CustomerSession:
    now = timezone.now()
    users.guests.prolong_guest(account.user_id, now + ACCOUNT)
    guest = users.guests.sign_in(
        account.user_id, name="customer", expires=now + SESSION, namespaces=NAMESPACES
    )
    return CustomerSession(account, storefront, guest.token, guest.secret)


def sign_out(row: CustomerAccount) -> None:
    """End the session of the running request."""
    users.guests.end_token(row.user_id, request_context().token)


def change(
    *,
    actor: Person,
    row: CustomerAccount,
    password: str = "",
    current_password: str = "",
    **values: object,
) -> None:
    """Change what was sent; a new password ends all other sessions.

    Raises InvalidFields for a weak password and where the present one is missing, WrongPassword.
    """
    encoded = row.password
    if password:
        if row.password and row.confirmed < timezone.now() - FRESH:
            if not current_password:
                title = "To change the password, send current_password, or sign in by a link."
                raise InvalidFields(
                    [ServiceError(title, code="missing-parameter", field="current_password")]
                )
            _require_password(row.bureau, row.email, row.password, current_password)
        encoded = users.customer_passwords.hashed(password, name=row.name, email=row.email)
    with transaction.atomic():
        for name, value in values.items():
            setattr(row, name, value)
        row.password = encoded
        row.save(update_fields=[*values, "password"])
        if password:
            users.guests.end_tokens(row.user_id, but=request_context().token)


@transaction.atomic
def delete(*, actor: Person, row: CustomerAccount) -> None:
    """End an account and its sessions; the orders stay with the shop."""
    user = row.user_id
    row.delete()
    users.guests.end_guest(user)
