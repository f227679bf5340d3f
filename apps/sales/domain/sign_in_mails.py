"""Texts of the mail with a customer's sign-in link."""

TEXTS = {
    "en": (
        "Sign in at {shop}",
        """\
Hello,

with this link you sign in to your account at {shop}:

{link}

It works once, within 24 hours. If you did not ask for it, do nothing.
""",
    ),
    "de": (
        "Anmelden bei {shop}",
        """\
Guten Tag,

mit diesem Link melden Sie sich in Ihrem Konto bei {shop} an:

{link}

Er gilt einmal, 24 Stunden lang. Wenn Sie ihn nicht angefordert haben, tun Sie nichts.
""",
    ),
}


def sign_in_mail(language: str, *, shop: str, link: str) -> tuple[str, str]:
    """Return subject and text of the mail, in English where the language is not known."""
    subject, text = TEXTS.get(language, TEXTS["en"])
    name = " ".join(shop.split())
    return subject.format(shop=name), text.format(shop=name, link=link)
