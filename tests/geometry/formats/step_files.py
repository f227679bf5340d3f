"""STEP files as CAD programs write them, made without the CAD kernel."""

import math

import numpy as np


class _Entities:
    """The numbered entities of a file (ISO 10303-21)."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, text: str) -> str:
        self.lines.append(f"#{len(self.lines) + 1}={text};")
        return f"#{len(self.lines)}"

    def point(self, place: np.ndarray) -> str:
        return self.add(f"CARTESIAN_POINT('',({_numbers(place)}))")

    def direction(self, along: np.ndarray) -> str:
        return self.add(f"DIRECTION('',({_numbers(along)}))")

    def axes(self, place: np.ndarray, axis: np.ndarray, ref: np.ndarray) -> str:
        parts = f"{self.point(place)},{self.direction(axis)},{self.direction(ref)}"
        return self.add(f"AXIS2_PLACEMENT_3D('',{parts})")

    def face(self, surface: str, *edges: tuple[str, str]) -> str:
        oriented = [self.add(f"ORIENTED_EDGE('',*,*,{edge},.{way}.)") for edge, way in edges]
        bound = self.add(f"EDGE_LOOP('',({','.join(oriented)}))")
        bound = self.add(f"FACE_OUTER_BOUND('',{bound},.T.)")
        return self.add(f"ADVANCED_FACE('',({bound}),{surface},.T.)")

    def product(self, solid: str, name: str) -> None:
        units = [
            self.add("(LENGTH_UNIT() NAMED_UNIT(*) SI_UNIT(.MILLI.,.METRE.))"),
            self.add("(NAMED_UNIT(*) PLANE_ANGLE_UNIT() SI_UNIT($,.RADIAN.))"),
        ]
        space = self.add(
            "(GEOMETRIC_REPRESENTATION_CONTEXT(3) GLOBAL_UNIT_ASSIGNED_CONTEXT"
            f"(({','.join(units)})) REPRESENTATION_CONTEXT('',''))"
        )
        shape = self.add(f"ADVANCED_BREP_SHAPE_REPRESENTATION('',({solid}),{space})")
        context = self.add("APPLICATION_CONTEXT('')")
        of = self.add(f"PRODUCT_CONTEXT('',{context},'mechanical')")
        of = self.add(f"PRODUCT('{name}','{name}','',({of}))")
        of = self.add(f"PRODUCT_DEFINITION_FORMATION('','',{of})")
        design = self.add(f"PRODUCT_DEFINITION_CONTEXT('',{context},'design')")
        of = self.add(f"PRODUCT_DEFINITION('','',{of},{design})")
        of = self.add(f"PRODUCT_DEFINITION_SHAPE('','',{of})")
        self.add(f"SHAPE_DEFINITION_REPRESENTATION({of},{shape})")

    def file(self) -> bytes:
        head = "FILE_DESCRIPTION((''),'2;1');\nFILE_NAME('','',(''),(''),'','','');\n"
        head += "FILE_SCHEMA(('AUTOMOTIVE_DESIGN'));\n"
        data = "\n".join(self.lines)
        text = f"ISO-10303-21;\nHEADER;\n{head}ENDSEC;\nDATA;\n{data}\nENDSEC;\nEND-ISO-10303-21;\n"
        return text.encode()


def _numbers(values: np.ndarray) -> str:
    return ",".join(f"{value:.15E}" for value in values)


def chamfer() -> tuple[bytes, float]:
    """A frustum of radii 3 and 2.7 mm, and its volume in mm^3.

    Its axis is turned by 2e-8 rad, as programs write what was placed by constraints. At a fine
    angle the CAD kernel (8.0) leaves the cone without triangles.
    """
    low, high, height = 3.0, 2.7, 0.3
    axis = np.array([-2e-8, 1.0, 0.0]) / np.hypot(2e-8, 1.0)
    ref = np.array([-1.0, -2e-8, 2e-8])
    ref -= (ref @ axis) * axis
    ref /= np.linalg.norm(ref)
    base = np.array([0.0, 3.0, -40.0])
    top = base + height * axis
    start, end = base - low * ref, top - high * ref

    part = _Entities()
    vertices = [part.add(f"VERTEX_POINT('',{part.point(place)})") for place in (start, end)]
    along = part.direction((end - start) / np.linalg.norm(end - start))
    vector = part.add(f"VECTOR('',{along},1.)")
    seam = part.add(f"LINE('',{part.point(start)},{vector})")
    edges = [part.add(f"EDGE_CURVE('',{vertices[0]},{vertices[1]},{seam},.T.)")]
    for vertex, place, radius in ((vertices[0], base, low), (vertices[1], top, high)):
        circle = part.add(f"CIRCLE('',{part.axes(place, axis, ref)},{radius:.15E})")
        edges.append(part.add(f"EDGE_CURVE('',{vertex},{vertex},{circle},.T.)"))
    middle = part.axes((base + top) / 2, -axis, ref)
    cone = part.add(f"CONICAL_SURFACE('',{middle},{(low + high) / 2:.15E},{math.pi / 4:.15f})")
    floor = part.add(f"PLANE('',{part.axes(base, -axis, ref)})")
    roof = part.add(f"PLANE('',{part.axes(top, axis, ref)})")
    faces = [
        part.face(cone, (edges[1], "T"), (edges[0], "T"), (edges[2], "F"), (edges[0], "F")),
        part.face(floor, (edges[1], "F")),
        part.face(roof, (edges[2], "T")),
    ]
    shell = part.add(f"CLOSED_SHELL('',({','.join(faces)}))")
    part.product(part.add(f"MANIFOLD_SOLID_BREP('',{shell})"), "Pin")
    return part.file(), math.pi * height / 3 * (low**2 + low * high + high**2)
