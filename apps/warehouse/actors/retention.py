"""Job: purge deleted models after the retention period."""

import dramatiq
from django.conf import settings
from django.db import transaction
from django.utils import timezone

from apps.warehouse.models import Model, Snapshot


@dramatiq.actor(queue_name="default")
def empty_deleted_models() -> None:
    """Let go of the files of models that were deleted long ago; the rows stay, as a record.

    Housekeeping removes each file that nothing else refers to.
    """
    limit = timezone.now() - settings.DELETED_MODELS_RETENTION
    with transaction.atomic():
        old = Model.objects.filter(deleted__lt=limit).exclude(content=None)
        old = old.exclude(snapshots__status=Snapshot.Status.PROCESSING)
        chosen = list(old.select_for_update(skip_locked=True).values_list("pk", flat=True))
        Snapshot.objects.filter(model__in=chosen).delete()
        files = dict.fromkeys(("content", "canonical", "picture", "small_picture"))
        Model.objects.filter(pk__in=chosen).update(**files)
