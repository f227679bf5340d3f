"""Prometheus metrics (`/metrics`)."""

import shutil
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.apps import apps
from django.conf import settings
from django.db import connection
from django.db.models import Count
from django.http import HttpResponse
from prometheus_client import CollectorRegistry
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from apps.callbacks import interface as callbacks
from apps.erp import interface as erp
from core.api.views import ApiView
from core.files.storage import damage, health
from core.postgres import oldest_snapshot
from core.queue import probes
from core.queue.depth import depths
from core.state_machine import Stateful
from project.event_streams import listener

# A job that waits for its time lies in a queue of that name with .DQ behind it.
_JOBS_SQL = """
    SELECT split_part(queue_name, '.', 1),
        CASE WHEN state = 'queued' AND available_at > now() THEN 'delayed' ELSE state::text END,
        count(*)
    FROM dramatiq.queue GROUP BY 1, 2
"""


class MetricsReaders(BasePermission):
    """Administrators, and platform services with a token that is for nothing else."""

    message = "The metrics are for administrators, and for tokens with the namespace metrics."

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        if user is None or user.is_staff:
            return user is not None
        return user.is_platform_service and getattr(request.auth, "reads_metrics", False)


class MetricsView(ApiView):
    """Computed at each scrape: nothing is collected in between."""

    permission_classes = (MetricsReaders,)

    def get(self, request: Request) -> HttpResponse:
        registry = CollectorRegistry(auto_describe=False)
        registry.register(Platform())
        return HttpResponse(generate_latest(registry), content_type=CONTENT_TYPE_PLAIN_0_0_4)


class Platform(Collector):
    """The whole installation, as the database and the disk show it."""

    def describe(self) -> Iterable[Metric]:
        return []

    def collect(self) -> Iterator[Metric]:
        yield from _callbacks()
        yield from _agents()
        with connection.cursor() as cursor:
            cursor.execute(_JOBS_SQL)
            jobs = {(queue, state): count for queue, state, count in cursor.fetchall()}
        yield _gauge("platform_queue_jobs", "Jobs by queue and state.", ("queue", "state"), jobs)
        yield _gauge(
            "platform_queue_seconds",
            "Expected seconds of ready and running jobs.",
            ("queue",),
            {(queue,): depth.seconds for queue, depth in depths().items()},
        )
        yield _gauge(
            "platform_queue_probe_age_seconds",
            "Seconds since a probe job of the queue completed.",
            ("queue",),
            {(queue,): age for queue, age in probes.probe_ages().items()},
        )
        held = oldest_snapshot.oldest_snapshot()
        yield GaugeMetricFamily(
            "platform_oldest_snapshot_seconds",
            "Age of the oldest database snapshot.",
            held.seconds if held else 0.0,
        )
        yield _gauge(
            "platform_resources",
            "Resources by kind and status.",
            ("kind", "status"),
            dict(_resources()),
        )
        yield GaugeMetricFamily(
            "platform_storage_up",
            "Whether file storage is available.",
            not health.storage_error(),
        )
        yield _gauge(
            "platform_storage_damaged",
            "Stored files known as missing or corrupt.",
            ("what",),
            {(what,): count for what, count in damage.counts().items()},
        )
        free = shutil.disk_usage(settings.DATA_DIR).free
        yield GaugeMetricFamily("platform_disk_free_bytes", "Free bytes below DATA_DIR.", free)
        yield GaugeMetricFamily("platform_event_streams", "Open event streams.", listener.count)


def _callbacks() -> Iterator[Metric]:
    figures = callbacks.read_figures()
    yield _gauge(
        "platform_callbacks_pending",
        "Callbacks waiting for delivery, by state of the origin.",
        ("origin_state",),
        {(state,): count for state, count in figures.pending.items()},
    )
    yield _gauge(
        "platform_callbacks_oldest_pending_seconds",
        "Age of the oldest pending callback, by state of the origin.",
        ("origin_state",),
        {(state,): age for state, age in figures.oldest.items()},
    )
    yield _gauge(
        "platform_callbacks",
        "Callbacks by state.",
        ("state",),
        {(state,): count for state, count in figures.deliveries.items()},
    )
    yield _gauge(
        "platform_callbacks_attempts",
        "Delivery attempts of recorded callbacks, by outcome.",
        ("outcome",),
        {(outcome,): count for outcome, count in figures.attempts.items()},
    )
    yield GaugeMetricFamily(
        "platform_callbacks_sender_up",
        "Whether a callback sender is active.",
        callbacks.sender_is_active(),
    )


def _agents() -> Iterator[Metric]:
    figures = erp.agent_figures()
    yield _gauge(
        "platform_agent_online",
        "Whether the agent sent a heartbeat in the last minute.",
        ("agent",),
        {(each.uri,): float(each.online) for each in figures},
    )
    yield _gauge(
        "platform_agent_permits_refused",
        "Print permits refused to the agent.",
        ("agent",),
        {(each.uri,): each.permits_refused for each in figures},
    )
    yield _gauge(
        "platform_agent_report_delay_seconds",
        "Largest delay of the agent's recent reports.",
        ("agent",),
        {(each.uri,): each.report_delay for each in figures if each.report_delay is not None},
    )


def _resources() -> Iterator[tuple[tuple[str, str], int]]:
    """(kind, status) -> how many, of everything that has a state machine."""
    for model in apps.get_models():
        if issubclass(model, Stateful):
            rows: Any = model._base_manager.order_by()
            for row in rows.values("status").annotate(count=Count("pk")):
                yield (model._meta.model_name or "", row["status"]), row["count"]


def _gauge(name: str, words: str, labels: tuple[str, ...], values: Mapping[Any, float]) -> Metric:
    family = GaugeMetricFamily(name, words, labels=labels)
    for key in sorted(values):
        family.add_metric(key, values[key])
    return family
