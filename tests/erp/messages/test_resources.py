"""Messages and their texts over HTTP."""

import re

from apps.erp.base.models.messages import MessageMoment, StaffMoment
from apps.erp.models import MessageTemplate
from apps.erp.orders.domain.customer_messages import messages
from apps.erp.orders.domain.customer_messages.message_texts import (
    DEFAULTS,
)
from tests.erp.test_line_items import errors_of

LINK = re.compile(r"http://platform\.test/o/([\w-]{22})/")


def test_members_read_messages_and_strangers_do_not(
    erp, client_of, member, order, operator, make, bureau, django_user_model
):
    message = messages.record(order, MessageMoment.RECEIVED)
    outsider = django_user_model.objects.create_user("eve", "eve@example.com", "a long pass phrase")
    eve, bob = client_of("erp", outsider), client_of("erp", member)

    listed = bob.get("/message/", {"filter[order]": order.uri, "filter[status]": "waiting"}).json()

    assert [each["uri"] for each in listed["resources"]] == [message.uri]
    assert listed["resources"][0]["recipient"] == "joost@example.com"
    assert eve.get("/message/").json()["resources"] == []
    assert eve.get(message.uri).status_code == 404
    assert eve.post(f"{message.uri}send/").status_code == 404
    assert erp.post("/message/", {}).status_code == 405


def test_message_that_waits_is_not_sent_again(erp, order, mail_server, deliver):
    message = messages.record(order, MessageMoment.RECEIVED)
    early = erp.post(f"{message.uri}send/")
    deliver()
    order.customer.email = "new@example.com"
    order.customer.save()

    again = erp.post(f"{message.uri}send/")
    deliver()

    assert errors_of(early) == [("message-not-ended", None)]
    assert again.json()["moment"] == "received"
    assert mail_server.recipients == [["joost@example.com"], ["new@example.com"]]
    assert LINK.findall(mail_server.texts[0]) == LINK.findall(mail_server.texts[1])
    order.customer.email = ""
    order.customer.save()
    assert errors_of(erp.post(f"{message.uri}send/")) == [("no-email-address", None)]


def test_unknown_placeholder_and_link_in_a_subject_are_refused(erp, bureau):
    body = {"bureau": bureau["uri"], "moment": "received", "language": "en"}

    refused = erp.post(
        "/message-template/", {**body, "subject": "{link}", "text": "{customer.email}"}
    )

    assert sorted(errors_of(refused)) == [
        ("unknown-placeholder", "subject"),
        ("unknown-placeholder", "text"),
    ]
    assert not MessageTemplate.objects.exists()


def test_texts_list_defaults_and_own_ones(erp, bureau):
    path = f"{bureau['uri']}message-texts/"
    before = erp.get(path).json()["resources"]
    body = {"bureau": bureau["uri"], "moment": "received", "language": "en"}
    made = erp.post("/message-template/", {**body, "subject": "Order {order}", "enabled": False})
    after = erp.get(path).json()["resources"]

    assert len(before) == len(after) == 2 * len(MessageMoment)
    own = next(each for each in after if each["template"])
    assert own["template"] == made["Location"]
    assert (own["enabled"], own["subject"], own["is_default"]) == (False, "Order {order}", False)
    assert own["text"] == DEFAULTS["en"]["received"].text
    off = {(each["moment"], each["enabled"]) for each in before if not each["enabled"]}
    assert off == {("in-production", False)}


def test_preview_and_test_mail(erp, bureau, mail_server, run_jobs, client_of, member):
    body = {"moment": "priced", "language": "de", "text": "{order} {customer} {link}"}

    preview = erp.post(f"{bureau['uri']}message-preview/", body)
    test = erp.post(f"{bureau['uri']}message-test/", body)
    run_jobs()

    text = "1042 Joost van Dijk http://platform.test/o/example/"
    assert preview.json() == {"subject": "Angebot zu Ihrer Bestellung 1042", "text": text}
    assert test.status_code == 201
    assert mail_server.recipients == [["ada@example.com"]]
    assert mail_server.texts == [text]
    assert client_of("erp", member).post(f"{bureau['uri']}message-test/", body).status_code == 403


def test_malformed_texts_are_refused(erp, bureau):
    names = {"moment": "received", "language": "en"}
    bodies = (
        {},
        {"moment": "received"},
        {**names, "moment": "later"},
        {**names, "language": "fr"},
        {**names, "subject": "x" * 201},
        {**names, "text": "x" * 5001},
        {**names, "text": 5},
        {**names, "unknown": 5},
        {**names, "text": "{name}"},
    )
    paths = [f"{bureau['uri']}message-preview/", f"{bureau['uri']}message-test/"]
    for path in paths:
        assert [erp.post(path, body).status_code for body in bodies] == [400] * len(bodies)
    template = {"bureau": bureau["uri"], **names}
    for body in bodies[2:]:
        assert erp.post("/message-template/", {**template, **body}).status_code == 400
    made = erp.post("/message-template/", template)["Location"]
    assert erp.post("/message-template/", template).status_code == 409
    for body in bodies[2:]:
        assert erp.put(made, body).status_code == 400
    assert erp.put(made, {"moment": "shipped"}).status_code == 400


def test_test_mail_needs_an_address_of_the_person(erp, bureau, person):
    person.email = ""
    person.save()

    answer = erp.post(f"{bureau['uri']}message-test/", {"moment": "received", "language": "en"})

    assert errors_of(answer) == [("no-email-address", None)]


# ---------------------------------------------------------------- members


def test_members_get_the_mails_that_they_have_chosen(
    erp, client_of, bureau, member, order, mail_server, run_jobs
):
    bob = client_of("erp", member)
    body = {"bureau": bureau["uri"], "moment": "order-review"}
    for client in (erp, bob):
        assert client.post("/staff-notification/", body).status_code == 201
    assert len(bob.get("/staff-notification/").json()["resources"]) == 1
    assert errors_of(bob.post("/staff-notification/", body)) == [("resource-exists", None)]
    (membership,) = erp.get(f"/membership-bureau/?filter[user]={member.uri}").json()["resources"]

    messages.record_for_staff(order, StaffMoment.ORDER_REVIEW)
    run_jobs()
    erp.delete(membership["uri"])
    messages.record_for_staff(order, StaffMoment.ORDER_REVIEW)
    run_jobs()

    assert mail_server.recipients == [["ada@example.com"], ["bob@example.com"], ["ada@example.com"]]
    assert mail_server.mails[0]["Subject"] == "Order 1 waits for a review"
    assert f"http://platform.test/order/{order.pk}/" in mail_server.texts[0]
    assert order.messages.count() == 0  # the customer's messages are others


def test_stranger_chooses_no_mails_of_a_bureau(client_of, stranger, bureau):
    body = {"bureau": bureau["uri"], "moment": "order-review"}

    assert client_of("erp", stranger).post("/staff-notification/", body).status_code == 403


def test_wishes_of_members_are_created_and_deleted(erp, bureau):
    body = {"bureau": bureau["uri"], "moment": "quote-accepted"}
    wrong = erp.post("/staff-notification/", {**body, "moment": "later"})
    empty = erp.post("/staff-notification/", {"bureau": bureau["uri"]})
    made = erp.post("/staff-notification/", body)["Location"]

    assert (wrong.status_code, empty.status_code) == (400, 400)
    assert erp.put(made, body).status_code == 405
    assert erp.delete(made).status_code == 204
