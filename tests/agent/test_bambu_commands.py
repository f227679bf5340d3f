"""Bambu Lab's driver: upload, start, commands, developer mode, certificates and login."""

import random
import ssl
import zipfile
from io import BytesIO

import pytest

from agent.certificates import CertificateChanged, CertificatePins
from agent.connection_test import CommandsOff, Host, NoHost
from agent.sockets import AddressNotAllowed
from machines.drivers import (
    ExclusionResult,
    MachineStatus,
    NoAnswer,
    NotSent,
    ObjectLabel,
    Rejected,
    WrongKey,
)
from tests.agent.conftest import bambu_driver
from tests.agent.simulated_bambu import AMS, SimulatedBambu, tls_context
from tests.agent.test_bambu import NAME, OTHER, look_until, printing

PATH = f"cache/{NAME}.3mf"


def commands(bambu, name: str) -> list[dict]:
    return [row for row in bambu.machine.requests if row["command"] == name]


# ---------------------------------------------------------------- files


def test_upload_is_a_package_with_the_gcode_as_its_only_plate(bambu):
    bambu.driver.put(bambu.file, NAME)

    with zipfile.ZipFile(BytesIO(bambu.machine.ftps.files[PATH])) as package:
        assert package.read("Metadata/plate_1.gcode") == bambu.file.read_bytes()
    assert bambu.machine.ftps.reused  # a data connection of the same TLS session
    assert commands(bambu, "project_file") == []
    assert [row.name for row in bambu.file.parent.iterdir()] == [bambu.file.name]


def test_upload_to_a_server_with_tickets_of_tls_1_3_arrives(bambu):
    """A connection that is closed before they are read is reset, and what was sent is lost."""
    bambu.machine.context.maximum_version = ssl.TLSVersion.TLSv1_3
    bambu.machine.ftps.requires_reuse = False
    bambu.file.write_bytes(random.Random(1).randbytes(3_000_000))

    bambu.driver.put(bambu.file, NAME)

    with zipfile.ZipFile(BytesIO(bambu.machine.ftps.files[PATH])) as package:
        assert package.read("Metadata/plate_1.gcode") == bambu.file.read_bytes()


def test_upload_that_arrives_in_part_is_no_success(bambu):
    """The server of a printer answers 226 to it."""
    bambu.machine.ftps.truncates = True

    with pytest.raises(NoAnswer, match="have arrived"):
        bambu.driver.put(bambu.file, NAME)


def test_file_of_another_maker_is_rejected_before_its_upload(bambu):
    bambu.file.write_bytes(b"; printer_model = MK4S\nG28\n")

    with pytest.raises(Rejected, match="The file was sliced for 'MK4S'"):
        bambu.driver.put(bambu.file, NAME)

    assert bambu.machine.ftps.files == {}


def test_file_of_a_bambu_lab_preset_is_uploaded(bambu):
    bambu.file.write_bytes(b"; printer_model = Bambu Lab P1S\nG28\n")

    bambu.driver.put(bambu.file, NAME)

    assert list(bambu.machine.ftps.files) == [PATH]


def test_print_is_neither_overwritten_nor_deleted(bambu):
    printing(bambu)

    with pytest.raises(Rejected, match="is being printed"):
        bambu.driver.put(bambu.file, NAME)
    assert bambu.driver.drop(NAME) is False
    assert bambu.machine.ftps.commands == []


def test_deletion_of_a_file_that_is_gone_succeeds(bambu):
    assert bambu.driver.drop(NAME) is True


# ---------------------------------------------------------------- start


def test_start_names_file_plate_and_print(bambu):
    bambu.driver.put(bambu.file, NAME)

    bambu.driver.start(NAME)

    (request,) = commands(bambu, "project_file")
    assert request["url"] == f"ftp:///{PATH}"
    assert (request["param"], request["subtask_name"]) == ("Metadata/plate_1.gcode", NAME)
    assert (request["use_ams"], request["ams_mapping"]) == (False, [])
    seen = look_until(bambu.driver, MachineStatus.PRINTING)
    assert seen.job == NAME


@pytest.mark.parametrize(
    ("comments", "active", "tray"),
    [
        (b"; filament_type = PETG\n", "255", 1),
        (b"; filament_type = PLA\n; filament_colour = #0000FF\n", "255", 3),
        (b"; filament_type = PLA;PETG\n; filament_colour = #123456;#00FF00\n", "0", 0),
        (b"", "3", 3),
    ],
)
def test_start_takes_the_tray_of_material_and_colour(bambu, comments, active, tray):
    bambu.machine.state["ams"] = AMS | {"tray_now": active}
    bambu.file.write_bytes(comments + b"G28\n")
    bambu.driver.put(bambu.file, NAME)

    bambu.driver.start(NAME)

    (request,) = commands(bambu, "project_file")
    assert (request["use_ams"], request["ams_mapping"]) == (True, [tray])


@pytest.mark.parametrize("comments", [b"; filament_type = ABS\n", b"; filament_type = PLA\n"])
def test_material_without_a_single_tray_is_rejected_before_the_upload(bambu, comments):
    bambu.machine.state["ams"] = AMS
    bambu.file.write_bytes(comments + b"G28\n")

    with pytest.raises(Rejected, match=r"\(A1 PLA, A2 PETG, A4 PLA\): load the one to print from"):
        bambu.driver.put(bambu.file, NAME)

    assert bambu.machine.ftps.files == {}


