"""What the stories of all services together need of the tests of one."""

from tests.integrations.conftest import answering, provider

__all__ = ["answering", "provider"]
