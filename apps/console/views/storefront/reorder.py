"""Ordering the parts of an order again."""

from __future__ import annotations

import orjson
from django import forms
from django.http import HttpResponse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from apps.console.domain.messages import Shown
from apps.console.views.base.page import key_of, page
from apps.console.views.base.store_context import VisitContext

REASONS: dict[str, Promise] = {
    "file-gone": _("The file is no longer stored. Upload it again."),
    "not-offered": _("Material, finish or print options are not offered any more."),
    "no-price": _("No price: this part is priced by hand. Ask the shop."),
}


class ReorderForm(forms.Form):
    """The order, by the token of its share link."""

    token = forms.CharField(max_length=100)
    part = forms.UUIDField(required=False)
    key = forms.CharField()


@page("POST", context=VisitContext)
def reorder(visit: VisitContext, slug: str) -> HttpResponse:
    """Puts the parts of an order into the cart; names those for which that is not possible."""
    visit.visit_storefront(slug)
    form = ReorderForm(visit.request.POST)
    if not form.is_valid():
        return visit.go(f"/s/{slug}/")
    cookie = visit.begin()
    body: Shown = {"token": form.cleaned_data["token"]}
    if part := form.cleaned_data["part"]:
        body["line_items"] = [str(part)]
    answer = visit.api.ask("POST", f"{visit.visit_uri}reorder/", body, key=key_of(form))
    parts = orjson.loads(answer.content)["parts"]
    missing = [(part["name"], REASONS[part["reason"]]) for part in parts if part["reason"]]
    if not missing:
        return visit.keep(visit.go(f"/s/{slug}/", done="reordered"), cookie)
    count = len(parts) - len(missing)
    return visit.keep(visit.show("reordered", missing=missing, count=count), cookie)
