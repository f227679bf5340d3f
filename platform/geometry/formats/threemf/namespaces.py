"""Namespaces of a 3MF, its elements that are read, and what is said of the others."""

CORE = "http://schemas.microsoft.com/3dmanufacturing/core/2015/02"
MATERIAL = "http://schemas.microsoft.com/3dmanufacturing/material/2015/02"
PRODUCTION = "http://schemas.microsoft.com/3dmanufacturing/production/2015/06"
SLICE = "http://schemas.microsoft.com/3dmanufacturing/slice/2015/07"
BEAM_LATTICE = "http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02"
VOLUMETRIC = "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"
PRUSA = "http://schemas.slic3r.org/3mf/2017/06"
BAMBU = "http://schemas.bambulab.com/package/2021"
CURA = "http://software.ultimaker.com/xml/cura/3mf/2015/10"

# How elements are written below, whatever prefix a file has for their namespace.
SHORT = {
    "": "",  # of no namespace
    CORE: "",
    "http://schemas.microsoft.com/3dmanufacturing/2013/01": "",  # before the core was numbered
    MATERIAL: "m:",
    PRODUCTION: "p:",
    SLICE: "s:",
    BEAM_LATTICE: "b:",
    VOLUMETRIC: "v:",
    PRUSA: "slic3rpe:",
    CURA: "cura:",
}
# Extensions that a file may require: they are read, or what needs them is refused where it is used.
UNDERSTOOD = {
    *SHORT,
    "http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
    "http://schemas.microsoft.com/3dmanufacturing/trianglesets/2021/07",
    "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
    BAMBU,
    "http://www.w3.org/XML/1998/namespace",
    "urn:manufacturing:packing",  # ours, of metadata
}

SKIPPED = "skipped"  # the kind of an element that is passed over with all within
# The kind of an element, by that of its parent and its name.
KINDS = {
    ("", "model"): "model",
    ("model", "metadata"): "metadata",
    ("model", "resources"): "resources",
    ("model", "build"): "build",
    ("resources", "basematerials"): "materials",
    ("resources", "m:colorgroup"): "colours",
    ("resources", "m:texture2d"): SKIPPED,
    ("resources", "m:texture2dgroup"): "texture",
    ("resources", "m:compositematerials"): "mixture",
    ("resources", "m:multiproperties"): "mixture",
    ("resources", "s:slicestack"): "slices",
    ("resources", "object"): "object",
    ("materials", "base"): "base",
    ("colours", "m:color"): "base",
    ("object", "mesh"): "mesh",
    ("object", "components"): "components",
    ("object", "metadatagroup"): "settings",
    ("object", "cura:settings"): "cura settings",
    ("object", "v:levelset"): "level set",
    ("settings", "metadata"): "setting",
    ("cura settings", "cura:setting"): "setting",
    ("mesh", "vertices"): "vertices",
    ("mesh", "triangles"): "triangles",
    ("mesh", "b:beamlattice"): "beam lattice",
    ("beam lattice", "b:beams"): "beams",
    ("beams", "b:beam"): "beam",
    ("components", "component"): "component",
    ("build", "item"): "item",
}
# Attributes of triangles that a slicer's brush writes.
PAINTED = {
    "slic3rpe:custom_supports": "painted supports",
    "slic3rpe:custom_seam": "painted seams",
    "slic3rpe:mmu_segmentation": "painted colours",
    "slic3rpe:fuzzy_skin": "painted fuzzy skin",
    "paint_supports": "painted supports",
    "paint_seam": "painted seams",
    "paint_color": "painted colours",
    "paint_fuzzy_skin": "painted fuzzy skin",
}
UNITS = {
    "micron": "micron",
    "millimeter": "mm",
    "centimeter": "cm",
    "inch": "inch",
    "foot": "foot",
    "meter": "m",
}
OBJECT_TYPES = ("model", "solidsupport", "support", "surface", "other")
