"""Services of providers, and the operations that they are asked for."""

from apps.integrations.models.operation import Operation
from apps.integrations.models.service import Service

__all__ = ["Operation", "Service"]
