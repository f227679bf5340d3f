"""Model report: printable or not, findings, recommendations."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypedDict

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.console.domain.messages import LocalizedText, error_message

if TYPE_CHECKING:
    from manufacturing.generated.models import Analysis, Conversion, Model

GOOD, CARE, BAD, WAIT = "good", "care", "bad", "wait"

# Beyond these one should look: a part of the surface; mm for a nozzle of 0.4 mm.
OVERHANG = 0.05
THIN_WALL, NARROW_GAP = 0.8, 0.3


@dataclass
class Verdict:
    """One sentence, and what else there is to say.

    sign    : one of the four above
    reasons : what is wrong, a sentence each
    advice  : what to do about it; empty where nothing is to be done
    """

    sign: str
    words: str
    reasons: list[LocalizedText] = field(default_factory=list)
    advice: str = ""

    @property
    def short(self) -> str:
        """The verdict in at most two words, for a chip."""
        return {
            GOOD: _("Printable"),
            CARE: _("Needs review"),
            BAD: _("Not printable"),
            WAIT: _("Analysing"),
        }[self.sign]


def is_awaited(model: Model) -> bool:
    """Whether the model still waits for its file."""
    made_from_others = model["transformations"] is not None
    waits = model["status"] in ("processing", "inoperable")
    return waits and model["file_size"] is None and not made_from_others


def verdict(model: Model) -> Verdict:
    """What the API's model says of itself."""
    if is_awaited(model):
        return Verdict(WAIT, _("Waiting for upload."))
    if model["status"] == "processing":
        return Verdict(WAIT, _("Analysing…"))
    if model["status"] == "inoperable":
        return _verdict_of_file(model["conversion"])
    if model["status"] != "processed":
        reasons = [error_message(error) for error in model["errors"] or ()]
        advice = _("Re-export the part from your CAD program and upload it again.")
        return Verdict(BAD, _("Invalid file."), reasons, advice)
    found = model["analyses"]
    if not found["manifold"]:
        advice = _(
            "Repair it in your CAD program. It can be sliced as is, but parts may be missing."
        )
        return Verdict(CARE, _("The mesh is not watertight."), _faults(found), advice)
    if found["inverted"]:
        return Verdict(CARE, _("The mesh is watertight, but its normals are inverted."))
    return Verdict(GOOD, _("Watertight mesh: ready to print."))


def _verdict_of_file(conversion: Conversion | None) -> Verdict:
    """Of a file that is taken apart into its objects."""
    if conversion is None:
        return Verdict(CARE, _("Stored without conversion. Only STL can be sliced."))
    if conversion["status"] == "processing":
        return Verdict(WAIT, _("Splitting into objects…"))
    if conversion["status"] == "payment-required":
        return Verdict(CARE, _("Conversion requires payment."))
    if conversion["status"] == "error":
        reasons = [error_message(error) for error in conversion["errors"] or ()]
        return Verdict(BAD, _("No objects found in this file."), reasons)
    count = len(conversion["models"])
    words = ngettext("%(n)s object found.", "%(n)s objects found.", count)
    return Verdict(GOOD, words % {"n": number_format(count)})


def _faults(found: Analysis) -> list[LocalizedText]:
    counted = [
        (found["holes"], ngettext("%(n)s hole", "%(n)s holes", found["holes"] or 0)),
        (
            found["nonmanifold_edges"],
            ngettext(
                "%(n)s non-manifold edge",
                "%(n)s non-manifold edges",
                found["nonmanifold_edges"] or 0,
            ),
        ),
        (
            found["misoriented_edges"],
            ngettext(
                "%(n)s edge with inconsistent face orientation",
                "%(n)s edges with inconsistent face orientation",
                found["misoriented_edges"] or 0,
            ),
        ),
    ]
    return [LocalizedText(words % {"n": number_format(count)}) for count, words in counted if count]


class ProbableUnit(TypedDict):
    """The unit that a model was probably made in, and how many millimetres it is."""

    word: str
    factor: float


@dataclass
class Line:
    """A line of what was measured.

    sign : GOOD or CARE
    at   : where on the part, mm as "x,y,z"; empty where it is of no one place
    """

    sign: str
    words: str
    at: str = ""


def needs_support(model: Model) -> bool:
    """Whether more of it hangs over than a printer lays down well."""
    measured = model["analyses"]["printability"]
    return bool(measured and (measured["overhang_share"] or 0) > OVERHANG)


def printability(model: Model) -> list[Line]:
    """How well it prints as it stands; nothing while that is not known."""
    measured = model["analyses"]["printability"]
    if not measured or measured["errors"]:
        return []
    share = measured["overhang_share"] or 0
    lines = [
        Line(CARE, _("%(share)s %% of the surface is overhang: enable supports."))
        if share > OVERHANG
        else Line(GOOD, _("No significant overhangs: no supports needed."))
    ]
    if share > OVERHANG:
        lines[0].words %= {"share": number_format(100 * share, 0)}
    if (wall := measured["thin_wall"]) is not None:
        words = (
            _("Minimum wall thickness %(mm)s mm: too thin for a standard nozzle.")
            if wall < THIN_WALL
            else _("Minimum wall thickness %(mm)s mm.")
        )
        sign = CARE if wall < THIN_WALL else GOOD
        lines.append(Line(sign, words % {"mm": _mm(wall)}, _place(measured["thin_wall_at"])))
    gap = measured["narrowest_gap"]
    if gap is not None and gap < NARROW_GAP:
        words = _("Minimum gap %(mm)s mm: it may fuse.")
        place = _place(measured["narrowest_gap_at"])
        lines.append(Line(CARE, words % {"mm": _mm(gap)}, place))
    if (shells := measured["shells"] or 1) > 1:
        words = ngettext("%(n)s separate shell", "%(n)s separate shells", shells)
        lines.append(Line(CARE, words % {"n": number_format(shells)}))
    return lines


def probable_unit(model: Model) -> ProbableUnit | None:
    """In which unit it was probably made, where that is not the millimetre: `word` and `factor`."""
    measured = model["analyses"]["printability"]
    unit = measured["probable_unit"] if measured else None
    if not unit:
        return None
    words = {"inch": _("inches"), "metre": _("metres"), "micrometre": _("micrometres")}
    return {"word": words[unit["unit"]], "factor": unit["factor"]}


def _place(point: list[float] | None) -> str:
    return ",".join(map(str, point or ()))


def _mm(length: float) -> str:
    return number_format(length, 2)
