"""Jobs: password-reset e-mail, deletion of old notifications."""

from datetime import timedelta

import dramatiq
from django.conf import settings
from django.contrib.auth.tokens import default_token_generator
from django.core.mail import send_mail
from django.utils import timezone

from apps.users.domain import limits
from apps.users.models import Notification, User
from core.uris import base_url
from core.web import throttling

HOUR = 3600
NOTIFICATIONS_KEPT = timedelta(days=90)
# Several accounts may have one address; a stranger must not make us mail without an end.
MAX_ACCOUNTS = 5

TEXT = """\
A password reset was requested for the account {username}.

{how}

This works once, within {minutes} minutes. If it was not you, do nothing: your password stays.
"""
BY_PAGE = "Choose it here: {address}"
BY_API = 'Send it to this address, as PUT with the body {{"password": "..."}}:\n{address}'


@dramatiq.actor(queue_name="default", max_retries=5)
def mail_password_reset(by: str, value: str) -> None:
    """Mail a reset token to the account with this `username` or `email`, if it exists."""
    lookup = "username" if by == "username" else "email__iexact"
    accounts = User.objects.filter(is_active=True, **{lookup: value}).exclude(email="")
    for user in accounts.order_by("pk")[:MAX_ACCOUNTS]:
        allowed = throttling.count(f"reset mail {user.pk}", HOUR) <= limits.PASSWORD_RESET_MAILS
        if allowed and user.has_usable_password():
            _mail(user)


@dramatiq.actor(queue_name="default", max_retries=0)
def prune_notifications() -> None:
    """Delete notifications that nothing has been added to for 90 days; once an hour."""
    old = Notification.objects.filter(updated__lt=timezone.now() - NOTIFICATIONS_KEPT)
    old.delete()


def _mail(user: User) -> None:
    token = user.pk.hex + default_token_generator.make_token(user)
    if settings.PASSWORD_RESET_PAGE:
        how = BY_PAGE.format(address=settings.PASSWORD_RESET_PAGE.replace("{token}", token))
    else:
        how = BY_API.format(address=f"{base_url('users')}/password-resets/{token}/")
    send_mail(
        f"Your password at {settings.PARENT_HOST}",
        TEXT.format(username=user.username, how=how, minutes=settings.PASSWORD_RESET_TIMEOUT // 60),
        from_email=None,
        # To the stored address, not to the asked one: two may look alike to the database.
        recipient_list=[user.email],
    )
