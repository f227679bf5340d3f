"""Words of OrcaSlicer and Bambu Studio, and those of PrusaSlicer for them."""

FILLS = {
    "rectilinear": "rectilinear",
    "zig-zag": "rectilinear",
    "zigzag": "rectilinear",
    "aligned rectilinear": "alignedrectilinear",
    "alignedrectilinear": "alignedrectilinear",
    "grid": "grid",
    "line": "line",
    "triangles": "triangles",
    "tri-hexagon": "stars",
    "stars": "stars",
    "cubic": "cubic",
    "adaptivecubic": "adaptivecubic",
    "supportcubic": "supportcubic",
    "lightning": "lightning",
    "concentric": "concentric",
    "honeycomb": "honeycomb",
    "3dhoneycomb": "3dhoneycomb",
    "gyroid": "gyroid",
    "hilbertcurve": "hilbertcurve",
    "archimedeanchords": "archimedeanchords",
    "octagramspiral": "octagramspiral",
    "monotonic": "monotonic",
    "monotonicline": "monotoniclines",
    "monotoniclines": "monotoniclines",
}
SURFACES = {
    name: fill
    for name, fill in FILLS.items()
    if fill
    in (
        "rectilinear",
        "alignedrectilinear",
        "concentric",
        "monotonic",
        "monotoniclines",
        "hilbertcurve",
        "archimedeanchords",
        "octagramspiral",
    )
}
FLAVORS = {
    name: name
    for name in (
        "marlin",
        "marlin2",
        "klipper",
        "reprapfirmware",
        "repetier",
        "smoothie",
        "sailfish",
    )
}
SEAMS = {
    "aligned": "aligned",
    "aligned back": "aligned",
    "back": "rear",
    "nearest": "nearest",
    "random": "random",
}
BRIMS = {
    "no brim": "no_brim",
    "outer only": "outer_only",
    "inner only": "inner_only",
    "outer and inner": "outer_and_inner",
}
SUPPORT_PATTERNS = {
    "default": "rectilinear",
    "rectilinear": "rectilinear",
    "rectilinear-grid": "rectilinear-grid",
    "honeycomb": "honeycomb",
}
INTERFACES = {
    "auto": "auto",
    "rectilinear": "rectilinear",
    "concentric": "concentric",
    "grid": "rectilinear",
    "rectilinear interlaced": "rectilinear",
}
# Support type -> drawn by hand or not, and the style.
SUPPORTS = {
    "normal(auto)": ("1", "grid"),
    "normal(manual)": ("0", "grid"),
    "normal": ("1", "grid"),
    "hybrid(auto)": ("1", "grid"),
    "tree(auto)": ("1", "organic"),
    "tree(manual)": ("0", "organic"),
    "tree": ("1", "organic"),
}
WALL_SEQUENCES = {
    "inner wall/outer wall": "0",
    "outer wall/inner wall": "1",
    "inner-outer-inner wall": "0",
}
# Order of walls and infill: outer walls first, infill first.
ORDERS = {
    "inner wall/outer wall/infill": ("0", "0"),
    "outer wall/inner wall/infill": ("1", "0"),
    "infill/inner wall/outer wall": ("0", "1"),
    "infill/outer wall/inner wall": ("1", "1"),
    "inner-outer-inner wall/infill": ("0", "0"),
}
IRONING = {
    "no ironing": ("0", "top"),
    "top": ("1", "top"),
    "topmost": ("1", "topmost"),
    "solid": ("1", "solid"),
}
SHELLS = {
    "none": "0",
    "disabled": "0",
    "0": "0",
    "ensure critical only": "1",
    "ensure moderate": "1",
    "ensure all": "1",
    "enabled": "1",
    "partial": "1",
    "1": "1",
}
FUZZY = {
    "none": "none",
    "disabled fuzzy": "none",
    "external": "external",
    "all": "all",
    "allwalls": "all",
}
