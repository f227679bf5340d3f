"""E-mail backend for trials: prints messages on the controlling terminal."""

import logging
import os
import signal
from collections.abc import Sequence

from django.core.mail import EmailMessage, EmailMultiAlternatives
from django.core.mail.backends.base import BaseEmailBackend

logger = logging.getLogger(__name__)

TERMINAL = "/dev/tty"  # of whoever started the platform, whatever its processes print into


class Terminal(BaseEmailBackend):
    """Shows mails on the controlling terminal only: a link in one is like a password.

    The log says that there was one, and what to do where there is no terminal.
    """

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        for message in email_messages:
            if isinstance(message, EmailMultiAlternatives):
                message.alternatives.clear()  # it is read as text
            text = message.message().as_bytes()
            shown = _show(b"\n" + text + b"\n" + b"-" * 79 + b"\n")
            logger.info(
                "Sent e-mail %r: %s",
                message.subject,
                "it is shown on the terminal."
                if shown
                else "it is lost, since this process has no terminal. Set EMAIL_URL to a mail "
                "server, or to file:///folder, and have it made once more.",
            )
        return len(email_messages)


def _show(text: bytes) -> bool:
    try:
        terminal = os.open(TERMINAL, os.O_WRONLY | os.O_NOCTTY)
    except OSError:
        return False
    # Processes in the background would be stopped by a terminal that is set to `tostop`.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
    try:
        with os.fdopen(terminal, "wb") as file:
            file.write(text)
    except OSError:
        return False
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return True
