"""A page that needs a right, and whom to ask for it."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from apps.console.domain.value_labels import value_label

MAX_NAMES = 3  # of people who may grant a right

# Rights of which one is needed to read these kinds at all.
READING_RIGHTS = {
    "company-member": ("customer.all",),
    "customer": ("customer.all",),
    "customer-company": ("customer.all",),
    "customer-group": ("customer.all",),
    "order-approval": ("customer.all",),
    "price-list": ("price.all",),
    "price-term": ("price.all",),
    "tax-rule": ("price.all",),
    "working-calendar": ("price.all",),
}


class Denied(Exception):
    """The person lacks the right to a page.

    rights : of which one is needed; none: membership of the shop
    shop   : its name
    owners : names of those who may grant it
    """

    def __init__(self, rights: Sequence[str], shop: str, owners: Sequence[str]):
        super().__init__(*rights)
        self.rights, self.shop, self.owners = rights, shop, owners

    @property
    def sentence(self) -> str:
        """What is missing, and who can grant it."""
        ask = ", ".join(self.owners[:MAX_NAMES]) or _("an owner of the shop")
        values = {"shop": self.shop, "owners": ask}
        if not self.rights:
            return _("Only members of %(shop)s can do this. Ask: %(owners)s.") % values
        values["rights"] = ", ".join(str(value_label(right)) for right in self.rights)
        return (
            _("You lack the right to this page of %(shop)s: %(rights)s. Ask: %(owners)s.") % values
        )
