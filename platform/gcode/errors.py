"""What is wrong with a file that is not gcode."""


class InvalidGcode(ValueError):
    """A file that no printer could run: a kebab-case code, and a sentence that says why."""

    def __init__(self, code: str, title: str):
        super().__init__(title)
        self.code = code
        self.title = title
