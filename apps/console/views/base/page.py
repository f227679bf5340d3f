"""Base of all pages: page context, API access, language, error handling."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from functools import cached_property, wraps
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode, urlsplit
from uuid import UUID, uuid4

import orjson
from django.conf import settings
from django.forms import Form
from django.http import HttpRequest, HttpResponse, HttpResponseNotAllowed, HttpResponseRedirect
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.cache import patch_vary_headers
from django.utils.translation import gettext_lazy as _

from apps.console.domain import navigation, settings_entries
from apps.console.domain.access import Denied
from apps.console.domain.messages import DONE, Context, JsonValue, Shown, error_message
from apps.console.domain.notifications import ShownNotification, shown_notification
from apps.console.domain.roles import OWNING
from apps.console.views.base.page_urls import api_uri, page_path, uuid_of
from apps.console.views.base.sign_in_form import SignInForm
from core.uris import base_url
from core.web.csrf import SAFE_METHODS
from core.web.internal_client import ApiClient, ApiError, NotSignedIn, page_answer
from core.web.site_urls import site_of

if TYPE_CHECKING:
    from manufacturing.generated.erp import Bureau, OpenCounts
    from manufacturing.generated.users import Notification, Unread, User

# Nothing but our own; bytes come from the files host and go there.
_FILES = base_url("files")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; "
    f"img-src 'self' data: {_FILES}; media-src {_FILES}; connect-src 'self' {_FILES}; "
    f"form-action 'self' {_FILES}; base-uri 'none'; frame-ancestors 'none'"
)
MAX_KEY = 100  # characters of a form's key
MAX_SHOPS = 50  # that the switcher of the top bar offers
THEME_COOKIE, SHOP_COOKIE = "theme", "shop"
THEMES = [("system", _("System")), ("light", _("Light")), ("dark", _("Dark"))]


class PageContext:
    """One request of a person: the API as they have it, and the pages that answer."""

    def __init__(self, request: HttpRequest):
        self.request = request
        self.api = ApiClient(request)
        self._session = f"{base_url('users')}/sessions/"

    @cached_property
    def person(self) -> User | None:
        """The account that is signed in; None for a stranger."""
        if settings.SESSION_COOKIE_NAME not in self.request.COOKIES:
            return None
        try:
            return self.api.get(self._session)
        except NotSignedIn:
            return None

    @cached_property
    def shops(self) -> list[Bureau]:
        """The shops that the person belongs to."""
        return self.all_of("bureau", limit=MAX_SHOPS) if self.person else []

    @cached_property
    def shop(self) -> Bureau | None:
        """The shop that the person works in: that of the cookie, or the first; None without one."""
        chosen = self.shop_with_key(self.request.COOKIES.get(SHOP_COOKIE, ""))
        return chosen or (self.shops[0] if self.shops else None)

    def shop_with_key(self, key: str) -> Bureau | None:
        """The shop with this key, also one that the switcher has no room for; None without one."""
        listed = (shop for shop in self.shops if uuid_of(shop["uri"]) == key)
        if chosen := next(listed, None):
            return chosen
        try:
            uri = api_uri("bureau", UUID(key))
        except ValueError:
            return None
        return self.api.find(uri) if len(self.shops) == MAX_SHOPS else None

    def shops_beside(self, shop: Bureau) -> list[Shown]:
        """Name and key of each shop that the person may choose in place of this one."""
        others = (row for row in self.shops if row["uri"] != shop["uri"])
        return [{"name": row["name"], "key": uuid_of(row["uri"])} for row in others]

    @cached_property
    def members(self) -> list[JsonValue]:
        """The people of the shop that the person works in."""
        if not self.shop:
            return []
        query = {"filter[group]": self.shop["group"], "page[limit]": 1000}
        try:
            return self.api.list("users", "/users/", **query)["resources"]
        except ApiError:  # a reader of the shop who is no member
            return []

    @cached_property
    def rights(self) -> set[str]:
        """The rights that the person holds in the shop, or at any location: operators all."""
        if not self.shop:
            return set()
        query = {"namespace": "erp", "page[limit]": 1000}
        rows = self.api.list("users", "/permissions/what-can/", **query)["resources"]
        places = (self.shop["uri"], f"{base_url('erp')}/location/")
        held = {row["right"] for row in rows if row["object"].startswith(places)}
        if "bureau.permission.all" in held:
            return held | {"price.all", "customer.all"}
        return {*settings_entries.RIGHTS} if self.standing == "manager" else held

    @cached_property
    def standing(self) -> str:
        """What the person is in the shop: manager, global-user (a member) or restricted."""
        if not self.shop:
            return ""
        return self.api.get(api_uri("role", UUID(uuid_of(self.shop["uri"]))))["role"]

    @property
    def posted(self) -> bool:
        """Whether a form was sent."""
        return self.request.method == "POST"

    @cached_property
    def form_key(self) -> str:
        """The key of the page's form: new, or in the address, to which Back leads.

        A page that was sent to its own address is not cached: the key is in the address, so that
        the same form is shown again, and creates nothing twice.
        """
        return self.request.GET.get("key", "")[:MAX_KEY] or str(uuid4())

    def make(self, service: str, kind: str, body: Mapping[str, object], *, key: str) -> str:
        """The URI of a new resource. The same body under the same key makes one.

        key : of the form, which may make several things and go on where it was refused before
        """
        said = orjson.dumps([key, kind, body])
        answer = self.api.ask(
            "POST",
            f"{base_url(service)}/{kind}/",
            body,
            key=hashlib.sha256(said).hexdigest(),
        )
        return answer["Location"]

    def all_of(self, kind: str, limit: int = 200, **filters: str) -> list[JsonValue]:
        """The resources of a kind of manufacturing that have these values, as many as `limit`."""
        asked = {f"filter[{name}]": value for name, value in filters.items()}
        return self.api.list("erp", f"/{kind}/", **asked, **{"page[limit]": limit})["resources"]

    def show(self, template: str, status: int = 200, **context: Any) -> HttpResponse:
        """A page."""
        asked = list(dict.fromkeys(self.api.read))
        person = self._person_if_known()
        shared = {
            "person": person,
            "asked": [uri for uri in asked if uri != self._session] if person else [],
            "status": status,
            "here": self.request.get_full_path(),
            "done": DONE.get(self.request.GET.get("done", "")) if status < 400 else None,
            "language": translation.get_language(),
            "frame": self._frame(),
        }
        content = render_to_string(f"console/{template}.html", shared | context, self.request)
        return _answer(self.request, content, status)

    def _frame(self) -> Context:
        """What the navigation, the top bar and its menus show."""
        path = self.request.path
        entries = [entry for _title, group in navigation.GROUPS for entry in group]
        chosen = self.request.COOKIES.get(THEME_COOKIE, "")
        return {
            "languages": settings.LANGUAGES,
            "theme": chosen if chosen in dict(THEMES) else "system",
            "themes": THEMES,
            "foot": navigation.FOOT,
            "at": navigation.current([*entries, *navigation.FOOT, navigation.MORE], path),
            "docs": f"{base_url('erp')}/docs/",
            **self._shop_of_frame(),
            "notifications": self._unread(),
        }

    def _unread(self) -> Context | None:
        """Number and newest of the unread notifications; None where the API cannot tell."""
        if not self._person_if_known():
            return None
        try:
            unread: Unread = self.api.get(f"{base_url('users')}/notifications/unread/")
        except (ApiError, NotSignedIn):
            return None
        newest = unread["newest"]
        return {
            "label": f"{unread['count']}+" if unread["more"] else str(unread["count"] or ""),
            "rows": [self.shown_notification(row) for row in newest],
            "until": newest[0]["updated"] if newest else "",
        }

    def shown_notification(self, row: Notification) -> ShownNotification:
        """A notification as pages show it; with its shop for who belongs to several."""
        names = {shop["uri"]: shop["name"] for shop in self.shops}
        shop = names.get(row["shop"] or "", "") if len(names) > 1 else ""
        return shown_notification(row, page_path(row["uri"]), page_path(row["subject"]), shop)

    def _shop_of_frame(self) -> Context:
        """The shops of the switcher, each with its key, and the entries that the person can use.

        Without shops where the API cannot tell, and with all entries.
        """
        try:
            shops = [{"name": row["name"], "key": uuid_of(row["uri"])} for row in self.shops]
            shop, rights = self.shop, self.rights
            makes = not shop or self.works_in_shop
        except (ApiError, NotSignedIn):
            shops, shop, rights, makes = [], None, set(), True
        if not shop:
            rights = {*settings_entries.RIGHTS}
        counts = self._open_counts(shop) if shop and makes else {}
        groups = [
            (
                title,
                [
                    (entry, navigation.label_of(counts.get(entry.count)))
                    for entry in navigation.usable(entries, rights)
                ],
            )
            for title, entries in navigation.GROUPS
        ]
        new = navigation.usable(navigation.NEW, rights) if makes else []
        bottom = navigation.usable(navigation.BOTTOM, rights)[: navigation.MAX_BOTTOM]
        return {
            "shops": shops,
            "shop": shop,
            "groups": [(title, entries) for title, entries in groups if entries],
            "bottom": [*bottom, navigation.MORE],
            "new": new,
            "rights": rights,
        }

    def _open_counts(self, shop: Bureau) -> Mapping[str, object]:
        """How much waits for people in the shop; empty where the API cannot tell."""
        try:
            counts: OpenCounts = self.api.get(f"{shop['uri']}open-counts/")
        except (ApiError, NotSignedIn):
            return {}
        return counts

    @cached_property
    def works_in_shop(self) -> bool:
        """Whether the person may make something in the shop, who else only reads it."""
        return bool(self.rights) or self.standing != "restricted"

    def require(self, *rights: str, shop: str = "") -> None:
        """Raise Denied unless the person holds one of these rights in their shop.

        Without rights: unless they are a member, who else only reads it. The rights in another
        shop, whose URI is `shop`, are left to the API.
        """
        if not self.shop or shop not in ("", self.shop["uri"]):
            return
        if self.works_in_shop if not rights else not self.rights.isdisjoint(rights):
            return
        raise Denied(rights, self.shop["name"], self._owners(self.shop))

    def _owners(self, shop: Bureau) -> list[str]:
        """The names of the people who may grant rights in the shop, as far as they are known."""
        names = {row["uri"]: row["name"] or row["username"] for row in self.members}
        rows = self.all_of("permission-bureau", bureau=shop["uri"], right=OWNING)
        return [names[row["user"]] for row in rows if row["user"] in names]

    def _person_if_known(self) -> User | None:
        """As `person`; None also where the API cannot tell, so that this can be shown."""
        try:
            return self.person
        except ApiError:
            return None

    def refuse(self, declined: ApiError) -> HttpResponse:
        """What follows a refusal that no form of the page can show."""
        response = self.show(
            "refused",
            declined.http_status,
            sentences=[error_message(error) for error in declined.errors],
        )
        if wait := declined.headers.get("Retry-After"):
            response["Retry-After"] = wait
        return response

    def to_sign_in(self) -> HttpResponse:
        """Lead to the sign-in and back here; fields that were sent are kept until then."""
        is_read = self.request.method in SAFE_METHODS
        path = self.request.get_full_path() if is_read or self.request.POST else "/"
        back = f"/sign-in/?{urlencode({'next': path})}"
        if is_read or not self.request.POST:
            return self.go(back)
        fields = [
            (name, value)
            for name, values in self.request.POST.lists()
            for value in values
            if "password" not in name
        ]
        response = self.show(
            "sign-in", 401, form=SignInForm(), action=back, entries=json.dumps(fields)
        )
        response["WWW-Authenticate"] = "Session"
        return response

    def go(self, where: str, *, done: str = "") -> HttpResponse:
        """Off to another page: its path, or the URI of the resource that it shows.

        done : what it says of what was done, as `DONE` names it
        """
        parts = urlsplit(where)
        query = urlencode({"done": done}) if done else parts.query
        response = HttpResponseRedirect(parts.path + (f"?{query}" if query else ""))
        response.status_code = 303
        return response


def page(
    *methods: str, context: type[PageContext] = PageContext
) -> Callable[[Callable[..., HttpResponse]], Callable[..., HttpResponse]]:
    """Makes a view of `view(visit, **keys)`; without methods it is only read."""
    allowed = methods or ("GET",)

    def decorate(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
        @wraps(view)
        def answer(request: HttpRequest, **keys: Any) -> HttpResponse:
            method = "GET" if request.method == "HEAD" else request.method
            if method not in allowed:
                return HttpResponseNotAllowed(allowed)
            with translation.override(translation.get_language_from_request(request)):
                visit = context(request)
                try:
                    if request.method not in SAFE_METHODS:
                        _refuse_foreign(request)
                    return view(visit, **keys)
                except NotSignedIn:
                    return visit.to_sign_in()
                except ApiError as declined:
                    return visit.refuse(declined)
                except Denied as denied:
                    return visit.show("refused", 403, sentences=[denied.sentence])

        return answer

    return decorate


def _refuse_foreign(request: HttpRequest) -> None:
    """Raise ApiError for a form that is not of our own pages: browsers say where it comes from."""
    origin = request.headers.get("Origin")
    own = request.headers.get("Sec-Fetch-Site") == "same-origin"
    if origin != site_of(request) and not (origin is None and own):
        title = "This form was not sent from a page of this site: open the page and send it again."
        raise ApiError(403, [{"code": "cross-site-request", "title": title}], {})


def _answer(request: HttpRequest, content: str, status: int) -> HttpResponse:
    response = page_answer(request, content, policy=POLICY, status=status)
    response["Content-Language"] = translation.get_language() or settings.LANGUAGE_CODE
    patch_vary_headers(response, ["Accept-Language"])
    return response


def key_of(form: Form) -> str:
    """An Idempotency-Key for what a form says: sent twice it is one, changed it is another."""
    said = repr(sorted(form.cleaned_data.items()))
    return hashlib.sha256(said.encode()).hexdigest()


def handle_form(form: Form, do: Callable[[], HttpResponse]) -> tuple[HttpResponse | None, int]:
    """What `do` answers to a form that makes sense; else None, and the status of its page.

    A form that nobody has sent has no faults.
    """
    if not form.is_valid():
        return None, 400 if form.errors else 200
    try:
        return do(), 303
    except ApiError as declined:
        blame(form, declined)
        return None, declined.http_status


def blame(form: Form, declined: ApiError) -> None:
    """Tell each fault of a refusal at the field that it names, or above all of them."""
    for error in declined.errors:
        name = error.get("field", "")
        names = (name, name.rpartition(".")[2], name.partition(".")[0])
        field = next((each for each in names if each in form.fields), None)
        form.add_error(field, error_message(error))
