"""Services offered by the built-in providers."""

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from uuid import NAMESPACE_URL, UUID, uuid5

from core.outbound.webhook_signatures import derived_secret
from core.sandbox.sandbox import ResourceLimits

GIB = 1024**3
POINT = {"type": "array", "items": {"type": "number"}, "minItems": 3, "maxItems": 3}


Parameters: TypeAlias = dict[str, Any]  # of an operation, as its service's schema has them


@dataclass(frozen=True)
class Offer:
    """A service of ours, and the kernel behind it.

    job       : `module:function` that is run in the sandbox
    arguments : (model's type, parameters) -> what the job is called with beside path and out
    result    : parameters -> the type of the result file
    takes     : the types of models; empty: any
    """

    type: str
    name: str
    description: str
    parameters: Mapping[str, object]
    job: str
    limits: ResourceLimits
    required: tuple[str, ...] = ()
    arguments: Callable[[str, Parameters], Parameters] = lambda type, given: given
    result: Callable[[Parameters], str] = lambda given: "stl"
    takes: tuple[str, ...] = field(default=("stl",))

    @property
    def uuid(self) -> UUID:
        """The key of its service, the same in every installation."""
        return key_of(self.type)

    @property
    def secret(self) -> str:
        """As of the service with this key."""
        return derived_secret(f"secret of service {self.uuid}".encode())

    @property
    def schema(self) -> dict[str, object]:
        """The JSON Schema of its parameters."""
        return {
            "type": "object",
            "properties": self.parameters,
            "required": list(self.required),
            "additionalProperties": False,
        }

    def url(self, base: str) -> str:
        """Return the URL of the service below `base`, the address of the provider process."""
        return f"{base}/{self.type}/"


def key_of(type: str) -> UUID:
    """The key of our own service of this type."""
    return uuid5(NAMESPACE_URL, f"built-in service {type}")


def offers() -> list[Offer]:
    """All that is offered; formats as far as they are installed here."""
    # By its name: the web process does not need what reads all these formats.
    conversion = importlib.import_module("geometry.formats.convert")
    return [HEALING, _conversion(conversion.formats()), SERIALIZATION]


HEALING = Offer(
    type="model-healing",
    name="Model healing",
    description="Closes holes, turns facets the right way, separates and merges shells; refuses "
    "what it could only mend by changing the part.",
    parameters={
        "max_volume_change": {"type": "number", "minimum": 0, "maximum": 1},
        "max_filled_area": {"type": "number", "minimum": 0, "maximum": 1},
        "merge": {"type": "boolean"},
    },
    job="geometry.healing:heal",
    limits=ResourceLimits(seconds=360, memory=3 * GIB, file_size=GIB),
)


def _conversion(formats: list[str]) -> Offer:
    return Offer(
        type="file-conversion",
        name="File conversion",
        description=f"Turns a model into one of another format, of: {', '.join(formats)}.",
        parameters={
            "format": {"type": "string", "enum": formats},
            "unit": {"type": "string", "maxLength": 16},
            "main": {"type": "string", "maxLength": 255},
            "parts": {"type": "string", "enum": ["merge", "separate"]},
        },
        job="geometry.formats.split:convert_as_asked",
        limits=ResourceLimits(seconds=540, memory=4 * GIB, file_size=GIB),
        arguments=lambda type, given: {**given, "source": type},
        result=lambda given: (
            "zip" if given.get("parts") == "separate" else given.get("format", "stl")
        ),
        takes=(),
    )


SERIALIZATION = Offer(
    type="serialization",
    name="Serialization",
    description="Cuts a text into a flat face of the part, or raises it there.",
    parameters={
        "text": {"type": "string", "minLength": 1, "maxLength": 32},
        "mode": {"type": "string", "enum": ["engrave", "emboss"]},
        "size": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
        "depth": {"type": "number", "exclusiveMinimum": 0, "maximum": 5},
        "position": POINT,
        "normal": POINT,
    },
    required=("text",),
    job="geometry.marking:mark",
    limits=ResourceLimits(seconds=360, memory=2 * GIB, file_size=GIB),
)
