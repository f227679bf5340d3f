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
_JOBS = """
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
    """Counted when it is asked for: nothing is gathered in between."""

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
            cursor.execute(_JOBS)
            jobs = {(queue, state): count for queue, state, count in cursor.fetchall()}
        yield _gauge("platform_queue_jobs", "Jobs on record.", ("queue", "state"), jobs)
        yield _gauge(
            "platform_queue_seconds",
            "For how long what is ready and at work would keep one worker of the queue busy.",
            ("queue",),
            {(queue,): depth.seconds for queue, depth in depths().items()},
        )
        yield _gauge(
            "platform_canary_age_seconds",
            "Since a canary of the queue was heard: a small job that is sent twice a minute.",
            ("queue",),
            {(queue,): age for queue, age in probes.probe_ages().items()},
        )
        held = oldest_snapshot.oldest_snapshot()
        yield GaugeMetricFamily(
            "platform_oldest_snapshot_seconds",
            "For how long somebody has held a snapshot of the database, as a backup does.",
            held.seconds if held else 0.0,
        )
        yield _gauge(
            "platform_resources", "Resources on record.", ("kind", "status"), dict(_resources())
        )
        yield GaugeMetricFamily(
            "platform_storage_up",
            "Whether the storage of files serves.",
            not health.storage_error(),
        )
        yield _gauge(
            "platform_storage_damaged",
            "Stored files that were met lost or corrupt, and are not mended yet.",
            ("what",),
            {(what,): count for what, count in damage.counts().items()},
        )
        free = shutil.disk_usage(settings.DATA_DIR).free
        yield GaugeMetricFamily("platform_disk_free_bytes", "Free below DATA_DIR.", free)
        yield GaugeMetricFamily(
            "platform_event_streams", "Streams of events that are open.", listener.count
        )


def _callbacks() -> Iterator[Metric]:
    figures = callbacks.read_figures()
    yield _gauge(
        "platform_callbacks_pending",
        "Callbacks that wait to be delivered, by how their host is.",
        ("origin_state",),
        {(state,): count for state, count in figures.pending.items()},
    )
    yield _gauge(
        "platform_callbacks_oldest_pending_seconds",
        "For how long the oldest of these has been tried.",
        ("origin_state",),
        {(state,): age for state, age in figures.oldest.items()},
    )
    yield _gauge(
        "platform_callbacks",
        "Callbacks on record.",
        ("state",),
        {(state,): count for state, count in figures.deliveries.items()},
    )
    yield _gauge(
        "platform_callbacks_attempts",
        "Attempts to deliver the callbacks on record.",
        ("outcome",),
        {(outcome,): count for outcome, count in figures.attempts.items()},
    )
    yield GaugeMetricFamily(
        "platform_callbacks_sender_up", "Whether a sender is at work.", callbacks.sender_is_active()
    )


def _agents() -> Iterator[Metric]:
    figures = erp.agent_figures()
    yield _gauge(
        "platform_agent_online",
        "Whether an agent was heard in the last minute.",
        ("agent",),
        {(each.uri,): float(each.online) for each in figures},
    )
    yield _gauge(
        "platform_agent_permits_refused",
        "How often an agent asked in vain whether a print may start.",
        ("agent",),
        {(each.uri,): each.permits_refused for each in figures},
    )
    yield _gauge(
        "platform_agent_report_delay_seconds",
        "How old the oldest of an agent's last reports was when it came.",
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
