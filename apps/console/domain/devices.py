"""Names of browsers and systems in the User-Agent of a session."""

# The first that occurs counts: the later ones are also named by browsers that derive from them.
BROWSERS = {
    "Edg/": "Edge",
    "OPR/": "Opera",
    "Firefox/": "Firefox",
    "Chrome/": "Chrome",
    "Safari/": "Safari",
}
SYSTEMS = {
    "iPhone": "iPhone",
    "iPad": "iPad",
    "Android": "Android",
    "Windows": "Windows",
    "Mac OS X": "macOS",
    "CrOS": "ChromeOS",
    "Linux": "Linux",
}
MOBILE = ("iPhone", "iPad", "Android")
MAX_LENGTH = 60  # characters of one that is not known


def device_name(user_agent: str | None) -> str:
    """Return what a person calls a client, such as "Firefox, Linux"; empty where it is unnamed."""
    agent = user_agent or ""
    browser = next((name for mark, name in BROWSERS.items() if mark in agent), "")
    system = next((name for mark, name in SYSTEMS.items() if mark in agent), "")
    return ", ".join(filter(None, (browser, system))) if browser else agent[:MAX_LENGTH]


def is_mobile(user_agent: str | None) -> bool:
    """Return whether a client is a phone or a tablet."""
    return any(mark in (user_agent or "") for mark in MOBILE)
