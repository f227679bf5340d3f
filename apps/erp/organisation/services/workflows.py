"""Create and update workflow steps."""

from typing import Any

from apps.erp.base.services import resources
from apps.erp.organisation.models.workflows import ProcessStep
from core.auth_user import Person
from core.errors import InvalidFields


def create_step(*, actor: Person, process_type: Any, **values: Any) -> ProcessStep:
    """A step that is done by `process_type`, a row of one of the kinds that do steps."""
    done_by = _columns(process_type, values["workflow"].bureau_id)
    return resources.create(actor=actor, kind=ProcessStep, **values, **done_by)


def change_step(*, actor: Person, row: ProcessStep, **values: Any) -> None:
    """Change what was given."""
    if process_type := values.pop("process_type", None):
        values |= _columns(process_type, row.bureau_id)
    resources.change(actor=actor, row=row, **values)


def _columns(process_type: Any, bureau: Any) -> dict[str, Any]:
    """The column of the kind that does the step, and the others, which are empty."""
    if process_type.bureau_id != bureau:
        words = f"{process_type.uri} belongs to another bureau."
        raise InvalidFields([resources.WrongBureau(words, field="process_type")])
    return {
        column: process_type if isinstance(process_type, kind) else None
        for kind, column in ProcessStep.PROCESSES.items()
    }
