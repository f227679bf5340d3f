"""Sandbox of packing and capacity jobs."""

from django.conf import settings

from core.sandbox.sandbox import ResourceLimits, Sandbox

# Beside the search: reading models, measuring and writing what was found, s.
AROUND = 600

packers = Sandbox(
    "apps.erp.production.jobs.packing",
    "apps.erp.production.jobs.capacity",
    "geometry.preload",
    limits=ResourceLimits(seconds=settings.PACKING_TIME + AROUND, memory=settings.PACKING_MEMORY),
    environment={"NUMBA_CACHE_DIR": settings.NUMBA_CACHE_DIR, "NUMBA_NUM_THREADS": "1"},
)
