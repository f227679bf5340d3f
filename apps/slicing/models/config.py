"""Slicing config."""

from django.db import models

from core.files.signed_urls import download_url
from core.models import Blob
from core.sharing import Shareable


class EngineName(models.TextChoices):
    """The engine identifiers of the contract, and the program that runs each."""

    SLIC3R = "slic3r", "slic3r (PrusaSlicer)"
    CURA = "cura", "cura (CuraEngine)"


class Config(Shareable):
    """An engine and its parameters; never changed once used."""

    SERVICE = "slicing"
    KIND = "config"
    FOR_SERVICES = True

    class Kind(models.TextChoices):
        CURATED = "curated"
        RAW = "raw"
        PRESET = "preset"

    engine = models.CharField(max_length=16, choices=EngineName)
    kind = models.CharField(max_length=8, choices=Kind, default=Kind.CURATED)
    description = models.CharField(max_length=1000, blank=True)
    # Every curated key; null where nothing was given.
    parameters = models.JSONField()
    # What of a raw config, or of presets, is not used as written: line, key and title of each.
    notes = models.JSONField(default=list, blank=True)
    # The presets that it was made of: vendor, version, and of each key, name and digest. Of a raw
    # one only `estimate_only`, where it is that, and `inherits`: by kind the keys of the presets
    # that those of its file are made from.
    preset = models.JSONField(null=True, blank=True)
    # Whether the platform made it from another one, for a printer type and its options.
    fitted = models.BooleanField(default=False, db_default=False)
    # The slicer in a shop that its slices are made by; null: the engine of the platform.
    agent_engine = models.ForeignKey(
        "slicing.AgentEngine", on_delete=models.SET_NULL, null=True, blank=True, related_name="+"
    )
    # The file that the engine would read; of a raw config the bytes that were posted.
    content = models.ForeignKey(Blob, on_delete=models.PROTECT, related_name="+")

    class Meta:
        indexes = [models.Index(fields=["owner", "uuid"], name="config_owner")]

    def __str__(self) -> str:
        return self.description or str(self.uuid)

    @property
    def estimate_only(self) -> bool:
        """Whether nothing is printed with it: it has no start and end G-code of its printer."""
        return bool(self.preset and self.preset.get("estimate_only"))

    @property
    def inherits(self) -> list[str]:
        """Keys of the presets that those of an uploaded file inherit from."""
        return list((self.preset or {}).get("inherits", {}).values())

    def content_location(self) -> str:
        """Where the config can be fetched as a file."""
        extension = "ini" if self.engine == EngineName.SLIC3R else "cfg"
        name = f"config-{self.uuid}.{extension}"
        return download_url(self.content_id, media_type="text/plain", filename=name)
