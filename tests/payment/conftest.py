"""Prices, and users who can pay."""

from collections.abc import Callable

import pytest

from apps.payment.models import Price
from apps.users.models import User

SLICE = {"namespace": "slicing", "action": "slice"}


@pytest.fixture
def price(client_of, operator) -> Callable[..., dict]:
    """`price(1.5)`: what a slice costs, set by an operator."""

    def make(amount=1.5, **fields) -> dict:
        body = {**SLICE, "amount": amount, "currency": "EUR", **fields}
        answer = client_of("payment", operator).post("/price/", body)
        assert answer.status_code == 201, answer.json()
        return answer.json()

    return make


@pytest.fixture
def payer(client_of, operator, price) -> Callable[..., User]:
    """`payer(user)`: consents to slices, and pays outside the platform."""

    def make(user: User, **ceilings) -> User:
        if not Price.objects.exists():
            price()
        body = {**SLICE, "consented": True, "user_uri": user.uri, **ceilings}
        assert client_of("payment", user).post("/consent/", body).status_code == 201
        method = {"user_uri": user.uri, "type": "manual"}
        assert client_of("payment", operator).post("/payment-method/", method).status_code == 201
        return user

    return make
