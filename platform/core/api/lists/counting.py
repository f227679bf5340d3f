"""Counting a list by the values of a field."""

from collections.abc import Mapping

from django.db.models import Field, Model


def enumerations(
    model: type[Model] | None, lookups: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the filters by fields with choices, each with its values.

    lookups : by the names of the filters
    """
    chosen = {name: _field(model, lookup) for name, lookup in lookups.items()}
    return {
        name: tuple(value for value, _label in column.flatchoices if value)
        for name, column in chosen.items()
        if column is not None and column.choices
    }


def _field(model: type[Model] | None, lookup: str) -> Field | None:
    """The column that a lookup names, also that of a row that the model refers to."""
    name, _, rest = lookup.partition("__")
    column = (
        next((each for each in model._meta.fields if each.name == name), None) if model else None
    )
    if column is None or not rest:
        return column
    return _field(column.related_model, rest) if column.many_to_one else None
