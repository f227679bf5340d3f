"""What a run of `make scale` found, as a table; and what follows from it, marked as computed."""

from dataclasses import dataclass, field
from typing import Any

SLICE = 60.0  # seconds of a slice, for what is computed


@dataclass
class Figures:
    """Measured: `requests` by web processes, `real` and `empty` by workers."""

    cores: int
    seconds: float
    order: float = 0.0
    connections: int = 0
    given_back: float = 0.0
    load: float = 0.0
    took: float = 0.0
    requests: dict[int, dict[str, Any]] = field(default_factory=dict)
    real: dict[int, dict[str, Any]] = field(default_factory=dict)
    empty: dict[int, dict[str, Any]] = field(default_factory=dict)

    def table(self) -> str:
        """The table, in Markdown."""
        rows = [
            "| What | With | A second | p50, ms | p95, ms | Connections | Used most |",
            "|---|---|---|---|---|---|---|",
        ]
        for count, found in sorted(self.empty.items()):
            rows.append(
                f"| empty jobs claimed and ended | {count} worker{'s' * (count > 1)} |"
                f" {found['a second']} | {found['p50 ms']} | {found['p95 ms']} |"
                f" {found['connections']} | {found['first']} |"
            )
        for count, found in sorted(self.requests.items()):
            rows.append(
                f"| lists of models | {count} web, PgBouncer | {found['a second']} |"
                f" {found['p50']:.0f} | {found['p95']:.0f} | {found['connections']} |"
                f" {found['first']} |"
            )
        for count, found in sorted(self.real.items()):
            rows.append(
                f"| models judged (48,000 triangles) | {count} worker{'s' * (count > 1)} |"
                f" {found['an hour'] / 3600:.2f} | | | {found['connections']} |"
                f" {found['first']} |"
            )
        most = max((found["a second"] for found in self.empty.values()), default=0)
        slots = int(most * SLICE)
        computed = [
            "",
            "Computed from these, not run:",
            "",
            "| | |",
            "|---|---|",
            f"| slices an hour of 16 machines of 16 slots, {SLICE:.0f} s each |"
            f" {16 * 16 * 3600 / SLICE:.0f} |",
            f"| claims a second that they ask for | {16 * 16 / SLICE:.1f},"
            f" of {most} that were measured |",
            f"| slots of such jobs that this queue could feed | {slots} |",
        ]
        told = [
            f"{self.cores} cores shared by all parts, load {self.load:.0f} at the end; durable "
            f"database; {self.seconds:g} s a row; {self.took / 60:.0f} min in all.",
            "",
            "An order (model, slice, three pieces of a line item) went through both web processes "
            f"in {self.order:.1f} s. All machines together had {self.connections} connections to "
            "the server. The job of a machine that was pulled out was another's after "
            f"{self.given_back:.1f} s.",
            "",
        ]
        return "\n".join([*told, *rows, *computed])
