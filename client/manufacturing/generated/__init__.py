"""The services of an installation, loaded on first use; made by bin/generate-client."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from manufacturing.client import Client
    from manufacturing.generated.callbacks import Callbacks
    from manufacturing.generated.erp import Erp
    from manufacturing.generated.integrations import Integrations
    from manufacturing.generated.models import Models
    from manufacturing.generated.payment import Payment
    from manufacturing.generated.sales import Sales
    from manufacturing.generated.search import Search
    from manufacturing.generated.slicing import Slicing
    from manufacturing.generated.users import Users


class Services:
    """Services of a client."""

    @cached_property
    def users(self) -> Users:
        """Accounts, sessions, API tokens, groups, permissions and notifications."""
        from manufacturing.generated.users import Users

        return Users(cast("Client", self))

    @cached_property
    def models(self) -> Models:
        """3D models: upload, analysis, transformation, snapshots and preview meshes."""
        from manufacturing.generated.models import Models

        return Models(cast("Client", self))

    @cached_property
    def slicing(self) -> Slicing:
        """Slicing: configs, presets, constraints, slices and G-code."""
        from manufacturing.generated.slicing import Slicing

        return Slicing(cast("Client", self))

    @cached_property
    def search(self) -> Search:
        """Search for models of similar shape."""
        from manufacturing.generated.search import Search

        return Search(cast("Client", self))

    @cached_property
    def integrations(self) -> Integrations:
        """Operations on models by built-in services and external providers."""
        from manufacturing.generated.integrations import Integrations

        return Integrations(cast("Client", self))

    @cached_property
    def payment(self) -> Payment:
        """Prices, consents, charges and invoices."""
        from manufacturing.generated.payment import Payment

        return Payment(cast("Client", self))

    @cached_property
    def erp(self) -> Erp:
        """Manufacturing: bureaus, orders, prices, runs, printers, materials."""
        from manufacturing.generated.erp import Erp

        return Erp(cast("Client", self))

    @cached_property
    def sales(self) -> Sales:
        """Sales to visitors of storefronts."""
        from manufacturing.generated.sales import Sales

        return Sales(cast("Client", self))

    @cached_property
    def callbacks(self) -> Callbacks:
        """State change events, delivered by webhooks with retries or as an event stream."""
        from manufacturing.generated.callbacks import Callbacks

        return Callbacks(cast("Client", self))
