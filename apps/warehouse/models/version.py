"""ModelVersion: place of a model among the versions of one part."""

from typing import ClassVar

from django.conf import settings
from django.db import models

from apps.warehouse.models.model import Model
from core.auth_user import Person
from core.model_fields import DatabaseTimeField
from core.resources import Resource


class ModelVersionQuerySet(models.QuerySet):
    """Questions about versions."""

    def visible_to(self, user: Person) -> "ModelVersionQuerySet":
        """Versions whose model `user` may read."""
        return self.filter(model__in=Model.objects.visible_to(user))

    def newer(self) -> "ModelVersionQuerySet":
        """Of these, the ones after the version of an outer query."""
        return self.filter(series=models.OuterRef("series"), number__gt=models.OuterRef("number"))


class ModelVersion(Resource):
    """A model as a version of a part: versions of one `series` count from 1.

    `series` is the key of the model that was the first one, and `owner` who made this a version.
    """

    SERVICE = "models"
    KIND = "model-version"

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.SET_NULL, null=True, related_name="+"
    )
    model = models.OneToOneField(Model, on_delete=models.CASCADE, related_name="version")
    series = models.UUIDField()
    number = models.PositiveIntegerField()
    note = models.CharField(max_length=1000, blank=True)
    updated = DatabaseTimeField(auto_now=True)

    objects: ClassVar = ModelVersionQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["series", "number"], name="one_number_each")]

    def __str__(self) -> str:
        return f"Version {self.number} of {self.series}"
