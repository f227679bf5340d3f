"""Builds the Python client as a reproducible wheel."""

import base64
import hashlib
import io
import tomllib
import zipfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from core import VERSION

NAME = f"manufacturing-{VERSION}-py3-none-any.whl"
_WHEEL = """Wheel-Version: 1.0
Generator: manufacturing-platform
Root-Is-Purelib: true
Tag: py3-none-any
"""
_MOMENT = (1980, 1, 1, 0, 0, 0)  # the first that a zip file can tell


def client_wheel(request: HttpRequest) -> HttpResponse:
    """What pip installs from this platform."""
    return HttpResponse(_of_this_platform(), content_type="application/octet-stream")


@cache
def _of_this_platform() -> bytes:
    return wheel(settings.BASE_DIR / "client")


def wheel(folder: Path) -> bytes:
    """The wheel of a project: `pyproject.toml` and the package by its name."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    name = project["name"]
    about = f"{name}-{project['version']}.dist-info"
    sources = [p for p in (folder / name).rglob("*") if p.suffix == ".py" or p.name == "py.typed"]
    files = {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(sources)}
    files[f"{about}/METADATA"] = _metadata(project).encode()
    files[f"{about}/WHEEL"] = _WHEEL.encode()
    files[f"{about}/entry_points.txt"] = _entry_points(project).encode()
    record = "".join(f"{path},{_digest(data)},{len(data)}\n" for path, data in files.items())
    files[f"{about}/RECORD"] = f"{record}{about}/RECORD,,\n".encode()
    return _zipped(files)


def _metadata(project: Mapping[str, Any]) -> str:
    lines = [
        "Metadata-Version: 2.1",
        f"Name: {project['name']}",
        f"Version: {project['version']}",
        f"Summary: {project['description']}",
        f"Requires-Python: {project['requires-python']}",
    ]
    for extra, packages in project["optional-dependencies"].items():
        lines.append(f"Provides-Extra: {extra}")
        lines += [f'Requires-Dist: {package}; extra == "{extra}"' for package in packages]
    return "\n".join(lines) + "\n"


def _entry_points(project: Mapping[str, Any]) -> str:
    scripts = [f"{name} = {place}" for name, place in project["scripts"].items()]
    return "\n".join(["[console_scripts]", *scripts]) + "\n"


def _digest(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.decode().rstrip('=')}"


def _zipped(files: Mapping[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, data in files.items():
            entry = zipfile.ZipInfo(path, _MOMENT)
            entry.create_system, entry.external_attr = 3, 0o644 << 16
            archive.writestr(entry, data)
    return buffer.getvalue()
