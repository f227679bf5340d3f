"""Permission queries: check, holders, permissions of a holder, who may grant."""

from collections.abc import Collection
from uuid import UUID

from django.db.models import Q, QuerySet

from apps.users.domain.rights import Question, answer, delegates, may_grant
from apps.users.models import Group, Membership, Permission, User
from apps.users.models.permission import holder_keys, named
from core.errors import Forbidden
from core.resources import owner_of

# How many of those who may grant a right a refusal names.
MAX_NAMED = 10


class NotYourQuestion(Forbidden):
    """The permissions of others are visible only to those who could grant them."""


def check(*, user: User, questions: list[Question]) -> list[bool]:
    """The answers, in the questions' order; all of them are refused if one is not the caller's."""
    own = holder_keys(user)
    others = {
        (question.namespace, question.object): question
        for question in questions
        if named("holder", question.holder)["holder_uuid"] not in own
    }
    for (namespace, on), question in others.items():
        if not (user.is_platform_service or may_grant(user, namespace, on)):
            raise NotYourQuestion(
                f"Whether {question.holder} may do something to {on} is shown to administrators, "
                "and to those who may grant rights on it: ask about yourself, or about a group "
                "that you are in.",
                field="holder",
            )
    return answer(questions)


def holders(*, user: User, namespace: str, right: str, on: str) -> QuerySet[Permission]:
    """Return the permissions that give holders the right on the object and that `user` may see.

    Users who may grant rights on it see all; others see their own and those they granted.
    """
    found = Permission.objects.on(on).filter(namespace=namespace, right=right)
    if may_grant(user, namespace, on):
        return found
    return found & Permission.objects.visible_to(user)


def people(*, user: User, namespace: str, right: str, on: str) -> QuerySet[User]:
    """Return the users with the right on the object, also by a group, that `user` may see."""
    keys = holders(user=user, namespace=namespace, right=right, on=on).values("holder_uuid")
    members = Membership.objects.visible_to(user)
    if may_grant(user, namespace, on):
        members = Membership.objects.all()
    return User.objects.filter(is_active=True).filter(
        Q(uuid__in=keys) | Q(uuid__in=members.filter(group__in=keys).values("user"))
    )


def holdings(*, user: User, holder: str) -> QuerySet[Permission]:
    """What the holder may do, alone or through its groups, as far as `user` may know."""
    of = named("holder", holder)
    key = of["holder_uuid"]
    if key == user.pk:
        return Permission.objects.held_by(user)
    memberships = Membership.objects.visible_to(user).filter(user=key)
    keys = memberships.values_list("group", flat=True) if key else []
    found = Permission.objects.filter(Q(**of) | Q(holder_uuid__in=list(keys)))
    return found & Permission.objects.visible_to(user)


def listed(*, user: User, asked: Collection[str]) -> QuerySet[Permission]:
    """Return the permissions that a list shows to `user`, filtered by the columns in `asked`.

    A platform service may filter by any holder or object within one namespace; besides it sees what
    it granted itself.
    """
    question = "namespace" in asked and ("holder" in asked or "object" in asked)
    if user.is_platform_service and question:
        return Permission.objects.all()
    return Permission.objects.visible_to(user)


def find_permission(*, user: User, uuid: UUID) -> Permission | None:
    """A permission that `user` may see: also any on an object on which they may grant rights."""
    permission = Permission.objects.filter(pk=uuid).first()
    if permission is None or Permission.objects.visible_to(user).filter(pk=uuid).exists():
        return permission
    return permission if may_grant(user, permission.namespace, permission.object) else None


def who_may_grant(*, user: User, namespace: str, on: str) -> list[str]:
    """Return the URIs of those who may grant rights on the object, as far as visible to `user`.

    At most ten: its owner, and users and groups that hold `<kind>.permission.all` on it.
    """
    seen = Membership.objects.visible_to(user)
    owner = User.objects.filter(pk__in=[owner_of(on)], is_active=True).first()
    near = owner is not None and (owner == user or seen.filter(user=owner).exists())
    visible = delegates(namespace, on).filter(
        Q(holder_uuid=user.pk)
        | Q(holder_uuid__in=seen.values("user"))
        | Q(holder_uuid__in=Group.objects.visible_to(user).values("uuid"))
    )
    found = visible.order_by("uuid").values_list("holder", flat=True)[:MAX_NAMED]
    return list(dict.fromkeys([*([owner.uri] if owner and near else []), *found]))
