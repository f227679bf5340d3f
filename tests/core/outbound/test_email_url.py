"""How mail leaves the house."""

import pytest

from core.outbound.email_url import Mail, read_email_url

SMTP = "django.core.mail.backends.smtp.EmailBackend"


def test_smtp_url_is_parsed_with_credentials_and_starttls():
    assert read_email_url("smtp://me%40x.example:p%2Fw@mail.example:587?tls=1") == Mail(
        backend=SMTP,
        host="mail.example",
        port=587,
        user="me@x.example",
        password="p/w",
        tls=False,
        starttls=True,
        folder=None,
    )


def test_email_url_scheme_selects_port_and_encryption():
    plain, sealed = read_email_url("smtp://mail.example"), read_email_url("smtps://mail.example")

    assert (plain.port, plain.tls, plain.starttls) == (25, False, False)
    assert (sealed.port, sealed.tls, sealed.starttls) == (465, True, False)


def test_email_url_supports_console_and_file_backends():
    assert read_email_url("console:").backend == "core.outbound.terminal_email.Terminal"
    assert read_email_url("file:///var/mails").folder == "/var/mails"


@pytest.mark.parametrize("url", ["", "http://mail.example", "smtp:", "smtp://", "mail.example"])
def test_email_url_without_server_is_rejected(url):
    with pytest.raises(ValueError, match="EMAIL_URL"):
        read_email_url(url)
