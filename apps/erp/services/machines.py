"""What a client may do with types of printers."""

from typing import Any

from apps.erp.models import Bureau, Feature, PrinterType
from apps.erp.services import rows
from core.errors import Conflict
from core.person import Person


class FeatureNotEnabled(Conflict):
    """Operators have not switched this on for the bureau."""

    code = "feature-not-enabled"


def create_printer_type(*, actor: Person, **values: Any) -> PrinterType:
    """A type of printer, whose packer the bureau may use."""
    if values.get("build_packer_type") == PrinterType.Packer.PREMIUM:
        require_feature(values["bureau"], Feature.PREMIUM_PACKER)
    return rows.create(actor=actor, kind=PrinterType, **values)


def change_printer_type(*, actor: Person, row: PrinterType, **values: Any) -> None:
    """Change what was given; a type that has the premium packer already keeps it."""
    packer = values.get("build_packer_type", row.build_packer_type)
    if packer == PrinterType.Packer.PREMIUM != row.build_packer_type:
        require_feature(row.bureau, Feature.PREMIUM_PACKER)
    rows.change(actor=actor, row=row, **values)


def require_feature(bureau: Bureau, name: str) -> None:
    """Raise FeatureNotEnabled unless the bureau has the feature, and it is enabled."""
    if not Feature.objects.filter(bureau=bureau, name=name, enabled=True).exists():
        raise FeatureNotEnabled(
            f"The feature {name} is not enabled for {bureau.uri}: ask an administrator for it.",
            details={"feature": name, "bureau": bureau.uri},
        )