def test_start_without_an_answer_is_not_settled_at_once(bambu, monkeypatch):
    """The printer may still carry it out: what is deleted until then, it may have read."""
    monkeypatch.setattr("agent.bambu_link.ANSWER_TIME", 0.2)
    bambu.driver.put(bambu.file, NAME)
    bambu.machine.answers = False

    with pytest.raises(NoAnswer, match="does not answer commands. Are LAN Only Mode and"):
        bambu.driver.start(NAME)
    assert bambu.driver.look().doing is MachineStatus.BUSY

    bambu.driver._unanswered = (NAME, 0.0)  # a minute later
    assert bambu.driver.look().doing is MachineStatus.IDLE


# ---------------------------------------------------------------- developer mode


def test_start_without_developer_mode_says_what_to_switch_on(bambu):
    bambu.driver.put(bambu.file, NAME)
    bambu.machine.developer_mode = False

    with pytest.raises(CommandsOff, match="Switch on LAN Only Mode and Developer Mode"):
        bambu.driver.start(NAME)

    seen = bambu.driver.look()
    assert seen.doing is MachineStatus.ATTENTION  # no print is planned there
    assert "Developer Mode" in seen.text


def test_message_at_the_display_about_commands_needs_attention(bambu):
    bambu.machine.state["hms"] = [{"attr": 0x05000500, "code": 0x00010007}]

    seen = bambu.driver.look()

    assert seen.doing is MachineStatus.ATTENTION
    assert "Developer Mode" in seen.text


def test_identification_tries_a_command_that_changes_nothing(bambu):
    assert bambu.driver.identify() == Host("bambu", "Bambu Lab P1S 01.09.00.00")

    (request,) = commands(bambu, "ledctrl")
    assert (request["led_node"], request["led_mode"]) == ("chamber_light", "on")


def test_identification_without_developer_mode_fails(bambu):
    bambu.machine.developer_mode = False

    with pytest.raises(CommandsOff):
        bambu.driver.identify()


def test_printer_that_does_not_answer_the_harmless_command_is_identified(bambu, monkeypatch):
    monkeypatch.setattr("agent.bambu.VERSION_TIME", 0.2)
    bambu.machine.answers = False

    assert bambu.driver.identify().driver == "bambu"


# ---------------------------------------------------------------- pause, resume, cancel


def test_print_is_paused_resumed_and_stopped(bambu):
    printing(bambu)
    bambu.driver.pause()
    look_until(bambu.driver, MachineStatus.PAUSED)
    bambu.driver.resume()
    look_until(bambu.driver, MachineStatus.PRINTING)
    bambu.driver.cancel()
    look_until(bambu.driver, MachineStatus.STOPPED)


def test_command_that_was_taken_is_not_sent_again_at_once(bambu):
    printing(bambu)
    bambu.machine.obeys = False
    bambu.driver.pause()
    bambu.driver.pause()
    assert len(commands(bambu, "pause")) == 1

    bambu.driver._pending.until = 0.0  # its state did not follow
    bambu.driver.pause()

    assert len(commands(bambu, "pause")) == 2


def test_print_that_was_started_by_hand_is_not_stopped_in_place_of_ours(bambu):
    printing(bambu)
    bambu.machine.prints(OTHER)

    with pytest.raises(NotSent, match="another print"):
        bambu.driver.cancel()

    assert commands(bambu, "stop") == []


def test_objects_cannot_be_excluded(bambu):
    assert bambu.driver.skip(ObjectLabel("p_1_0", 0, "marlin")) is ExclusionResult.CANNOT


# ---------------------------------------------------------------- login and certificates


def test_wrong_access_code_is_tried_once_in_a_minute(bambu):
    driver = bambu_driver(bambu.machine, "wrong")
    for _ in range(3):
        assert driver.look().text == "The printer does not accept the access code."

    with pytest.raises(WrongKey):
        driver.identify()


def test_changed_certificate_gets_no_access_code(bambu):
    bambu.driver.identify()
    stored = bambu.driver.pins.text
    assert {item[:5] for item in stored.split()} == {"ftps=", "mqtt="}
    other = SimulatedBambu()

    driver = bambu_driver(other, pins=CertificatePins(stored))
    with pytest.raises(CertificateChanged, match="enter its access code again"):
        driver.identify()

    assert "certificate" in driver.look().text
    assert other.clients == []
    other.close()


def test_stored_certificate_is_accepted_again(bambu):
    bambu.driver.identify()

    driver = bambu_driver(bambu.machine, pins=CertificatePins(bambu.driver.pins.text))

    assert driver.look().doing is MachineStatus.IDLE


def test_server_whose_certificate_names_no_serial_number_is_no_printer():
    other = SimulatedBambu(tls_context("router.local"))

    with pytest.raises(NoHost):
        bambu_driver(other).identify()

    other.close()


def test_address_outside_the_networks_is_not_reached(bambu):
    bambu.driver._link._networks = ()

    with pytest.raises(AddressNotAllowed):
        bambu.driver.identify()
