"""A real SMTP server on a free port, whose answers a test chooses."""

from collections.abc import Callable
from email import message_from_bytes, policy
from email.message import EmailMessage

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

from tests.live.processes import free_ports


class MailServer:
    """Accepts every mail, unless a test sets another answer.

    port                           : that it listens on
    on_recipient, on_data, on_quit : return the reply of that command
    mails                          : what it has accepted, in order
    """

    def __init__(self) -> None:
        self.mails: list[EmailMessage] = []
        self.recipients: list[list[str]] = []
        self.on_recipient: Callable[[], str] = lambda: "250 OK"
        self.on_data: Callable[[], str] = lambda: "250 OK"
        self.on_quit: Callable[[], str] = lambda: "221 Bye"
        (self.port,) = free_ports(1)
        self._controller: Controller | None = None

    async def handle_RCPT(  # noqa: N802  the names are aiosmtpd's
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        reply = self.on_recipient()
        if reply.startswith("250"):
            envelope.rcpt_tos.append(address)
        return reply

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        reply = self.on_data()
        if reply.startswith("250"):
            self.mails.append(message_from_bytes(envelope.content, policy=policy.default))
            self.recipients.append(envelope.rcpt_tos)
        return reply

    async def handle_QUIT(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        return self.on_quit()

    def start(self) -> None:
        """Begin to listen, for the first time or again."""
        self._controller = Controller(self, hostname="127.0.0.1", port=self.port)
        self._controller.start()

    def stop(self) -> None:
        """Refuse connections from now on."""
        if self._controller is not None:
            self._controller.stop()
            self._controller = None

    @property
    def texts(self) -> list[str]:
        """The text of each mail."""
        return [content_of(mail, "plain") for mail in self.mails]


def content_of(mail: EmailMessage, kind: str) -> str:
    """The part of a mail that is `plain` or `html`."""
    part = mail.get_body((kind,))
    assert part is not None, f"no {kind} part"
    content: str = part.get_content()
    return content.replace("\r\n", "\n").strip()
