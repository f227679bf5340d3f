"""Services of providers, and operations."""

from apps.integrations.models.operation import Operation
from apps.integrations.models.service import Service

__all__ = ["Operation", "Service"]
