"""`analyses` of a model."""

from typing import Any, TypedDict, get_type_hints

from core.api.openapi.response_types import ErrorAnswer, FreeJson
from geometry.analysis import Analysis
from geometry.printability import Printability


def type_of(found: Any, **more: Any) -> Any:
    """Return the answer's type of a named tuple of the kernel: each figure, nullable."""
    figures = {name: hint | None for name, hint in get_type_hints(found).items()}
    make: Any = TypedDict
    return make(f"{found.__name__}Answer", figures | more)


PrintabilityAnswer = type_of(
    Printability, probable_unit=FreeJson | None, errors=list[ErrorAnswer] | None
)
AnalysisAnswer = type_of(Analysis, printability=PrintabilityAnswer | None)

_NO_ANALYSES = dict.fromkeys((*Analysis._fields, "printability"))
_NO_PRINTABILITY = dict.fromkeys((*Printability._fields, "errors"))


def found_out(analyses: FreeJson | None, printability: FreeJson | None) -> FreeJson:
    """The `analyses` of a model: every figure, null where it is not there yet."""
    assessed = printability and {**_NO_PRINTABILITY, **printability}
    return {**_NO_ANALYSES, **(analyses or {}), "printability": assessed}
