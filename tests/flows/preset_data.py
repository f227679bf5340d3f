"""What a shop does with presets: a config, and confirmed G-code of a printer."""

from typing import Any

BUNDLE = """[printer:My printer]
bed_shape = 0x0,220x0,220x220,0x220
max_print_height = 250

[print:Solid]
layer_height = 0.2
fill_density = 90%

[filament:My PLA]
temperature = 212
"""


def use_presets(shop: Any) -> None:
    """Make configs of a printer's preset and of a bundle; translate and confirm G-code."""
    path = "/preset/?filter[kind]=printer&filter[usable]=true"
    preset = shop.get("slicing", path)["resources"][0]["uri"]
    shop.make("slicing", "/config/preset/", printer=preset)
    config = shop.make("slicing", "/config/bundle/", content=BUNDLE)["uri"]
    for kind in ("config", "preset"):
        shop.queries[f"/{kind}/{{uuid}}/differences/"] = {"other": config}
    shop.get("slicing", f"{preset}differences/?other={config}")
    gcode = {"start_gcode": "G28\nM109 S[nozzle_temperature_initial_layer]", "end_gcode": "M104 S0"}
    shop.get("slicing", f"{preset}gcode-proposal/")
    translation = shop.ask("POST", "slicing", f"{preset}gcode-translation/", gcode).json()
    texts = {each["field"]: each["text"] for each in translation["gcodes"] if each["text"]}
    shop.make("slicing", "/printer-gcode/", printer=preset, confirm=True, **texts)
