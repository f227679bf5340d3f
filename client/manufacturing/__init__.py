"""Python client of the manufacturing platform; standard library only."""

from manufacturing.client import Client
from manufacturing.errors import (
    ClientError,
    Conflict,
    Failed,
    NotFound,
    PaymentRequired,
    Refused,
    TooMany,
    Unreachable,
)

__version__ = "0.9.0"
__all__ = [
    "Client",
    "ClientError",
    "Conflict",
    "Failed",
    "NotFound",
    "PaymentRequired",
    "Refused",
    "TooMany",
    "Unreachable",
]
