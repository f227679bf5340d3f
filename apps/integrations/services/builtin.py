"""Registers the built-in services."""

from django.conf import settings
from django.db import transaction

from apps.integrations.builtin import catalogue
from apps.integrations.models import Service


@transaction.atomic
def register() -> None:
    """Offer the built-in services: once, and never again what operators have deleted.

    Their address and schema follow this installation's.
    """
    for offer in catalogue.offers():
        own = {"service_url": offer.url(settings.PROVIDERS_URL), "schema": offer.schema}
        made = {"name": offer.name, "description": offer.description, "type": offer.type}
        Service.objects.bulk_create(
            [Service(uuid=offer.uuid, **made, **own)], ignore_conflicts=True
        )
        Service.objects.filter(pk=offer.uuid).update(**own)
