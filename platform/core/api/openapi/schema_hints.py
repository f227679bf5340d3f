"""Free JSON, and keywords of JSON Schema beside a type, for response types of any layer."""

from dataclasses import dataclass
from typing import Annotated, Any, TypeAlias

FreeJson: TypeAlias = dict[str, Any]  # JSON whose members nothing here names
JsonSchema: TypeAlias = dict[str, Any]  # JSON Schema, or a part of an OpenAPI document


@dataclass(frozen=True, eq=False)
class SchemaHints:
    """Keywords of JSON Schema that a Python type cannot express."""

    schema: JsonSchema


Uri: TypeAlias = Annotated[str, SchemaHints({"format": "uri"})]
Email: TypeAlias = Annotated[str, SchemaHints({"format": "email"})]
