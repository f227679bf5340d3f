"""Learned print speed per config, for estimates before slicing."""

from apps.erp.orders.domain import shape_metrics
from apps.erp.orders.models.prices import PrintSpeed
from apps.slicing import interface as slicing
from apps.warehouse import interface as warehouse
from apps.warehouse.interface import StoredModel
from pricing import quick_estimate

MAX_SLICES = 200  # that a config is learnt from
# Learnt anew when there are so many times as many slices.
GROWN = 1.2


def guess(model: StoredModel, recipe: slicing.Recipe) -> quick_estimate.Quick | None:
    """What a part probably takes; None of what has no volume."""
    part = _part(model, recipe)
    if part is None:
        return None
    known = PrintSpeed.objects.filter(pk=recipe.key).first()
    if known is None:
        return quick_estimate.estimate(part)
    a, b, c, d = known.time
    e, f, g = known.volume
    return quick_estimate.estimate(
        part, quick_estimate.Speed((a, b, c, d), (e, f, g), known.within)
    )


def learn(config: str) -> None:
    """Learn from the slices of a config, where there are enough new ones."""
    recipe = slicing.recipe_of(config)
    if recipe is None:
        return
    known = PrintSpeed.objects.filter(pk=recipe.key).values_list("learnt_from", flat=True).first()
    found = slicing.measured(config, most=MAX_SLICES)
    if len(found) < max(quick_estimate.ENOUGH, (known or 0) * GROWN):
        return
    models = warehouse.get_models_unchecked({each.model for each in found})
    slices = [
        quick_estimate.Sliced(part, each.seconds, each.cc)
        for each in found
        if each.model in models and (part := _part(models[each.model], recipe))
    ]
    if len(slices) < quick_estimate.ENOUGH:
        return
    speed = quick_estimate.learn(slices)
    PrintSpeed.objects.update_or_create(
        pk=recipe.key,
        defaults={
            "time": list(speed.time),
            "volume": list(speed.volume),
            "within": speed.within,
            "learnt_from": len(found),
        },
    )


def _part(model: StoredModel, recipe: slicing.Recipe) -> quick_estimate.Part | None:
    if model.volume is None or model.size is None or model.sha256 is None:
        return None
    shape = shape_metrics.numbers_of(model.sha256)
    return quick_estimate.Part(
        model.volume, shape.steep, shape.flat, model.size[2], recipe.layer, recipe.infill
    )
