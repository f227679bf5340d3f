"""The child processes in which the warehouse's jobs run, by what they have loaded."""

from typing import Any

from django.conf import settings

from core.errors import entry
from core.jail import Jail, Limits

# numpy sorts several times slower with AVX-512 than with AVX2 where compress is microcode.
SORTING: dict[str, str | None] = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
MESH_LIMITS = Limits(seconds=settings.ANALYSIS_TIME, memory=settings.JOB_MEMORY)

# What somebody waits for: verdicts and children.
analysts = Jail(
    "apps.warehouse.jobs.meshes", limits=MESH_LIMITS, environment=SORTING, queue="meshes"
)
# What comes after: printability, previews, old models judged anew.
assessors = Jail(
    "apps.warehouse.jobs.meshes",
    "scipy.sparse.csgraph",
    "embreex.mesh_construction",
    "fast_simplification",
    limits=MESH_LIMITS,
    environment=SORTING,
    queue="extras",
)
painter = Jail(
    "apps.warehouse.jobs.pictures",
    resident=True,
    limits=Limits(seconds=settings.RENDER_TIME, memory=settings.RENDER_MEMORY),
    queue="renders",
)


def abandoned(reason: dict[str, Any]) -> dict[str, Any]:
    """The error of a resource whose job was given up."""
    if reason.get("reason") == "worker-died":
        return entry(
            "worker-died",
            f"The work on this ended its worker process {reason['starts']} times and was given "
            "up: the input may be damaged.",
        )
    return entry(
        "internal-error",
        "The work on this failed several times on our side: try again later, or tell the operator.",
    )
