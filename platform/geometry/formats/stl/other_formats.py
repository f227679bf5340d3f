"""File type detection: what a file named STL is instead, by its first bytes."""

import re
from typing import NamedTuple

TO_STL = "Export the model as STL."
SLICED = (
    "It is made for one printer: upload it as gcode, or export the model that it was made from as "
    "STL."
)
UTF_8 = "Save it in UTF-8, or export the model as STL."
NO_AMF = "AMF is not read: export the model as 3MF or STL."
NO_XML = r"(?:\xef\xbb\xbf)?\s*<(?:[^>]*>\s*<)*?"  # what comes before an element, as comments do
MARK = r"(?:\xef\xbb\xbf)?"  # of UTF-8
COMMENTS = r"(?:\s++|;[^\n]*+\n)*"


class OtherFormat(NamedTuple):
    """type: that the warehouse has for it, or None; advice: what to do, where it has none"""

    pattern: re.Pattern[bytes]
    name: str
    type: str | None
    advice: str


def _format(pattern: str, name: str, type: str | None = None, advice: str = TO_STL) -> OtherFormat:
    compiled = re.compile(pattern.encode("latin-1"), re.DOTALL)
    if type:
        advice = (
            f"Create it as a model of type '{type}' and have a file-conversion service convert it, "
            "or export it as STL."
        )
    return OtherFormat(compiled, name, type, advice)


OTHER_FORMATS = [
    _format(r"\x89PNG", "a PNG image"),
    _format(r"\xff\xd8\xff", "a JPEG image"),
    _format(r"GIF8", "a GIF image"),
    _format(r"%PDF", "a PDF document", "pdf"),
    _format(r"PK\x03\x04.*(?i:3d/)", "a 3MF package", "3mf"),
    _format(r"PK\x03\x04.{26}[^\0]{1,200}?\.(?i:amf)", "a packed AMF model", advice=NO_AMF),
    _format(r"PK[\x03\x05]", "a ZIP archive", "zip"),
    _format(r"\x1f\x8b", "a gzip archive"),
    _format(r"7z\xbc\xaf", "a 7z archive"),
    _format(r"Rar!", "a RAR archive"),
    _format(r"glTF", "a GLB model", "glb"),
    _format(r"GCDE", "binary gcode", advice=SLICED),
    _format(r"Kaydara FBX", "an FBX model"),
    _format(r"BLENDER", "a project of Blender"),
    _format(r"AC10[0-9]{2}", "a DWG drawing"),
    _format(r"\*\*ABCDEF|\*\*PART1", "a Parasolid model", advice="Export it as STEP or STL."),
    _format(r"\xd0\xcf\x11\xe0", "a document of Office or of a CAD program"),
    _format(r"MZ|\x7fELF", "a program"),
    _format(
        r"\xff\xfe\0\0|\0\0\xfe\xff|[\t -~]\0\0\0[\t -~]\0\0\0|\0\0\0[\t -~]\0\0\0[\t -~]",
        "text in UTF-32",
        advice=UTF_8,
    ),
    _format(
        r"\xff\xfe|\xfe\xff|[\t -~]\0[\t -~]\0[\t -~]\0|\0[\t -~]\0[\t -~]\0[\t -~]",
        "text in UTF-16",
        advice=UTF_8,
    ),
    _format(MARK + r"ISO-10303-21", "a STEP model", "step"),
    _format(r"[^\r\n]{72}S[ 0-9]{6}[0-9][\r\n]", "an IGES model", "iges"),
    _format(MARK + r"ply\s", "a PLY model", "ply"),
    _format(MARK + r"(?:ST|C|N|4)*OFF\s", "an OFF model", "off"),
    _format(
        r"version https://git-lfs",
        "a pointer of Git LFS",
        advice="Fetch the file that it stands for (git lfs pull) and upload that.",
    ),
    _format(r"#(?:VRML|X3D)", "a VRML model"),
    _format(r"\s*0\s+SECTION", "a DXF drawing"),
    _format(NO_XML + r"(?i:!doctype html|html)", "a web page"),
    _format(NO_XML + r"amf[\s>]", "an AMF model", advice=NO_AMF),
    _format(NO_XML + r"COLLADA[\s>]", "a COLLADA model"),
    _format(NO_XML + r"X3D[\s>]", "an X3D model"),
    _format(
        NO_XML + r"(?:\w+:)?model[\s>][^>]*3dmanufacturing",
        "the model part of a 3MF package",
        advice="Upload the whole package as a model of type '3mf', or export it as STL.",
    ),
    _format(MARK + r"\s*<", "XML"),
    _format(MARK + r'\s*\{(?=.*"asset")', "a glTF model", "gltf"),
    _format(MARK + r"\s*[{\[]", "JSON"),
    _format(
        MARK + COMMENTS + r"(?:;[^\n]*\n?\Z|%\s|(?:N\d+ *)?[GMT]\d+(?:\.\d+)?(?:[\s;*]|\Z))",
        "gcode",
        advice=SLICED,
    ),
    _format(MARK + r"(?:\s++|#[^\n]*+\n)*(?:mtllib|vn?|o|g)\s", "an OBJ model", "obj"),
]


def recognise(head: bytes) -> OtherFormat | None:
    """Return the format that the first bytes of a file are of, where it is none of STL."""
    return next((other for other in OTHER_FORMATS if other.pattern.match(head)), None)
