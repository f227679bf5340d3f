"""SQL: constraints that bind a model."""

from django.db.models import Q, QuerySet

from apps.slicing.models import Association, Constraint
from apps.warehouse import interface as warehouse
from core.auth_user import Person


def readable_constraints(user: Person) -> QuerySet[Constraint]:
    """The constraints that `user` may read: besides their own, whatever binds a model they read."""
    kept = Constraint.objects.visible_to(user)
    if user.is_staff:
        return kept
    binding = Association.objects.filter(deleted=None, model_uuid__in=warehouse.readable_keys(user))
    return kept | Constraint.objects.filter(deleted=None, pk__in=binding.values("constraint"))


def readable_associations(user: Person) -> QuerySet[Association]:
    """The associations that `user` may read: their own, and whatever binds a model they read."""
    standing = Association.objects.filter(deleted=None, constraint__deleted=None)
    if user.is_staff:
        return standing
    return standing.filter(Q(owner=user) | Q(model_uuid__in=warehouse.readable_keys(user)))


def binding_on(model_uri: str) -> QuerySet[Association]:
    """Return the constraints on slices of the model: its own, and those of its ancestors."""
    family = [model_uri, *warehouse.ancestors(model_uri)]
    return Association.objects.filter(
        deleted=None, constraint__deleted=None, model_uri__in=family
    ).select_related("constraint")
