"""Page of a customer: contact, terms, figures, latest orders, people."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.console.domain.messages import Context, JsonValue
from apps.console.domain.production_status import STAGES, money
from apps.console.domain.resources.resource_kinds import BY_NAME
from apps.console.domain.resources.resource_values import MISSING, moment
from apps.console.domain.stats import Stat
from apps.console.domain.value_labels import value_label
from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.generic.resources import related

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, Customer, CustomerSummary, OrderSummary

LATEST = 8  # orders that the page shows
MAX_PEOPLE = 50


@page("GET")
def customer(visit: PageContext, uuid: UUID) -> HttpResponse:
    """A customer: who it is, how it is sold to, what it has ordered and owes."""
    row: Customer = visit.api.get(api_uri("customer", uuid))
    may_edit = visit.api.may("PUT", row["uri"])
    bureau: Bureau = visit.api.get(row["bureau"])
    company = _company(visit, row)
    orders = visit.api.list(
        "erp", "/order/", **{"filter[customer]": row["uri"], "page[limit]": LATEST}
    )
    return visit.show(
        "customer",
        kind=BY_NAME["customer"],
        customer=row,
        key=uuid_of(row["uri"]),
        path=page_path(row["uri"]),
        company=company,
        stats=_stats(visit, row),
        facts=[*([_of_company(company)] if company else ()), *_facts(visit, row, bureau)],
        orders=_orders(visit, row["bureau"], orders["resources"]),
        order_count=orders["meta"]["count"],
        all_orders=f"/order/?{urlencode({'filter[customer]': row['uri']})}",
        related=[
            each
            for each in related(visit, BY_NAME["customer"], row["uri"])
            if each["count"] and each["kind"].name != "order"
        ],
        may_edit=may_edit,
        may_delete=visit.api.may("DELETE", row["uri"]),
        may_order=visit.works_in_shop,
    )


def _stats(visit: PageContext, row: Customer) -> list[Stat]:
    """Its key figures; amounts where the visitor may see them."""
    path = f"{row['bureau']}customer-summaries/?customers={row['uri']}"
    summary: CustomerSummary = visit.api.get(path)["summaries"][0]
    open_orders = summary["open_orders"]
    note = ngettext("%(n)s open", "%(n)s open", open_orders) % {"n": number_format(open_orders)}
    stats = [Stat(_("Orders"), number_format(summary["orders"]), note if open_orders else "")]
    amounts = summary["amounts"]
    if amounts is None:
        return stats
    revenue = [money(each["revenue"], each["currency"]) for each in amounts if each["revenue"]]
    stats.append(Stat(_("Revenue, 12 months"), " · ".join(revenue) or MISSING, ""))
    owed = [money(each["open"], each["currency"]) for each in amounts if each["open"]]
    late = [money(each["overdue"], each["currency"]) for each in amounts if each["overdue"]]
    overdue = _("%(amount)s overdue") % {"amount": " · ".join(late)} if late else ""
    balance = " · ".join(owed) or (_("Paid") if amounts else MISSING)
    stats.append(Stat(_("Open balance"), balance, overdue, "down"))
    return stats


def _facts(visit: PageContext, row: Customer, bureau: Bureau) -> list[Context]:
    """What is known of a customer: label, text, and where they have them a link and a chip."""
    texts = [
        (_("Contact person"), row["contact"]),
        (_("Customer number"), row["reference"]),
    ]
    rows: list[Context] = [{"label": label, "text": text} for label, text in texts if text]
    if email := row["email"]:
        rows.append({"label": _("E-mail"), "text": email, "path": f"mailto:{email}"})
    if phone := row["phone"]:
        number = "".join(each for each in phone if each.isdigit() or each == "+")
        rows.append({"label": _("Phone"), "text": phone, "path": f"tel:{number}"})
    lines = [*(row["address"] or "").splitlines(), row["country"] or ""]
    if place := ", ".join(line.strip(" ,") for line in lines if line.strip(" ,")):
        rows.append({"label": _("Billing address"), "text": place})
    if vat_number := row["vat_number"]:
        checked = row["vat_confirmed"]
        chip = (_("Verified"), "ok") if checked else (_("Not verified"), "")
        rows.append({"label": _("VAT ID"), "text": vat_number, "chip": chip})
    rows += _terms(visit, row, bureau)
    language = row["language"] or bureau["language"] or "en"
    rows.append({"label": _("Invoice format"), "text": f"PDF, {value_label(language)}"})
    if notes := row["notes"]:
        rows.append({"label": _("Notes"), "text": notes})
    return rows


def _terms(visit: PageContext, row: Customer, bureau: Bureau) -> list[Context]:
    """The price list and the payment terms by which it is sold to, as far as they are readable."""
    rows: list[Context] = []
    group = visit.api.find(row["group"]) if row["group"] else None
    if group:
        path = page_path(group["uri"])
        rows.append({"label": _("Customer group"), "text": group["name"], "path": path})
    if "price.all" not in visit.rights:
        return rows
    uri = group and group["price_list"]
    price_list = visit.api.find(uri) if uri else None
    if not price_list:
        lists = visit.all_of("price-list", limit=1, bureau=bureau["uri"], is_default="true")
        price_list = lists[0] if lists else None
    if price_list:
        path = page_path(price_list["uri"])
        rows.append({"label": _("Price list"), "text": price_list["name"], "path": path})
    for account in visit.all_of("bank-account", limit=1, bureau=bureau["uri"]):
        days = account["term_days"]
        text = ngettext("%(n)s day net", "%(n)s days net", days) % {"n": days}
        rows.append({"label": _("Payment terms"), "text": text if days else _("Due at once")})
    return rows


def _orders(visit: PageContext, bureau: str, rows: list[JsonValue]) -> list[Context]:
    """Orders with picture, step, and total where the visitor may see it."""
    if not rows:
        return []
    uris = ",".join(row["uri"] for row in rows)
    answer = visit.api.get(f"{bureau}order-summaries/?orders={uris}")
    summaries: dict[str, OrderSummary] = {each["order"]: each for each in answer["summaries"]}
    shown: list[Context] = []
    for row in rows:
        summary = summaries.get(row["uri"])
        if summary is None:  # deleted meanwhile
            continue
        total = summary["gross"]
        shown.append(
            {
                "path": page_path(row["uri"]),
                "number": row["number"],
                "name": row["name"],
                "due": moment(row["due_date"]),
                "picture": summary["picture"],
                "color": summary["color"],
                "stage": STAGES[summary["stage"]],
                "total": "" if total is None else money(total, summary["currency"]),
            }
        )
    return shown


def _of_company(company: Context) -> Context:
    return {"label": _("Company"), "text": company["name"], "path": company["path"]}


def _company(visit: PageContext, row: Customer) -> Context | None:
    """The company for which a customer orders, and the people who do."""
    company = visit.api.find(row["company"]) if row["company"] else None
    if company is None:
        return None
    members = visit.all_of("company-member", limit=MAX_PEOPLE, company=company["uri"])
    return {
        "name": company["name"],
        "path": page_path(company["uri"]),
        "people": [
            {
                "name": member["name"] or member["email"],
                "email": member["email"],
                "role": value_label(member["role"]),
                "path": page_path(member["uri"]),
            }
            for member in members
        ],
        "new": f"/company-member/new/?{urlencode({'company': company['uri']})}",
    }
