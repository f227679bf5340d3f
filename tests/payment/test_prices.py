"""What an action costs, in the digits of its currency."""

import pytest


@pytest.mark.parametrize(
    ("currency", "fine", "beyond"), [("EUR", 1.25, 1.255), ("JPY", 3, 3.5), ("BHD", 0.125, 0.1255)]
)
def test_a_price_has_no_more_digits_than_its_currency(
    client_of, operator, price, currency, fine, beyond
):
    root = client_of("payment", operator)
    made = price(fine, currency=currency)

    for answer in (
        root.post(
            "/price/",
            {"namespace": "slicing", "action": "other", "amount": beyond, "currency": currency},
        ),
        root.put(made["uri"], {"amount": beyond}),
    ):
        (error,) = answer.json()["errors"]
        assert (answer.status_code, error["field"]) == (400, "amount")
        assert error["code"] == "property-value-not-in-allowed-values"
    assert root.get(made["uri"]).json()["amount"] == fine


def test_a_price_that_is_not_whole_cannot_change_to_a_currency_without_decimals(
    client_of, operator, price
):
    root = client_of("payment", operator)

    answer = root.put(price(1.5)["uri"], {"currency": "JPY"})

    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "amount")
