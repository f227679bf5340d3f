"""What a shop does with presets: a config, and confirmed G-code of a printer."""

from typing import Any


def use_presets(shop: Any) -> None:
    """Make a config of a printer's preset; read, translate and confirm its G-code."""
    path = "/preset/?filter[kind]=printer&filter[usable]=true"
    preset = shop.get("slicing", path)["resources"][0]["uri"]
    shop.make("slicing", "/config/preset/", printer=preset)
    gcode = {"start_gcode": "G28\nM109 S[nozzle_temperature_initial_layer]", "end_gcode": "M104 S0"}
    shop.get("slicing", f"{preset}gcode-proposal/")
    translation = shop.ask("POST", "slicing", f"{preset}gcode-translation/", gcode).json()
    texts = {each["field"]: each["text"] for each in translation["gcodes"] if each["text"]}
    shop.make("slicing", "/printer-gcode/", printer=preset, confirm=True, **texts)
