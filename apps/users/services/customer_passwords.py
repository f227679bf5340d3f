"""Passwords of customers of shops, whose accounts another app has."""

from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError

from apps.users.domain import limits
from apps.users.models import User
from apps.users.services.password_verification import QUARTER, WrongPassword, hashing
from core.errors import InvalidFields, ServiceError
from core.web import throttling


def hashed(password: str, *, name: str, email: str) -> str:
    """Return the hash of a new password. Raises InvalidFields for one that is easy to guess."""
    try:
        validate_password(password, User(username=email, name=name, email=email))
    except ValidationError as error:
        code = "property-value-not-in-allowed-values"
        faults = [ServiceError(text, code=code, field="password") for text in error.messages]
        raise InvalidFields(faults) from error
    with hashing():
        return make_password(password)


def require_match(*, password: str, encoded: str, account: str, address: str) -> None:
    """Compare a password with a hash. Raises WrongPassword, and RateLimited after many of these.

    encoded : empty where there is no such account, or no password; that takes the same time
    account : key by which wrong passwords are counted
    address : of the client
    """
    place = throttling.client_prefix(address)
    allowed = {
        f"customer_logins {place} {account}": limits.LOGIN_FAILURES_PER_ACCOUNT,
        f"customer_logins {place}": limits.LOGIN_FAILURES_PER_ADDRESS,
        f"customer_logins * {account}": limits.CUSTOMER_LOGIN_FAILURES,
    }
    with throttling.limit_failures(allowed, QUARTER, of=WrongPassword):
        with hashing():
            is_right = check_password(password, encoded) if encoded else False
            if not encoded:
                make_password(password)
        if not is_right:
            raise WrongPassword("The e-mail address or the password is wrong.")
