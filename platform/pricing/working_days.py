"""Working days in a bureau's time zone."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

# As far ahead as anybody plans.
FARTHEST = 3660  # days


def weekdays() -> list[int]:
    """Monday to Friday."""
    return [0, 1, 2, 3, 4]


@dataclass(frozen=True)
class Calendar:
    """When a bureau works.

    cut_off : the hour from which on the day counts no more
    """

    time_zone: str = "UTC"
    cut_off: int = 24
    weekdays: frozenset[int] = frozenset(weekdays())
    holidays: frozenset[date] = frozenset()

    def works_on(self, day: date) -> bool:
        """Whether it is a working day."""
        return day.weekday() in self.weekdays and day not in self.holidays

    def first_day(self, now: datetime) -> date:
        """The first day on which something can be begun."""
        here = now.astimezone(ZoneInfo(self.time_zone))
        day = here.date()
        if here.hour >= self.cut_off:
            day += timedelta(days=1)
        return self.on_or_after(day)

    def on_or_after(self, day: date) -> date:
        """The next working day; the day itself where none comes."""
        for ahead in range(FARTHEST):
            if self.works_on(found := day + timedelta(days=ahead)):
                return found
        return day

    def days_until(self, now: datetime, due: date) -> int:
        """Working days from the first one to the due date, that day included; 0 if it is over."""
        day, count = self.first_day(now), 0
        while day <= due and count < FARTHEST:
            count += self.works_on(day)
            day += timedelta(days=1)
        return count

    def days(self, now: datetime, count: int) -> list[str]:
        """So many working days from the first one on, ISO 8601."""
        found = [self.first_day(now)]
        while len(found) < count:
            found.append(self.on_or_after(found[-1] + timedelta(days=1)))
        return [day.isoformat() for day in found]
