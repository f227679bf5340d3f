"""Label: the folder and tags that a person gives a model."""

from typing import Any, ClassVar

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Count, F, Func, QuerySet

from apps.warehouse.models.model import Model
from core.auth_user import Person
from core.model_fields import DatabaseTimeField
from core.resources import Resource

SEPARATOR = "/"  # between a folder and one in it


class LabelQuerySet(models.QuerySet):
    """Questions about labels."""

    def visible_to(self, user: Person) -> "LabelQuerySet":
        """One's own labels of models that are not deleted."""
        return self.filter(owner_id=user.pk, model__deleted=None)

    def count_values(self, field: str) -> dict[str, int]:
        """Return how many models have each folder (`folder`) or tag (`tags`)."""
        rows: QuerySet[Any] = self.exclude(folder="")
        value: Any = F("folder")
        if field == "tags":
            rows, value = self.all(), Func(F("tags"), function="unnest")
        rows = rows.order_by().annotate(value=value).values("value").annotate(n=Count("pk"))
        return dict(sorted(rows.values_list("value", "n")))


class Label(Resource):
    """The folder of a model, as a path such as Customers/Hansa, and its tags; of one person.

    Others who read the model have their own. `folder` is empty where it is in none.
    """

    SERVICE = "models"
    KIND = "model-label"

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    model = models.ForeignKey(Model, on_delete=models.CASCADE, related_name="labels")
    folder = models.CharField(max_length=255, blank=True)
    tags = ArrayField(models.CharField(max_length=64), default=list, blank=True)
    updated = DatabaseTimeField(auto_now=True)

    objects: ClassVar = LabelQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["owner", "model"], name="one_label_each")]
        indexes = [models.Index(fields=["owner", "folder"], name="label_folder")]

    def __str__(self) -> str:
        return f"{self.folder} {' '.join(self.tags)}"
