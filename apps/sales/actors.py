"""Jobs: end visits whose time is over, mail sign-in links of customers."""

import hashlib
import secrets
from datetime import timedelta
from uuid import UUID

import dramatiq
from django.core.mail import send_mail
from django.db import transaction
from django.utils import timezone

from apps.erp import interface as erp
from apps.sales.domain.sign_in_mails import sign_in_mail
from apps.sales.models import CustomerAccount, CustomerLink, Visit
from apps.users import interface as users
from apps.warehouse import interface as warehouse
from core.web import throttling
from core.web.site_urls import store_site

DAY = 86400
LINK_BYTES = 16
LINK_VALID = timedelta(hours=24)
MAX_LINK_MAILS = 10  # to an address in a day


@dramatiq.actor(queue_name="default")
def end_visits() -> None:
    """End the visits that are over, each by a job of its own: one that fails stops no other."""
    CustomerLink.objects.filter(expires__lt=timezone.now()).delete()
    for guest in users.guests.expired_guests():
        end_visit.send(str(guest.pk))


@dramatiq.actor(queue_name="default")
def end_visit(guest: str) -> None:
    """Delete the models of a guest, then the visit and the account.

    As long as a model is in production all are there, and the next run tries again.
    """
    key = UUID(guest)
    with transaction.atomic():
        if warehouse.delete_models_of(key):
            Visit.objects.filter(guest=key).delete()
            CustomerAccount.objects.filter(user=key).delete()
            users.guests.end_guest(key)


@dramatiq.actor(queue_name="default", max_retries=5)
def mail_sign_in_link(slug: str, email: str, language: str) -> None:
    """Mail a sign-in link to a customer of the storefront's bureau; nothing to anybody else.

    The link names what the shop is called, and nothing that the request brought.
    """
    storefront = erp.find_storefront(slug)
    if storefront is None or not _is_customer(storefront.bureau.uri, email):
        return
    if (
        throttling.count(f"customer_link_mails {storefront.bureau_id} {email}", DAY)
        > MAX_LINK_MAILS
    ):
        return
    token = secrets.token_urlsafe(LINK_BYTES)
    CustomerLink.objects.create(
        storefront=slug,
        bureau=storefront.bureau.uri,
        email=email,
        token_sha256=hashlib.sha256(token.encode()).digest(),
        expires=timezone.now() + LINK_VALID,
    )
    shop = erp.customer_shop(storefront.bureau)
    link = f"{store_site(slug)}/s/{slug}/account/link/{token}/"
    subject, text = sign_in_mail(language or shop["language"] or "", shop=shop["name"], link=link)
    send_mail(subject, text, from_email=None, recipient_list=[email])


def _is_customer(bureau: str, email: str) -> bool:
    return CustomerAccount.objects.filter(
        bureau=bureau, email=email
    ).exists() or erp.customer_orders.is_customer(bureau=bureau, email=email)
