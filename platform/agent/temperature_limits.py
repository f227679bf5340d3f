"""Rejects gcode that sets a higher temperature than the printer may reach."""

import re

from machines.drivers import Rejected

# M104, M109: nozzle; M140, M190: bed; with S or R and degrees.
_HEAT = re.compile(rb"\s*(?:N\d+\s*)?M(104|109|140|190)(?!\d)[^;]*?[SR]\s*([\d.]+)", re.I)


def check_line(line: bytes, *, nozzle: float, bed: float) -> None:
    """Raise Refused for a line of gcode that asks for more degrees than these."""
    found = _HEAT.match(line)
    if found is None:
        return
    what, most = ("nozzle", nozzle) if found[1] in (b"104", b"109") else ("bed", bed)
    try:
        wanted = float(found[2])
    except ValueError:
        raise Rejected(f"{line[:60]!r} is no temperature.") from None
    if wanted > most:
        raise Rejected(
            f"The file heats the {what} to {wanted:g} degrees, and {most:g} is the most."
        )
