"""Lookup `like` of texts: SQL's LIKE whatever the case."""

from typing import Any

from django.db.models import CharField, Lookup, TextField


@CharField.register_lookup
@TextField.register_lookup
class Like(Lookup):
    """`column__like=pattern`: SQL's LIKE whatever the case, in a form that an index can serve."""

    lookup_name = "like"

    def as_sql(self, compiler: Any, connection: Any) -> tuple[str, tuple[Any, ...]]:
        left, left_values = self.process_lhs(compiler, connection)
        right, right_values = self.process_rhs(compiler, connection)
        return f"LOWER({left}) LIKE LOWER({right})", (*left_values, *right_values)
