"""Password hasher (Argon2)."""

from django.contrib.auth.hashers import Argon2PasswordHasher


class Argon2(Argon2PasswordHasher):
    """Django's Argon2id, 100 MiB and two passes, in one lane: a hash never fills two cores."""

    parallelism = 1
