"""Rate limits of guessable operations."""

# Wrong passwords per account and quarter of an hour from one address, and from one address in all.
LOGIN_FAILURES_PER_ACCOUNT = 5
LOGIN_FAILURES_PER_ADDRESS = 20
# Beyond so many wrong passwords for an account from all addresses in a quarter of an hour, an
# address that it never signed in from waits, in seconds.
LOGIN_FAILURES_BEFORE_DELAY = 20
LOGIN_DELAY = 1.0
# Wrong one-time passwords per account and quarter of an hour, from wherever.
WRONG_CODES = 10
# Wrong passwords for the account of a customer of a shop in a quarter of an hour, from anywhere.
CUSTOMER_LOGIN_FAILURES = 100
# Requests for a new password per address and hour; mails to one account in an hour.
PASSWORD_RESETS_PER_ADDRESS = 10
PASSWORD_RESET_MAILS = 3
