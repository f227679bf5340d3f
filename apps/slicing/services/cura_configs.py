"""Configs of machines of Cura, and of profiles that users export from Cura, for CuraEngine."""

from collections.abc import Iterator
from typing import NamedTuple

from apps.slicing.configs.base import Note
from apps.slicing.configs.cura_profiles import CuraProfile
from apps.slicing.domain.cura_machines import CuraMachine
from apps.slicing.domain.installed_engines import curaengine
from apps.slicing.engines.base import SettingsError
from apps.slicing.engines.cura_machines import ROOTS
from apps.slicing.engines.cura_stacks import MachineChoices, Stack, UnknownChoice
from apps.slicing.engines.curaengine import CuraEngine
from apps.slicing.models import Config, EngineName
from apps.slicing.services.configs import create_raw
from core.auth_user import Person
from core.errors import ServiceError, Unavailable
from core.text.server_paths import without_folders

PLAIN = ROOTS[0]  # profiles of it are for any machine without profiles of its own
MAX_NAMED = 500  # machines that an error lists


class MachineNotNamed(ServiceError):
    """The profile is for several machines."""

    code = "missing-parameter"


class MachineNotInstalled(ServiceError):
    """Cura's definition of the machine is not on this server."""

    code = "property-value-not-in-allowed-values"


class NotOfMachine(ServiceError):
    """The machine has no such nozzle, material, quality or intent."""

    code = "property-value-not-in-allowed-values"


class CuraChoices(NamedTuple):
    """What is chosen of a machine of Cura, by names; those left empty are its preferred ones."""

    nozzle: str = ""
    material: str = ""
    quality: str = ""
    intent: str = ""


def create_cura_config(
    *,
    actor: Person,
    profile: CuraProfile | None,
    machine: str = "",
    choices: CuraChoices,
    description: str = "",
) -> Config:
    """Create a config for CuraEngine of a machine, or of a profile.

    profile : changes to a quality of a machine; None: the machine as Cura has it
    machine : identifier of Cura's definition; empty where the profile is for one machine
    """
    engine = curaengine()
    if engine.version() is None:
        raise Unavailable(without_folders(engine.missing()), code="engine-not-installed")
    identifier = _machine(engine, profile, machine) if profile else machine
    if profile and identifier == PLAIN:
        title = "The profile names no machine: bed and G-code are those of the platform."
        notes = [Note(None, "machine_name", title)]
        stack = Stack("", "", "", "", "", {})
    else:
        stack = _stack(engine, identifier, choices, profile)
        notes = _notes_of(stack, choices) if profile else []
    if profile:
        notes += _left_out(profile, stack)
    settings = stack.settings | (profile.values if profile else {})
    names = (stack.nozzle, stack.material, stack.quality, stack.intent)
    parts = [profile.name] if profile else filter(None, names)
    return create_raw(
        actor=actor,
        engine=EngineName.CURA,
        content=engine.config_text(settings),
        description=description or " · ".join([settings.get("machine_name", "Cura"), *parts]),
        notes=notes,
    )


def machine_choices(machine: CuraMachine, choices: CuraChoices) -> MachineChoices:
    """Return what can be chosen of a machine beside what is chosen. Raises NotOfMachine.

    choices : the intent is not used: nothing depends on it
    """
    nozzle, material, quality, _intent = choices
    try:
        return curaengine().choices(
            machine.identifier, nozzle=nozzle, material=material, quality=quality
        )
    except UnknownChoice as error:
        raise _not_of_machine(error) from error


def _stack(
    engine: CuraEngine, identifier: str, choices: CuraChoices, profile: CuraProfile | None
) -> Stack:
    """Return the machine with what is chosen. Raises MachineNotInstalled, NotOfMachine."""
    wanted = choices._asdict()
    of_profile = profile.quality if profile and not choices.quality else ""
    for quality in dict.fromkeys((choices.quality or of_profile, choices.quality)):
        try:
            return engine.stack(identifier, **wanted | {"quality": quality})
        except UnknownChoice as error:
            if not of_profile or error.field != "quality" or quality != of_profile:
                raise _not_of_machine(error) from error
        except SettingsError as error:
            names = {"names": sorted(engine.machines())[:MAX_NAMED]}
            raise MachineNotInstalled(str(error), field="printer", details=names) from error
    raise AssertionError


def _not_of_machine(error: UnknownChoice) -> NotOfMachine:
    return NotOfMachine(str(error), field=error.field, details={"names": error.names[:MAX_NAMED]})


def _notes_of(stack: Stack, choices: CuraChoices) -> list[Note]:
    """What a profile does not name: it has changes of a quality alone."""
    own = {"nozzle": stack.nozzle, "material": stack.material}
    chosen = [f"{name} {own[name]!r}" for name in own if own[name] and not getattr(choices, name)]
    if not chosen:
        return []
    title = f"The profile names neither nozzle nor material: used are {' and '.join(chosen)}."
    return [Note(None, "machine_nozzle_size", title)]


def _left_out(profile: CuraProfile, stack: Stack) -> Iterator[Note]:
    if profile.quality not in ("", stack.quality) and "layer_height" not in profile.values:
        title = (
            f"The profile changes Cura's quality {profile.quality!r}, which is not in the file: "
            "what it does not set is as the machine has it."
        )
        yield Note(None, "layer_height", title)
    if profile.others:
        title = f"Not used: the settings of {profile.others} further extruders."
        yield Note(None, "extruder_nr", title)


def _machine(engine: CuraEngine, profile: CuraProfile, machine: str) -> str:
    """Return the definition that is sliced with. Raises MachineNotNamed, MachineNotInstalled."""
    installed = engine.machines()
    fitting = {row.identifier for row in installed.values() if row.quality == profile.definition}
    if profile.definition == PLAIN:
        fitting.add(PLAIN)
    elif profile.definition in installed:
        fitting.add(profile.definition)
    if machine and machine in fitting or (machine in installed and profile.definition == PLAIN):
        return machine
    names = sorted(fitting)
    details = {"names": names[:MAX_NAMED]}
    if machine:
        title = f"The profile is not for the machine {machine[:100]!r}."
        raise MachineNotInstalled(title, field="printer", details=details)
    if not fitting:
        title = (
            f"Cura's definition of the machine {profile.definition!r} is not installed: ask the "
            "operator to run bin/install-cura-definitions --machines, or send the settings to "
            "/config/raw/."
        )
        raise MachineNotInstalled(title, field="printer")
    if len(fitting) > 1:
        title = f"The profile is for {len(fitting)} machines: name one of them in printer."
        raise MachineNotNamed(title, field="printer", details=details)
    return names[0]
