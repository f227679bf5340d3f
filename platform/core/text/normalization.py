"""Unicode normalization: texts that look the same are stored in one form (NFC)."""

import unicodedata


def composed(text: str) -> str:
    """Return the text with composed letters (Unicode NFC), as it is stored and searched for."""
    return text if text.isascii() else unicodedata.normalize("NFC", text)
