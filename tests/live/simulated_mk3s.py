"""An MK3S without a machine, as a program: `python simulated_mk3s.py LINK`.

It answers at a pseudo terminal, to which LINK leads, as PrusaLink expects of a firmware 3.14: G4
waits, M73 is the progress, M601, M602 and M603 pause, resume and stop. SIGUSR1 restarts the
printer, SIGUSR2 halts it with a fatal error; M118 is printed.
"""

import os
import re
import select
import signal
import sys
import time
import tty
from pathlib import Path

# s for a line at 115,200 baud: PrusaLink loses a confirmation that comes within a millisecond.
LINE_TIME = 0.005
BUSY_INTERVAL = 1.0  # s between two lines that say "busy"
EEPROM = {0x0D05: bytes(4), 0x0D49: b"Smooth1\0\0\0\0" * 8}  # number of the job, sheets
ANSWERS = {
    "PRUSA Fir": ["3.14.1-8237"],
    "PRUSA SN": ["CZPX4720X004XK12345"],
    "M862.2 Q": ["302"],
    "M862.1 Q": ["0.40"],
    "M220": ["100%"],
    "M221": ["100%"],
    "M27 P": ["Not SD printing"],
    "M420": ["Num X,Y: 1,1", "  0.10000"],
    "M20 LT": ["Begin file list", "End file list"],
    "M21": ["echo:SD init fail"],
    "M601": ["// action:paused"],
    "M602": ["// action:resumed"],
    "M603": ["// action:cancel"],
}
TEMPERATURES = "T:24.5 /0.0 B:23.1 /0.0 T0:24.5 /0.0 @:0 B@:0 P:0.0 A:28.4"


class Printer:
    """The serial side of the firmware."""

    def __init__(self, terminal: int):
        self.terminal, self.rest = terminal, b""
        self.percent, self.minutes, self.halted = -1, -1, False
        self.fault, self.reported_at = 0, 0.0
        self.is_detected = False

    def send(self, *lines: str) -> None:
        os.write(self.terminal, "".join(f"{line}\n" for line in lines).encode())

    def run(self) -> None:
        for number in (signal.SIGUSR1, signal.SIGUSR2):
            signal.signal(number, lambda number, frame: setattr(self, "fault", number))
        while True:
            line = self.read(0.1)
            if self.fault:
                self.break_down()
            if time.monotonic() > self.reported_at + BUSY_INTERVAL:
                self.reported_at = time.monotonic()
                self.send(TEMPERATURES)
            if line is not None and not self.halted:
                time.sleep(LINE_TIME)
                self.obey(line)

    def break_down(self) -> None:
        self.halted, self.rest = self.fault == signal.SIGUSR2, b""
        if self.halted:
            self.send("Error:0: Heaters switched off. MAXTEMP triggered!")
            self.send("Error:Printer halted. kill() called!")
        else:
            self.percent = self.minutes = -1
            self.send("start")
        self.fault = 0

    def read(self, seconds: float) -> str | None:
        """The next line, without number and checksum; None after so many seconds."""
        if b"\n" not in self.rest and select.select([self.terminal], [], [], seconds)[0]:
            try:
                self.rest += os.read(self.terminal, 4096)
            except OSError:  # nobody has the other end open
                time.sleep(seconds)
        line, end, rest = self.rest.partition(b"\n")
        if not end:
            return None
        self.rest = rest
        return re.sub(r"^N\d+ +|\*\d+$", "", line.decode("ascii", "replace").strip()).strip()

    def obey(self, line: str) -> None:
        code = line.partition(" ")[0]
        if code == "D3":
            self.send(self.eeprom(line))
        elif code == "M73":
            self.progress(line)
        elif code == "M118":
            sys.stdout.write(f"{line.removeprefix('M118 ')}\n")
            sys.stdout.flush()
        elif code == "G4":
            self.wait(int(re.sub(r"\D", "", line.partition("P")[2]) or 0) / 1000)
        else:
            self.send(*ANSWERS.get(line, ()))
        # PrusaLink's detection sends two lines at once, and takes the last confirmation for that
        # of its next line: then it may wait for ever.
        if not (self.is_detected and line == "M862.2 Q"):
            self.send("ok")
        self.is_detected = line == "PRUSA Fir" and b"M862.2 Q" in self.rest

    def eeprom(self, line: str) -> str:
        """Read or write bytes: `D3 Ax0D05 C4`, `D3 Ax0D05 X00000001`."""
        address = int(re.findall(r"Ax([0-9A-F]+)", line)[0], 16)
        if written := re.findall(r"X([0-9a-fA-F]+)$", line.partition(" ")[2].partition(" ")[2]):
            EEPROM[address] = bytes.fromhex(written[0])
        count = int((re.findall(r"C(\d+)", line) or [len(EEPROM.get(address, b"\0"))])[0])
        content = EEPROM.get(address, b"").ljust(count, b"\0")[:count]
        return f"{address:04X}  {content.hex(' ')}"

    def progress(self, line: str) -> None:
        """Set or tell it."""
        fields = {word[0]: word[1:] for word in line.split()[1:]}
        self.percent = int(fields.get("P", self.percent))
        self.minutes = int(fields.get("R", self.minutes))
        for mode in ("NORMAL", "SILENT"):
            self.send(
                f"{mode} MODE: Percent done: {self.percent}; print time remaining in mins: "
                f"{self.minutes}; Change in mins: -1"
            )

    def wait(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0 and not self.fault:
            time.sleep(min(left, BUSY_INTERVAL))
            if left > BUSY_INTERVAL:
                self.send("echo:busy: processing")


def main() -> None:
    terminal, other = os.openpty()
    tty.setraw(other)
    link = Path(sys.argv[1])
    link.unlink(missing_ok=True)
    link.symlink_to(os.ttyname(other))
    Printer(terminal).run()


if __name__ == "__main__":
    main()
