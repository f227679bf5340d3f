"""Sets of profiles of one maker, as `bin/install-orca-presets` writes them.

One JSON file a maker: `vendor`, `version`, `origin` and `profiles`, each of which is an object as
the slicer has it.
"""

from apps.slicing.configs.bundles import MAX_NAME_LENGTH, InvalidBundle
from apps.slicing.configs.orca.bundle import TranslatedBundle, translated_bundle
from apps.slicing.configs.orca.profiles import Profiles, profile_of, read_object

MAX_SET_BYTES = 32_000_000  # Bambu Studio's has 6 MB without its G-code


def read_set(content: bytes, identity: str) -> TranslatedBundle:
    """Return the presets of a set.

    identity : by which the bundle is identified

    Raises InvalidBundle.
    """
    data, profiles = _parse(content)
    about = {key: str(data.get(key, ""))[:MAX_NAME_LENGTH] for key in ("vendor", "version")}
    origin = str(data.get("origin", "OrcaSlicer"))[:MAX_NAME_LENGTH]
    return translated_bundle(profiles, identity=identity, origin=origin, **about)


def profiles_of_set(content: bytes) -> Profiles:
    """Return the profiles of a set, from which others may inherit. Raises InvalidBundle."""
    return _parse(content)[1]


def _parse(content: bytes) -> tuple[dict[str, object], Profiles]:
    """Return what a set says of itself, and its profiles. Raises InvalidBundle."""
    if len(content) > MAX_SET_BYTES:
        raise InvalidBundle("limit-exceeded", f"The set has more than {MAX_SET_BYTES:,} bytes.")
    data = read_object(content)
    rows = data.get("profiles")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        title = "It is no set of profiles: install it with bin/install-orca-presets."
        raise InvalidBundle("invalid-bundle", title)
    return data, Profiles(map(profile_of, rows))
