"""Recall: pieces affected by a lot, printer, config, model or run."""

from django.db.models import Q

from apps.erp.base.models.abstract import BaseResource
from apps.erp.base.models.access import readable_by
from apps.erp.inventory.models.lots import Stock
from apps.erp.orders.models.pieces import Piece
from apps.erp.organisation.models.equipment import Printer
from apps.erp.organisation.models.master_data import Material
from apps.erp.production.models.attempts import loaded_runs
from apps.erp.production.models.runs import Run
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from core import uris
from core.auth_user import Person
from core.errors import InvalidFields, ServiceError, UnknownResource
from core.resources import may_read


def came_from_config(uri: str) -> Q:
    """Pieces that were to be made with a config, or whose line item or run was sliced with it."""
    uri = uris.canonical(uri)
    slices = slicing.slices_with(config=uri)
    return _any_of(
        Q(config_uri=uri),
        Q(line_item__config_uri=uri),
        Q(line_item__slice_uri__in=slices),
        Q(places__run__config_uri=uri),
        Q(places__run__slice_uri__in=slices),
    )


def came_from_model(uri: str) -> Q:
    """Pieces of a model or of one that was made from it; of a packed model, those of its run."""
    uri = uris.canonical(uri)
    family = [uri, *warehouse.descendants(uri)]
    return _any_of(
        Q(model_uri__in=family), Q(line_item__model_uri__in=family), Q(places__run__model_uri=uri)
    )


def came_from_printer(uri: str) -> Q:
    """Pieces that went through a run on a printer."""
    return _any_of(Q(places__run__printer__in=Printer.keys_of(uri)))


def came_from_material(uri: str) -> Q:
    """Pieces made of a material, or supported by it."""
    keys = Material.keys_of(uri)
    return _any_of(Q(line_item__base_material__in=keys), Q(line_item__support_material__in=keys))


def came_from_run(uri: str) -> Q:
    """Pieces that went through a run."""
    return _any_of(Q(places__run__in=Run.keys_of(uri)))


def came_from_stock(uri: str) -> Q:
    """Pieces of runs that were printed while the lot was in the printer."""
    keys = Stock.keys_of(uri)
    return _any_of(Q(places__run__in=loaded_runs().filter(stock__in=keys).values("attempt__run")))


def _any_of(*causes: Q) -> Q:
    """Pieces of which one of these is true: each is looked up in an index of its own."""
    first, *others = (Piece.objects.filter(cause).values("pk") for cause in causes)
    return Q(pk__in=first.union(*others))


# What pieces can be recalled by.
CAUSES = {
    "config": came_from_config,
    "printer": came_from_printer,
    "model": came_from_model,
    "material": came_from_material,
    "run": came_from_run,
    "stock": came_from_stock,
}
_ROWS: dict[str, type[BaseResource]] = {
    "printer": Printer,
    "material": Material,
    "run": Run,
    "stock": Stock,
}


def check_causes(asked: list[tuple[str, str]], *, user: Person) -> None:
    """Raise InvalidFields unless something is asked for, and `user` may read all of it.

    A mistyped cause must not look like one that no piece came from.
    """
    faults: list[ServiceError] = [
        UnknownResource(f"{uri} is not a {name} that you may read.", field=name)
        for name, uri in asked
        if not _reads(user, name, uri)
    ]
    if not asked:
        words = f"Say what the pieces came from: the URI of one of {', '.join(CAUSES)}."
        faults.append(ServiceError(words, code="missing-parameter"))
    if faults:
        raise InvalidFields(faults)


def _reads(user: Person, name: str, uri: str) -> bool:
    keys = uris.keys_of(uri, name)
    if not keys:
        return False
    if row := _ROWS.get(name):
        return readable_by(row, user).filter(pk__in=keys).exists()
    return may_read(uri, user)
