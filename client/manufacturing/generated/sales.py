"""Sales: types and methods, made by bin/generate-client."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NotRequired, Required, TypedDict, Unpack

from manufacturing.service import Filter, JsonObject, LocalFile, Methods, Progress, Ref

if TYPE_CHECKING:
    from collections.abc import Iterator

CustomerAccountsFilters = TypedDict("CustomerAccountsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "email": Filter, "uri": Filter,
    "sort": str, "limit": int,
}, total=False)
Address = TypedDict("Address", {"street": str, "postcode": str, "city": str, "country": str})
CompanyMembership = TypedDict("CompanyMembership", {"name": str, "role": str})
CustomerAccount = TypedDict("CustomerAccount", {
    "uri": str, "created": str, "bureau": str, "email": str, "name": str | None,
    "company": str | None, "vat_number": str | None, "billing_address": Address | None,
    "delivery_address": Address | None, "has_password": bool,
    "membership": CompanyMembership | None,
})
CustomerSignInByLinkRequest = TypedDict("CustomerSignInByLinkRequest", {"token": str})
CustomerSession = TypedDict("CustomerSession", {
    "account": CustomerAccount, "storefront": str, "token": str, "secret": str,
})
CustomerSignInLinkRequest = TypedDict("CustomerSignInLinkRequest", {
    "storefront": str, "email": str, "language": NotRequired[Literal["en", "de"]],
})
Mailed = TypedDict("Mailed", {"title": str})
CustomerSignInRequest = TypedDict("CustomerSignInRequest", {
    "storefront": str, "email": str, "password": str,
})
AddressRequest = TypedDict("AddressRequest", {
    "street": str, "postcode": str, "city": str, "country": str,
})
CustomerAccountChange = TypedDict("CustomerAccountChange", {
    "name": str | None, "company": str | None, "vat_number": str | None,
    "billing_address": AddressRequest | None, "delivery_address": AddressRequest | None,
    "password": str, "current_password": str,
}, total=False)
CustomerApproval = TypedDict("CustomerApproval", {
    "uuid": str, "number": int, "person": str, "amount": float | None, "currency": str,
    "created": str, "link": str | None,
})
CustomerApprovals = TypedDict("CustomerApprovals", {"approvals": list[CustomerApproval]})
ApprovalDecisionRequest = TypedDict("ApprovalDecisionRequest", {
    "decision": Required[Literal["approved", "declined"]], "note": str | None,
}, total=False)
OrderTotals = TypedDict("OrderTotals", {
    "parts": float | None, "charges": float | None, "net": float | None, "taxes": list[JsonObject],
    "gross": float | None, "currency": str,
})
SharedDocument = TypedDict("SharedDocument", {
    "type": str, "number": str, "issued_on": str, "download": str,
})
CustomerOrder = TypedDict("CustomerOrder", {
    "number": int, "created": str, "status": str, "due_date": str | None, "totals": OrderTotals,
    "link": str, "token": str, "documents": list[SharedDocument],
})
CustomerOrders = TypedDict("CustomerOrders", {"orders": list[CustomerOrder]})
CustomerPart = TypedDict("CustomerPart", {
    "name": str, "picture": str | None, "material": str, "color": str | None, "quantity": int,
    "number": int, "line_item": str, "token": str, "can_reorder": bool,
})
CustomerParts = TypedDict("CustomerParts", {"parts": list[CustomerPart]})
CustomerShop = TypedDict("CustomerShop", {
    "name": str, "introduction": str, "language": str, "email": str, "phone": str, "website": str,
    "address": str, "logo": str | None, "style": str | None,
})
Step = TypedDict("Step", {"name": str, "done": bool, "at": str | None})
ReportLimits = TypedDict("ReportLimits", {
    "process": str, "wall_fault": float, "wall_risk": float, "gap_risk": float, "shell_risk": float,
    "decision_from": str | None,
})
Finding = TypedDict("Finding", {
    "kind": str, "severity": str, "limit": float | None, "value": float | None,
    "at": list[float] | None, "length": float | None, "places": int, "mark": list[float] | None,
    "change": str | None, "accepted": bool,
})
SharedDecision = TypedDict("SharedDecision", {
    "decision": str, "name": str, "text": str, "at": str, "replacement": str | None,
})
SharedReport = TypedDict("SharedReport", {
    "report": str, "status": str, "verdict": str | None, "limits": ReportLimits,
    "findings": list[Finding], "not_checked": list[str], "gone": list[Finding],
    "decision": SharedDecision | None, "needs_decision": bool, "can_decide": bool,
})
SharedLine = TypedDict("SharedLine", {
    "name": str, "picture": str | None, "material": str, "color": str | None, "finishes": list[str],
    "quantity": int, "support_strategy": str | None, "infill_strategy": str | None,
    "layer_thickness": float | None, "net": float | None, "report": SharedReport | None,
})
SharedQuote = TypedDict("SharedQuote", {
    "status": str, "valid_until": str, "totals": OrderTotals, "accepted_by": str,
    "accepted_at": str | None,
})
TransferAccount = TypedDict("TransferAccount", {
    "account_holder": str, "iban": str, "bic": str, "term_days": int,
})
SharedPayment = TypedDict("SharedPayment", {
    "status": str, "paid": float, "open": float | None, "reference": str, "due": str | None,
    "account": TransferAccount | None, "epc": str | None, "prepayment": bool, "card": str | None,
})
SharedShipmentLine = TypedDict("SharedShipmentLine", {"name": str, "quantity": int})
SharedShipment = TypedDict("SharedShipment", {
    "number": int, "shipped": str, "carrier": str, "tracking_number": str, "tracking_url": str,
    "lines": list[SharedShipmentLine],
})
SharedApproval = TypedDict("SharedApproval", {"step": str, "person": str, "note": str, "at": str})
SharedOrder = TypedDict("SharedOrder", {
    "number": int, "status": str, "steps": list[Step], "lines": list[SharedLine],
    "totals": OrderTotals, "due_date": str | None, "quote": SharedQuote | None, "can_accept": bool,
    "storefront": str | None, "payment": SharedPayment | None, "documents": list[SharedDocument],
    "shipments": list[SharedShipment], "approval": SharedApproval | None,
})
OrderOfShareLink = TypedDict("OrderOfShareLink", {
    "shop": CustomerShop, "domains": list[str], "order": SharedOrder,
})
AcceptQuoteRequest = TypedDict("AcceptQuoteRequest", {"name": str})
CardPayment = TypedDict("CardPayment", {"url": str})
CardPaymentState = TypedDict("CardPaymentState", {"status": str})
PrintDecisionRequest = TypedDict("PrintDecisionRequest", {
    "report": str, "decision": Literal["as-is", "replaced", "ask"], "name": str,
    "text": NotRequired[str], "file_name": NotRequired[str],
})
PrintDecisionMade = TypedDict("PrintDecisionMade", {"upload": str | None})
Error = TypedDict("Error", {
    "code": Required[str], "title": Required[str], "field": str, "details": JsonObject,
}, total=False)
ReportFile = TypedDict("ReportFile", {
    "status": str, "errors": list[Error] | None, "content": str | None,
})
OfferedMaterial = TypedDict("OfferedMaterial", {"uri": str, "name": str, "color": str | None})
OfferedFinish = TypedDict("OfferedFinish", {"uri": str, "name": str})
StorefrontPage = TypedDict("StorefrontPage", {
    "slug": str, "title": str, "text": str, "currency": str, "country": str,
    "materials": list[OfferedMaterial], "finishes": list[OfferedFinish],
    "support_strategies": list[str], "infill_strategies": list[str],
    "layer_thicknesses": list[float], "quantities": list[int], "prepayment": bool, "max_files": int,
    "max_megabytes": int, "days_kept": int, "origins": list[str], "shop": CustomerShop,
})
VisitsFilters = TypedDict("VisitsFilters", {
    "created": Filter, "created_from": Filter, "created_to": Filter, "storefront": Filter,
    "uri": Filter, "sort": str, "limit": int,
}, total=False)
CartLine = TypedDict("CartLine", {"price_table": str, "cell": int})
Visit = TypedDict("Visit", {
    "uri": str, "created": str, "storefront": str, "bureau": str, "expires": str,
    "cart": list[CartLine], "totals": OrderTotals | None, "is_signed_in": bool, "token": str | None,
    "secret": str | None,
})
ChoiceRequest = TypedDict("ChoiceRequest", {"price_table": Ref, "cell": int})
VisitRequest = TypedDict("VisitRequest", {
    "storefront": Required[str], "cart": list[ChoiceRequest],
}, total=False)
VisitChange = TypedDict("VisitChange", {
    "storefront": str, "cart": list[ChoiceRequest],
}, total=False)
VisitOrderRequest = TypedDict("VisitOrderRequest", {
    "name": Required[str], "email": Required[str], "company": str | None,
    "address": Required[AddressRequest], "billing_address": AddressRequest | None,
    "vat_number": str | None, "note": str | None, "language": Literal["en", "de"],
    "needed_by": str | None,
}, total=False)
PlacedOrder = TypedDict("PlacedOrder", {
    "number": int, "link": str, "token": str, "review": bool, "totals": OrderTotals, "mailed": bool,
})
VisitTableRequest = TypedDict("VisitTableRequest", {
    "models": Required[list[Ref]], "quantities": list[int], "finishes": list[list[Ref]],
    "support_strategy": Literal["auto", "on", "off"] | None, "infill_strategy": str | None,
    "layer_thickness": float | None,
}, total=False)
ReviewReason = TypedDict("ReviewReason", {"code": str, "title": str})
VisitCell = TypedDict("VisitCell", {
    "model": str, "material": str, "finish": list[str], "quantity": int, "unit": float | None,
    "unit_of": int | None, "includes_tax": bool, "net": float | None, "tax": float | None,
    "gross": float | None, "ready": str | None, "basis": str | None, "within": float | None,
    "review": list[ReviewReason] | None,
})
VisitTable = TypedDict("VisitTable", {
    "uri": str, "updated": str, "status": str, "currency": str, "support_strategy": str | None,
    "infill_strategy": str | None, "layer_thickness": float | None, "cells": list[VisitCell],
})
ReorderRequest = TypedDict("ReorderRequest", {
    "token": Required[str], "line_items": list[str],
}, total=False)
ReorderedPart = TypedDict("ReorderedPart", {
    "name": str, "price_table": str | None, "cell": int | None, "reason": str | None,
})
Reorder = TypedDict("Reorder", {"parts": list[ReorderedPart]})
VisitSignInRequest = TypedDict("VisitSignInRequest", {"token": str, "secret": str})


class Sales(Methods):
    """Sales to visitors of storefronts."""

    NAME = "sales"

    def customer_accounts(
        self, **filters: Unpack[CustomerAccountsFilters],
    ) -> Iterator[CustomerAccount]:
        """List customer accounts."""
        return self._list(self._at("/customer-account/"), filters)

    def sign_in_by_link(self, **fields: Unpack[CustomerSignInByLinkRequest]) -> CustomerSession:
        """Sign a customer in by a mailed link."""
        return self._post(self._at("/customer-account/sign-in-by-link/"), fields)

    def sign_in_link(self, **fields: Unpack[CustomerSignInLinkRequest]) -> Mailed:
        """Mail a sign-in link to a customer."""
        return self._post(self._at("/customer-account/sign-in-link/"), fields)

    def sign_in(self, **fields: Unpack[CustomerSignInRequest]) -> CustomerSession:
        """Sign a customer in by a password."""
        return self._post(self._at("/customer-account/sign-in/"), fields)

    def get_customer_account(self, customer_account: Ref) -> CustomerAccount:
        """Get a customer account."""
        return self._get(customer_account)

    def change_customer_account(
        self, customer_account: Ref, /, **fields: Unpack[CustomerAccountChange],
    ) -> None:
        """Update a customer account."""
        self._put(customer_account, fields)

    def delete_customer_account(self, customer_account: Ref) -> None:
        """Delete a customer account."""
        self._client.delete(customer_account)

    def customer_account_approvals(self, customer_account: Ref) -> CustomerApprovals:
        """Read what waits for an approver."""
        return self._get(self._at("approvals/", customer_account))

    def customer_account_approvals_decision(
        self, customer_account: Ref, key: object, /, **fields: Unpack[ApprovalDecisionRequest],
    ) -> None:
        """Approve or decline an order of a company."""
        self._post(self._at("approvals/{}/decision/", customer_account, key), fields)

    def customer_account_orders(self, customer_account: Ref) -> CustomerOrders:
        """Read the orders of a customer."""
        return self._get(self._at("orders/", customer_account))

    def customer_account_parts(self, customer_account: Ref) -> CustomerParts:
        """Read the parts of a customer."""
        return self._get(self._at("parts/", customer_account))

    def customer_account_sign_out(self, customer_account: Ref) -> None:
        """Sign a customer out."""
        self._post(self._at("sign-out/", customer_account), {})

    def get_shared_order(self, shared_order: Ref) -> OrderOfShareLink:
        """Read an order by a share link."""
        return self._get(shared_order)

    def shared_order_accept(
        self, shared_order: Ref, /, **fields: Unpack[AcceptQuoteRequest],
    ) -> None:
        """Accept the quote of an order by a share link."""
        self._post(self._at("accept/", shared_order), fields)

    def shared_order_card_payment(self, shared_order: Ref) -> CardPayment:
        """Begin a card payment by a share link."""
        return self._post(self._at("card-payment/", shared_order), {})

    def shared_order_refresh(self, shared_order: Ref) -> CardPaymentState:
        """Refresh a card payment by a share link."""
        return self._post(self._at("card-payment/refresh/", shared_order), {})

    def shared_order_print_decision(
        self, shared_order: Ref, /, **fields: Unpack[PrintDecisionRequest],
    ) -> PrintDecisionMade:
        """Decide about a part of an order by a share link."""
        return self._post(self._at("print-decision/", shared_order), fields)

    def shared_order_print_reports(self, shared_order: Ref) -> ReportFile:
        """Get print reports as PDF by a share link."""
        return self._get(self._at("print-reports/", shared_order))

    def get_store(self, store: Ref) -> StorefrontPage:
        """Read a storefront as its visitors see it."""
        return self._get(store)

    def stripe(self, uuid: object) -> None:
        """Receive a Stripe event of a shop."""
        self._post(self._at("/stripe/{}/", "", uuid), {})

    def visits(self, **filters: Unpack[VisitsFilters]) -> Iterator[Visit]:
        """List visits."""
        return self._list(self._at("/visit/"), filters)

    def visit(self, **fields: Unpack[VisitRequest]) -> Visit:
        """Begin a visit of a storefront."""
        return self._post(self._at("/visit/"), fields)

    def get_visit(self, visit: Ref) -> Visit:
        """Get a visit."""
        return self._get(visit)

    def change_visit(self, visit: Ref, /, **fields: Unpack[VisitChange]) -> None:
        """Update a visit."""
        self._put(visit, fields)

    def visit_order(self, visit: Ref, /, **fields: Unpack[VisitOrderRequest]) -> PlacedOrder:
        """Order the cart of a visit."""
        return self._post(self._at("order/", visit), fields)

    def visit_price_table(self, visit: Ref, /, **fields: Unpack[VisitTableRequest]) -> VisitTable:
        """Price the parts of a visit."""
        return self._post(self._at("price-table/", visit), fields)

    def get_visit_price_table(self, price_table: Ref) -> VisitTable:
        """Read a price table of a visit."""
        return self._get(price_table)

    def visit_reorder(self, visit: Ref, /, **fields: Unpack[ReorderRequest]) -> Reorder:
        """Put the parts of an order into the cart."""
        return self._post(self._at("reorder/", visit), fields)

    def visit_sign_in(self, visit: Ref, /, **fields: Unpack[VisitSignInRequest]) -> None:
        """Sign a customer in at a visit."""
        self._post(self._at("sign-in/", visit), fields)
