"""JSON Schema validation of service parameters."""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError, ValidationError
from referencing import Registry

from core.errors import InvalidFields, ServiceError

# A registry that fetches nothing: a reference never leaves its schema.
_NOWHERE: Registry = Registry()
_CODES = {
    "required": "missing-parameter",
    "additionalProperties": "request-validation-error",
    "type": "type-validation-error",
}


def fault_of_schema(schema: Any) -> str | None:
    """Why `schema` cannot be used, in a sentence; None where it can."""
    if not isinstance(schema, dict):
        return "Send a JSON Schema: an object."
    if any(not reference.startswith("#/$defs/") for reference in _references(schema)):
        return "A $ref may only name something below #/$defs/ of the schema itself."
    try:
        Draft202012Validator.check_schema(schema)
        list(Draft202012Validator(schema, registry=_NOWHERE).iter_errors({}))
    except SchemaError as error:
        return f"This is not a JSON Schema (2020-12): {error.message[:300]}"
    except Exception as error:
        # Whatever a schema makes the library do: unknown references, endless recursion.
        return f"This JSON Schema cannot be applied: {type(error).__name__}."
    return None


def check_parameters(schema: Mapping[str, object], parameters: Mapping[str, object]) -> None:
    """Raise InvalidFields, with all that is wrong, where `parameters` break `schema`."""
    validator = Draft202012Validator(schema, registry=_NOWHERE)
    if found := [fault for error in validator.iter_errors(parameters) for fault in _faults(error)]:
        raise InvalidFields(found)


def _faults(error: ValidationError) -> Iterator[ServiceError]:
    place = ["parameters", *(str(step) for step in error.absolute_path)]
    kind = str(error.validator)
    code = _CODES.get(kind, "property-value-not-in-allowed-values")
    names: list[str] = []
    if kind == "required" and isinstance(error.instance, dict):
        names = [name for name in error.validator_value if name not in error.instance]
        names = [name for name in names if error.message.startswith(repr(name))]
    if kind == "additionalProperties" and isinstance(error.instance, dict):
        known = error.schema.get("properties", {}) if isinstance(error.schema, dict) else {}
        names = [name for name in error.instance if name not in known]
    for field in [[*place, name] for name in names] or [place]:
        title = f"The service does not take this: {error.message[:500]}."
        yield ServiceError(title, code=code, field=".".join(field))


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for name, value in schema.items():
            if name in ("$ref", "$dynamicRef", "$id", "$schema"):
                # The dialect may be named; another base would make every reference remote.
                known = name == "$schema" and value == Draft202012Validator.META_SCHEMA["$id"]
                yield "#/$defs/" if known else str(value)
            yield from _references(value)
    elif isinstance(schema, list):
        for value in schema:
            yield from _references(value)
