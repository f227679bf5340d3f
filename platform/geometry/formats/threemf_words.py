"""What the text of a 3MF's parts says that lib3mf passes over without a word."""

import re
from typing import NamedTuple

HEAD = 1 << 16  # bytes at the beginning of a part in which its namespaces and metadata are
ROOT = "3d/3dmodel.model"
NAMESPACE = re.compile(rb"""xmlns:([\w.-]+)\s*=\s*["']([^"'<>]*)["']""")
METADATA = re.compile(rb"""<metadata\s[^>]*?name\s*=\s*["']([^"'<>]*)["'][^>]*>\s*[^<\s]""")
ITEM = re.compile(rb"<(?:\w+:)?item\s[^>]*>")
NOT_PRINTED = re.compile(rb"""\sprintable\s*=\s*["'](0|false)["']""")
# Extensions that are read, that are told of otherwise, or that hold nothing but words of a slicer.
UNDERSTOOD = {
    b"http://schemas.microsoft.com/3dmanufacturing/core/2015/02",
    b"http://schemas.microsoft.com/3dmanufacturing/material/2015/02",
    b"http://schemas.microsoft.com/3dmanufacturing/production/2015/06",
    b"http://schemas.microsoft.com/3dmanufacturing/slice/2015/07",
    b"http://schemas.microsoft.com/3dmanufacturing/beamlattice/2017/02",
    b"http://schemas.microsoft.com/3dmanufacturing/beamlattice/balls/2020/07",
    b"http://schemas.3mf.io/3dmanufacturing/implicit/2023/12",
    b"http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01",
    b"http://schemas.slic3r.org/3mf/2017/06",
    b"http://schemas.bambulab.com/package/2021",
    b"http://www.w3.org/XML/1998/namespace",
    b"urn:manufacturing:packing",  # ours, of metadata
}
# Attributes of facets that a slicer's brush writes, by what of the head names the slicer.
PAINTED = {
    b"slic3rpe": {
        b"slic3rpe:custom_supports": "painted supports",
        b"slic3rpe:custom_seam": "painted seams",
        b"slic3rpe:mmu_segmentation": "painted colours",
        b"slic3rpe:fuzzy_skin": "painted fuzzy skin",
    },
    b"BambuStudio": {
        b"paint_supports": "painted supports",
        b"paint_seam": "painted seams",
        b"paint_color": "painted colours",
        b"paint_fuzzy_skin": "painted fuzzy skin",
    },
}


class Words(NamedTuple):
    """Of all parts of a package together.

    items         : whether each item of the build is to be printed, a word of slicers
    left_out      : {what, name} of what no conversion keeps, each once
    without_build : parts that lack the element that each has to have
    """

    items: list[bool]
    left_out: dict[tuple[str, str | None], None]
    without_build: list[str]

    def hear(self, name: str, part: bytes) -> None:
        """Take in the XML of a part."""
        head = part[:HEAD]
        if b"<model" not in head:
            return
        for prefix, uri in NAMESPACE.findall(head):
            # Not by an expression: these are searched in a hundred megabytes.
            names = b"<" + prefix + b":", b" " + prefix + b":"
            if uri not in UNDERSTOOD and any(name in part for name in names):
                self._leave_out("extension that is not understood", uri)
        for slicer, words in PAINTED.items():
            if slicer in head:
                for word, what in words.items():
                    if b" " + word + b"=" in part:
                        self._leave_out(what)
        if b" p1=" in part:  # a property of a facet, and not of its object
            self._leave_out("colours or materials of single facets")
        if named := METADATA.findall(head.partition(b"<resources")[0]):
            self._leave_out("metadata", b", ".join(dict.fromkeys(named)))
        build = part.rfind(b"<build")
        if build < 0 and b":build" not in part:
            self.without_build.append(name)
        if name.lower() == ROOT:
            found = ITEM.findall(part, max(build, 0))
            self.items.extend(not NOT_PRINTED.search(item) for item in found)

    def _leave_out(self, what: str, name: bytes | None = None) -> None:
        told = None if name is None else name.decode("utf-8", "replace")[:255]
        self.left_out[what, told] = None
