"""Confirming at once from many sides: the pieces are made once."""

import threading

import pytest
from django.db import connection

from apps.erp.models import LineItem, Piece
from tests.erp.conftest import key_of

CROWD = 50


@pytest.mark.django_db(transaction=True)
def test_fifty_confirmations_at_once_make_the_pieces_once(client_of, bureau, person):
    item = LineItem.objects.create(
        bureau_id=key_of(bureau),
        quantity=100,
        no_model_upload=True,
        status="pending",
        creator=person,
    )
    together = threading.Barrier(CROWD)
    answers = []

    def confirm() -> None:
        client = client_of("erp", person)
        together.wait()
        answers.append(client.put(item.uri, {"status": "confirmed"}).status_code)
        connection.close()

    threads = [threading.Thread(target=confirm) for _ in range(CROWD)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    numbers = Piece.objects.filter(line_item=item).values_list("number", flat=True)
    assert sorted(numbers) == list(range(1, 101))
    assert (len(answers), answers.count(204), set(answers)) == (CROWD, 1, {204, 409})
