"""Storage errors: outage, missing file, corrupt file.

A request is answered 503, a job waits and is done again (`core.queue.storage_retries`).
"""

from core.errors import Unavailable


class StorageError(Exception):
    """Storage cannot read or write a file now; `words` are for operators."""

    def __init__(self, words: str):
        super().__init__(words)
        self.words = words

    def rejection(self) -> Unavailable:
        """Return the client's error."""
        return StorageUnavailable()


class StorageOutage(StorageError):
    """It does not answer, too slowly, or refuses us."""


class FileMissing(StorageError):
    """It answers, and has not what was stored."""

    def rejection(self) -> Unavailable:
        return StorageLost()


class FileCorrupt(StorageError):
    """It gave other bytes than were stored."""

    def rejection(self) -> Unavailable:
        return StorageCorrupt()


class StorageUnavailable(Unavailable):
    """Storage is unavailable: 503."""

    code = "storage-unavailable"

    def __init__(self) -> None:
        super().__init__(
            "The platform's storage of files cannot be reached at the moment: try again in a few "
            "seconds.",
            headers={"Retry-After": "10"},
        )


class StorageLost(Unavailable):
    """The file is missing in storage."""

    code = "storage-lost"

    def __init__(self) -> None:
        super().__init__(
            "This file is missing from the platform's storage: tell its operator, who can bring it "
            "back from a backup.",
            headers={"Retry-After": "600"},
        )


class StorageCorrupt(Unavailable):
    """The file in storage does not match its hash."""

    code = "storage-corrupt"

    def __init__(self) -> None:
        super().__init__(
            "This file is damaged in the platform's storage: tell its operator, who can bring it "
            "back from a backup.",
            headers={"Retry-After": "600"},
        )
