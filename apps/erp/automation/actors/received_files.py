"""Job: G-code that a slicer sent has been analysed."""

import dramatiq

from apps.erp.automation.domain.received_files import follow_analysis


@dramatiq.actor(queue_name="default")
def receive_gcode(gcode_uri: str) -> None:
    """Queue the print of analysed G-code for which a slicer asked; others wait for a person."""
    follow_analysis(gcode_uri)
