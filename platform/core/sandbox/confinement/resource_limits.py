"""Resource limits (setrlimit) within those that the process was started with."""

import resource


def set_limit(kind: int, most: int, grace: int = 0) -> None:
    """Limit this process to `most`, and after a signal to `grace` more.

    Where it was started with a lower limit, as in some containers, that stays: a
    process without privileges may not raise it.
    """
    _, bound = resource.getrlimit(kind)
    soft, hard = most, most + grace
    if bound != resource.RLIM_INFINITY:
        soft, hard = min(soft, bound), min(hard, bound)
    resource.setrlimit(kind, (soft, hard))
