"""Customer links of an order: make one, list and revoke them."""

from __future__ import annotations

from datetime import datetime
from uuid import UUID

import orjson
from django.http import HttpResponse

from apps.console.views.base.page import PageContext, page
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from core.uris import base_url

MAX_LINKS = 100  # that the page shows


@page("GET", "POST")
def share_links(visit: PageContext, uuid: UUID) -> HttpResponse:
    """The links by which customers follow an order; a new one is shown once."""
    order = visit.api.get(api_uri("order", uuid))
    resource = f"{base_url('erp')}/share-link/"
    path = f"{page_path(order['uri'])}links/"
    link = ""
    if visit.posted:
        if revoked := visit.request.POST.get("revoke", ""):
            visit.api.ask("PUT", f"{resource}{UUID(revoked)}/", {"revoked": True})
            return visit.go(path, done="saved")
        key = visit.request.POST.get("key", "")
        made = visit.make("erp", "share-link", {"order": order["uri"]}, key=key)
        link = orjson.loads(visit.api.ask("POST", f"{made}link/").content)["link"]
    query = {"filter[order]": order["uri"], "sort": "-created", "page[limit]": MAX_LINKS}
    rows = visit.api.list("erp", "/share-link/", **query)["resources"]
    response = visit.show(
        "share-links",
        201 if link else 200,
        order={**order, "path": page_path(order["uri"])},
        link=link,
        key=visit.form_key,
        links=[
            {
                **row,
                "uuid": uuid_of(row["uri"]),
                "created": datetime.fromisoformat(row["created"]),
                "expires": row["expires"] and datetime.fromisoformat(row["expires"]),
            }
            for row in rows
        ],
    )
    if link:
        response["Cache-Control"] = "no-store"
    return response
