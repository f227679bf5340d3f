"""Objects and groups of OBJ, and the nodes of glTF, taken apart."""

import base64
import json

import numpy as np
import pytest

from input_errors import InputError
from tests.geometry.formats import model_files as files

SIDES = ("bottom", "top", "front", "back", "left", "right")


def cubes(*names: str, keyword: str = "o", more: str = "") -> str:
    """An OBJ with a cube of 10 for each name, 30 apart."""
    lines = []
    for number, name in enumerate(names):
        lines.append(f"{keyword} {name}{more}")
        lines += [f"v {x + 30 * number} {y} {z}" for x, y, z in files.CUBE]
        lines += [f"f {' '.join(str(c + 1 + 8 * number) for c in face)}" for face in files.SQUARES]
    return "\n".join(lines)


@pytest.mark.parametrize("keyword", ["o", "g"])
def test_each_object_or_group_of_an_obj_is_extracted(taken, keyword):
    receipt, parts = taken(cubes("Lid", "Long pin", "Base", keyword=keyword), "obj")

    assert [part["name"] for part in parts] == ["Lid", "Long pin", "Base"]
    assert [part["written"] for part in parts] == pytest.approx([1000] * 3)
    assert (receipt["objects"], receipt["left_out"], receipt["joined"]) == (3, [], [])


def test_obj_groups_are_ignored_when_there_are_objects(taken):
    text = cubes("Lid", "Base").replace("f ", "g Side\nf ", 1)

    _, parts = taken(text, "obj")

    assert [part["name"] for part in parts] == ["Lid", "Base"]


def test_obj_object_continued_later_is_one_object(taken):
    lines = cubes("One", "Two").splitlines()
    moved = [line for line in lines if line.startswith("f")][:3]
    kept = [line for line in lines if line not in moved]

    _, parts = taken("\n".join([*kept, "o One", *moved]), "obj")

    assert {part["name"]: part["written"] for part in parts} == pytest.approx(
        {"One": 1000, "Two": 1000}
    )


def _face(face) -> str:
    return "f " + " ".join(str(corner + 1) for corner in face)


def test_obj_groups_of_one_solid_are_joined(taken):
    lines = [f"v {x} {y} {z}" for x, y, z in files.CUBE]
    for side, face in zip(SIDES, files.SQUARES, strict=True):
        lines += [f"g {side}", _face(face)]

    receipt, (part,) = taken("\n".join(lines), "obj")

    assert part["written"] == pytest.approx(1000)
    assert receipt["joined"] == [{"object": "bottom", "pieces": 6}]


def test_open_objects_that_do_not_touch_stay_separate(taken):
    open_cubes = cubes("One", "Two").splitlines()
    faces = [line for line in open_cubes if line.startswith("f")]
    text = "\n".join(line for line in open_cubes if line not in (faces[0], faces[6]))

    receipt, parts = taken(text, "obj")

    assert [part["name"] for part in parts] == ["One", "Two"]
    assert [part["volume"] for part in parts] == [None, None]
    assert receipt["joined"] == []


def test_obj_polygons_and_triangles_stay_with_their_object(taken):
    one, two = cubes("Squares", "Triangles").split("o Triangles")
    halves = []
    for line in two.splitlines():
        words = line.split()
        if words[:1] == ["f"]:
            halves += [f"f {words[1]} {words[2]} {words[3]}", f"f {words[1]} {words[3]} {words[4]}"]
        else:
            halves.append(line)

    _, parts = taken(one + "o Triangles" + "\n".join(halves), "obj")

    assert [part["written"] for part in parts] == pytest.approx([1000, 1000])


def test_obj_material_is_reported(taken):
    receipt, parts = taken(cubes("A", "B", more="\nusemtl PETG black"), "obj")

    assert [part["material"] for part in parts] == ["PETG black"] * 2
    assert receipt["left_out"] == []


