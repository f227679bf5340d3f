"""Capacity queries."""

import json
from hashlib import sha256

from django.db import transaction

from apps.erp.organisation.domain.packing_space import outline_of, policy_of, room_of
from apps.erp.organisation.models.equipment import PrinterType
from apps.erp.production.actors.capacities import count_capacity
from apps.erp.production.domain.packing_input import request_of
from apps.erp.production.models.capacity import Capacity
from apps.warehouse import interface as warehouse
from core.auth_user import Person
from geometry.packing.bounds import outline_bounds

CAPACITY_COST = 5.0  # s


@transaction.atomic
def find_capacity(*, user: Person, printer_type: PrinterType, model: str) -> Capacity:
    """How many of a model fit a type of printer, as far as is known.

    The first to ask is answered by bounding boxes alone, and has them counted.
    """
    found = warehouse.find_model(uri=model, user=user)
    if found.status != "processed":
        raise warehouse.ModelNotReady(
            f"Only a model that is processed can be counted; {found.uri} is {found.status}.",
            field="model",
        )
    policy = policy_of(found, printer_type)
    question = {
        **request_of(printer_type),
        "packer": printer_type.build_packer_type,
        "policy": policy,
        "mesh": found.sha256,
    }
    key = sha256(json.dumps(question, sort_keys=True).encode()).hexdigest()
    known = Capacity.objects.filter(pk=key).first()
    if known is not None:
        return known
    fit = outline_bounds(outline_of(found, policy), room_of(printer_type))
    exact = fit.at_least == fit.at_most
    row, made = Capacity.objects.get_or_create(
        pk=key,
        defaults={
            "question": {**question, "name": found.name},
            "status": Capacity.Status.FINAL if exact else Capacity.Status.CALCULATING,
            **fit._asdict(),
        },
    )
    if made and not exact:
        count_capacity.send_with_options(args=(key,), cost=CAPACITY_COST)
    return row
