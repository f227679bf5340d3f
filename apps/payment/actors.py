"""Jobs: issue invoices, collect, set up payment methods."""

from typing import Any

import dramatiq
from django.db import transaction
from django.utils import timezone

from apps.callbacks import interface as callbacks
from apps.payment.domain.providers import collectors
from apps.payment.methods import Outcome, Unpayable
from apps.payment.models import Invoice, InvoiceEvent, Payment, PaymentMethod
from core.auth_user import Person
from core.errors import ErrorEntry, error_entry
from core.queue.row_jobs import row_job
from core.state_machine import IllegalTransition

# ---------------------------------------------------------------- months


@dramatiq.actor(queue_name="default", max_retries=0)
def settle_invoices() -> None:
    """Issue the invoices of past months and set unpaid ones past their due date to overdue.

    Each invoice is a transaction of its own and is skipped once it is done, so a run that is killed
    and repeated gives the same invoices.
    """
    now = timezone.now()
    this_month = now.date().replace(day=1)
    for invoice in Invoice.objects.filter(issued=None, month__lt=this_month).order_by("uuid"):
        _issue(invoice)
    late = Invoice.objects.filter(status=Invoice.Status.UNPAID, due__lt=now).exclude(issued=None)
    for invoice in late.order_by("uuid"):
        _tell_overdue(invoice)


@transaction.atomic
def _issue(invoice: Invoice) -> None:
    locked = Invoice.objects.select_for_update().filter(pk=invoice.pk, issued=None).first()
    if locked is None:
        return
    locked.issued = timezone.now()
    locked.save(update_fields=["issued", "updated"])
    note(locked, InvoiceEvent.Action.ISSUED)
    if locked.cost == 0:
        settle(locked, Payment.objects.create(invoice=locked, type=PaymentMethod.Type.MANUAL))
    elif locked.cost > 0:
        collect_invoice.send(str(locked.pk))


@transaction.atomic
def _tell_overdue(invoice: Invoice) -> None:
    if invoice.cost <= 0:
        return  # nothing is owed by the user
    try:
        invoice.move(Invoice.Status.OVERDUE)
    except IllegalTransition:
        return  # paid at this very moment
    callbacks.emit_status(invoice)
    note(invoice, InvoiceEvent.Action.OVERDUE)


def note(invoice: Invoice, action: str, *, actor: Person | None = None, words: str = "") -> None:
    """Keep what was done to an invoice."""
    InvoiceEvent.objects.create(
        invoice=invoice, action=action, cost=invoice.cost, actor=actor, note=words[:500]
    )


# ---------------------------------------------------------------- collecting


def _end_attempt(invoice: Invoice, errors: list[ErrorEntry]) -> None:
    """The provider could not be reached, again and again: the attempt ends, the invoice stays."""
    payment = Payment.objects.filter(invoice=invoice, status=Payment.Status.STARTED).first()
    if payment is not None:
        close_payment(payment, Outcome("failed", error="The provider could not be reached."))


@row_job(
    "default",
    of=Invoice,
    begun_in=[Invoice.Status.UNPAID, Invoice.Status.OVERDUE],
    where={"issued__isnull": False},
    fail=_end_attempt,
)
def collect_invoice(found: Invoice) -> None:
    """Have an issued invoice paid by a method that collects by itself: unpaid -> paid."""
    known = collectors()
    types = [type for type, collector in known.items() if collector.automatic]
    method = PaymentMethod.objects.usable(found.owner_id).filter(type__in=types).first()
    if method is None:
        return  # an operator will say when it is paid

    # An attempt that a crash left behind is made again: the provider knows it by its key.
    payment, _ = Payment.objects.get_or_create(
        invoice=found, status=Payment.Status.STARTED, defaults={"type": method.type}
    )
    outcome = known[method.type].collect(
        key=str(payment.pk),
        customer=method.customer,
        reference=method.reference,
        amount=found.cost,
        currency=found.currency,
    )
    close_payment(payment, outcome)


@transaction.atomic
def close_payment(payment: Payment, outcome: Outcome) -> None:
    """Record the provider's result of a payment attempt; idempotent."""
    invoice = Invoice.objects.select_for_update().get(pk=payment.invoice_id)
    row = Payment.objects.select_for_update().get(pk=payment.pk)
    if outcome.reference and not row.reference:
        row.reference = outcome.reference
        row.save(update_fields=["reference", "updated"])
    if outcome.status == "failed" and row.status == Payment.Status.STARTED:
        row.move(Payment.Status.FAILED, error=outcome.error[:500])
        note(invoice, InvoiceEvent.Action.PAYMENT_FAILED, words=outcome.error)
    elif outcome.status == "succeeded" and row.status != Payment.Status.SUCCEEDED:
        if invoice.status == Invoice.Status.PAID:
            words = f"Paid a second time: give {row.reference} back."
            note(invoice, InvoiceEvent.Action.PAID_AGAIN, words=words)
        else:
            settle(invoice, row)


def settle(invoice: Invoice, payment: Payment, *, actor: Person | None = None) -> None:
    """The payment is there: the invoice is paid. In the caller's transaction."""
    payment.move(Payment.Status.SUCCEEDED)
    invoice.move(Invoice.Status.PAID, payment_uuid=payment.pk)
    callbacks.emit_status(invoice)
    note(invoice, InvoiceEvent.Action.PAID, actor=actor, words=payment.type)


# ---------------------------------------------------------------- methods


def _give_up(method: PaymentMethod, errors: list[ErrorEntry]) -> None:
    title = "The provider could not be reached: delete this method, and make another later."
    _refuse(method, title)


@row_job(
    "default",
    of=PaymentMethod,
    begun_in=[PaymentMethod.Status.PENDING],
    where={"deleted": None, "setup_url": ""},
    related=("owner",),
    fail=_give_up,
)
def set_up_method(method: PaymentMethod) -> None:
    """Ask the provider for the page on which the user sets a method up: pending."""
    owner: Any = method.owner
    try:
        setup = collectors()[method.type].set_up(
            key=str(method.pk), email=owner.email, name=owner.name
        )
    except (Unpayable, KeyError) as error:
        _refuse(method, f"The provider refuses: {error}. Delete this method and make another.")
        return
    method.customer, method.setup_url = setup.customer, setup.url
    method.save(update_fields=["customer", "setup_url", "updated"])


def _refuse(method: PaymentMethod, title: str) -> None:
    method.move(PaymentMethod.Status.ERROR, errors=[error_entry("payment-provider", title)])