def test_obj_with_too_many_groups_is_one_object(taken):
    lines = ["v 0 0 0", "v 1 0 0", "v 0 1 0"]
    lines += [f"g n{number}\nf 1 2 3" for number in range(20_000)]

    receipt, (part,) = taken("\n".join(lines), "obj")

    assert part["triangles"] == 20_000


def scene(nodes: list, **changes: object) -> str:
    """A glTF of a cube of 10 m, placed by these nodes."""
    cube = np.array(files.CUBE, "<f4").tobytes() + np.array(files.HALVES, "u1").tobytes()
    uri = "data:application/octet-stream;base64," + base64.b64encode(cube).decode()
    roots = [{"nodes": [*range(len(nodes))]}]
    return files.gltf(uri, **{"scenes": roots, "nodes": nodes, **changes})


def test_gltf_nodes_that_share_a_mesh_are_instances_of_one_object(taken):
    nodes = [
        {"mesh": 0, "name": "Bolt"},
        {"mesh": 0, "name": "Bolt.001", "translation": [1, 2, 3]},
        {"mesh": 0, "name": "Big", "scale": [2, 2, 2]},
    ]

    receipt, (bolt, big) = taken(scene(nodes), "gltf")

    assert (bolt["name"], big["name"]) == ("Bolt", "Bolt")
    assert bolt["written"] == pytest.approx(1e12)
    assert big["written"] == pytest.approx(8e12)
    assert (receipt["objects"], receipt["instances"]) == (2, 3)
    # y is up in the file: (1, 2, 3) m is (1, -3, 2) m here.
    moved = np.array(bolt["instances"][1]["transform"])
    assert np.allclose(moved, [[1, 0, 0, 1000], [0, 1, 0, -3000], [0, 0, 1, 2000]])


def test_gltf_node_rotation_is_in_the_instance_transform(taken):
    half = 0.5**0.5
    _, (part,) = taken(scene([{"mesh": 0, "rotation": [0, half, 0, half]}]), "gltf")

    # A quarter turn about y, which is up: about z here.
    turned = np.array(part["instances"][0]["transform"])
    assert np.allclose(turned[:, :3], [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-7)


def test_gltf_colour_is_converted_to_srgb(taken):
    material = {"name": "PLA", "pbrMetallicRoughness": {"baseColorFactor": [0.2158605, 0, 1, 1]}}
    mesh = {"primitives": [{"attributes": {"POSITION": 0}, "indices": 1, "material": 0}]}
    content = json.loads(scene([{"mesh": 0}], materials=[material], meshes=[mesh]))

    receipt, (part,) = taken(json.dumps(content), "gltf")

    assert (part["color"], part["material"]) == ("#8000FF", "PLA")
    assert receipt["left_out"] == []


@pytest.mark.parametrize(
    "nodes",
    [
        [{"mesh": 7}],
        [{"mesh": "one"}],
        [{"mesh": 0, "translation": ["NaN", 0, 0]}],
        [{"mesh": 0, "children": [0]}],
        [{"mesh": 0, "scale": [1e400, 1, 1]}],
    ],
)
def test_malformed_gltf_scene_is_rejected(taken, nodes):
    with pytest.raises(InputError) as refused:
        taken(scene(nodes).replace("Infinity", "1e999"), "gltf")

    assert refused.value.code in ("unreadable", "not-finite")


def test_gltf_scene_with_too_many_instances_is_rejected(taken):
    with pytest.raises(InputError, match="places more than 10,000"):
        taken(scene([{"mesh": 0}] * 10_001), "gltf")


def test_gltf_mesh_above_the_facet_limit_is_rejected(taken, monkeypatch):
    monkeypatch.setattr("geometry.formats.reader_checks.MAX_FACETS", 100)
    piece = {"attributes": {"POSITION": 0}, "indices": 1}

    with pytest.raises(InputError) as refused:
        taken(scene([{"mesh": 0}], meshes=[{"primitives": [piece] * 9}]), "gltf")

    assert refused.value.details == {"facets": 108, "limit": 100}
