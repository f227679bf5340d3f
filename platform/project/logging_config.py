"""Logging configuration: one line per record, UTC."""


def logging_from(level: str) -> dict[str, object]:
    """Python's configuration of logging, for what is at least as grave as `level`.

    Refused requests (4xx) are logged at DEBUG alone: a client sends as many as it likes.
    """
    of_requests = level if level == "DEBUG" else "ERROR"
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        },
        "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
        "root": {"handlers": ["console"], "level": level},
        "loggers": {
            "django": {"handlers": [], "level": "INFO", "propagate": True},
            "django.request": {"handlers": [], "level": of_requests, "propagate": True},
        },
    }
