"""Constraint and its associations with models."""

from django.db import models

from core.ownership import Owned
from core.sharing import Shareable


class Constraint(Shareable):
    """Rules that a config must meet."""

    SERVICE = "slicing"
    KIND = "constraint"

    name = models.CharField(max_length=255)
    description = models.CharField(max_length=1000, blank=True)
    # Parameter -> operator -> value, as they were posted.
    parameters = models.JSONField()

    class Meta:
        indexes = [models.Index(fields=["owner", "uuid"], name="constraint_owner")]

    def __str__(self) -> str:
        return self.name


class Association(Owned):
    """A constraint that binds a model: the contract's constraint-model."""

    SERVICE = "slicing"
    KIND = "constraint-model"
    OWNER = "owner_id"

    constraint = models.ForeignKey(
        Constraint, on_delete=models.PROTECT, related_name="associations"
    )
    model_uri = models.CharField(max_length=500, db_index=True)
    # The model's key, by which the warehouse says who may read it.
    model_uuid = models.UUIDField(db_index=True)

    class Meta:
        indexes = [models.Index(fields=["owner", "uuid"], name="association_owner")]
        constraints = [
            models.UniqueConstraint(
                fields=["constraint", "model_uuid"],
                condition=models.Q(deleted=None),
                name="one_association",
            )
        ]

    def __str__(self) -> str:
        return f"{self.constraint} on {self.model_uri}"
