"""What a provider's kernel raises where the input cannot be worked on."""


class ProviderError(Exception):
    """An operation that fails for a reason the user can act on.

    Parameters
    ----------
    code : str
        A stable name for the reason, as `NotMendable`.
    title : str
        One sentence: what is wrong and how to mend it.
    details : dict, optional
        The figures behind the sentence; JSON values only.
    """

    def __init__(self, code: str, title: str, details: dict | None = None):
        super().__init__(code, title, details)
        self.code = code
        self.title = title
        self.details = details or {}

    def __str__(self) -> str:
        return f"{self.code}: {self.title}"
