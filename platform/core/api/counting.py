"""Counting a list by the values of a field."""

from collections.abc import Mapping

from django.db.models import Model


def enumerations(
    model: type[Model] | None, lookups: Mapping[str, str]
) -> dict[str, tuple[str, ...]]:
    """Return the filters by fields with choices, each with its values.

    lookups : by the names of the filters
    """
    fields = {each.name: each for each in model._meta.fields} if model else {}
    chosen = {name: fields.get(lookup) for name, lookup in lookups.items()}
    return {
        name: tuple(value for value, _label in column.flatchoices if value)
        for name, column in chosen.items()
        if column is not None and column.choices
    }
