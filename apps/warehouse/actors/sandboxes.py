"""Sandboxes of the warehouse's jobs."""

from django.conf import settings

from core.sandbox.sandbox import ResourceLimits, Sandbox

# numpy sorts several times slower with AVX-512 than with AVX2 where compress is microcode.
SORTING: dict[str, str | None] = {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR"}
MESH_LIMITS = ResourceLimits(seconds=settings.ANALYSIS_TIME, memory=settings.JOB_MEMORY)

# What somebody waits for: verdicts and children.
analysts = Sandbox(
    "apps.warehouse.jobs.meshes",
    "geometry.preload",
    limits=MESH_LIMITS,
    environment=SORTING,
    queue="meshes",
)
# What comes after: printability, previews, old models judged anew.
assessors = Sandbox(
    "apps.warehouse.jobs.meshes",
    "geometry.preload",
    "scipy.sparse.csgraph",
    "geometry.ready_rays",
    "fast_simplification",
    limits=MESH_LIMITS,
    environment=SORTING,
    queue="extras",
)
painter = Sandbox(
    "apps.warehouse.jobs.rendering",
    resident=True,
    limits=ResourceLimits(seconds=settings.RENDER_TIME, memory=settings.RENDER_MEMORY),
    queue="renders",
    first="apps.warehouse.jobs.rendering:draw_sample",
)
