"""Web requests: rate limits, throttling, CSRF protection, server errors, admin base classes."""
