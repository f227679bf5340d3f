"""Admin: accounts, groups, permissions, tokens, sessions and quotas."""

from apps.users.admin import accounts, keys, limits, login, rights

__all__ = ["accounts", "keys", "limits", "login", "rights"]
