"""Conversion of non-STL uploads."""

from django.conf import settings
from django.db import transaction
from django.utils.module_loading import import_string

from apps.callbacks import interface as callbacks
from apps.warehouse.models import Model
from core.api.openapi.response_types import FreeJson
from core.auth_user import Person
from core.errors import Conflict, Forbidden, error_entry

PROCESSING, COMPLETE, ERROR = "processing", "complete", "error"
CONVERSION_STATES = (PROCESSING, COMPLETE, ERROR, "payment-required")


class NotConvertible(Conflict):
    """There is nothing to convert."""

    code = "model-not-convertible"


def convert_upload(model: Model) -> None:
    """Begin the conversion of a file that came just now, where its owner wants that."""
    if model.type != Model.Type.PDF and settings.CONVERT_UPLOADS and model.owner.convert_uploads:
        _begin(model, asked=False)


def convert(model: Model, *, actor: Person) -> None:
    """Start the conversion of a file at the owner's request; does nothing where it has started.

    Raises PaymentRequired where charging the owner is not allowed.
    """
    if actor.pk != model.owner_id:
        raise Forbidden("Its owner alone has a model converted: the operation is theirs.")
    if model.status != Model.Status.INOPERABLE or model.content_id is None:
        title = "Only an uploaded file of another type than STL is converted."
        raise NotConvertible(title, field="convert")
    if (model.conversion or {}).get("status") in (PROCESSING, COMPLETE):
        return
    if not _begin(model, asked=True):
        title = "The service that converts files is not offered here: tell the operator."
        raise NotConvertible(title, field="convert")


def _begin(model: Model, *, asked: bool) -> bool:
    """Start the conversion; return whether a service offers it."""
    begin = import_string(settings.CONVERT_FILE)
    conversion = begin(uri=model.uri, owner=model.owner, asked=asked)
    if conversion is None:
        return False
    model.conversion = conversion
    model.save(update_fields=["conversion", "updated"])
    return True


@transaction.atomic(savepoint=False)
def end(
    *,
    model: Model,
    operation: str,
    models: list[str],
    receipt: FreeJson | None = None,
    failure: FreeJson | None = None,
) -> None:
    """Record and emit the result of a model's conversion by this operation.

    models  : URIs of the models created
    failure : {code, title} where none was created
    """
    conversion = {
        "status": ERROR if failure else COMPLETE,
        "operation": operation,
        "models": models,
        "receipt": receipt,
        "errors": [error_entry(failure["code"], failure["title"])] if failure else None,
    }
    expect = {"deleted": None, "conversion__operation": operation}
    model.move(Model.Status.INOPERABLE, expect=expect, conversion=conversion)
    callbacks.emit_status(model)


def end_conversion(
    *,
    uri: str,
    operation: str,
    models: list[str],
    receipt: FreeJson | None = None,
    failure: FreeJson | None = None,
) -> None:
    """Record and emit the result of the conversion of a model by this operation.

    Does nothing for an operation that the model did not start, such as one by hand.

    models  : URIs of the models created
    failure : {code, title} where none was created
    """
    waiting = Model.objects.filter(
        pk__in=Model.keys_of(uri), deleted=None, conversion__operation=operation
    )
    for model in waiting.select_for_update():
        end(model=model, operation=operation, models=models, receipt=receipt, failure=failure)
