"""Job: follows the jobs of slicers in shops."""

import dramatiq

from apps.slicing.domain.engine_jobs import check_jobs


@dramatiq.actor(queue_name="default", max_retries=0)
def check_engine_jobs() -> None:
    """Queue jobs again whose agent is silent, and end those that none takes; half-minutely."""
    check_jobs()
