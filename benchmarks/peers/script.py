"""The main job without a platform: verdict, picture and gcode of one part, as one would script it.

script.py PART.stl CONFIG.ini PICTURE.png OUT.gcode
"""

import os
import subprocess
import sys

os.environ["PYOPENGL_PLATFORM"] = "egl"

import numpy as np  # noqa: E402  pyrender reads the environment as it is imported

np.infty = np.inf  # type: ignore[attr-defined]  # pyrender's meshes still call it so

import pyrender  # noqa: E402
import trimesh  # noqa: E402
from PIL import Image  # noqa: E402

part, config, picture, gcode = sys.argv[1:]
print("imported", flush=True)

mesh = trimesh.load_mesh(part)
print(mesh.is_watertight, mesh.volume, mesh.area, flush=True)

scene = pyrender.Scene()
scene.add(pyrender.Mesh.from_trimesh(mesh, smooth=False))
pose = np.eye(4)
pose[:3, 3] = mesh.bounds.mean(axis=0) + [0, 0, 1.5 * mesh.scale]
scene.add(pyrender.PerspectiveCamera(yfov=np.pi / 4, zfar=10 * mesh.scale), pose=pose)
scene.add(pyrender.DirectionalLight(intensity=4.0), pose=pose)
pixels, _ = pyrender.OffscreenRenderer(800, 600).render(scene)
Image.fromarray(pixels).save(picture)

command = ["prusa-slicer", "--export-gcode", "--load", config, "--output", gcode, part]
subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
