"""Jobs that misbehave in every way that native code can."""

import ctypes
import fcntl
import os
import stat
import threading
import time
from contextlib import suppress
from pathlib import Path

import numpy as np

from input_errors import InputError


def add(a, b):
    return {"sum": a + b}


done: list[str] = []


def begin():
    done.append("begin")


def begin_badly():
    begin()
    fail()


def tell_done():
    return done


def refuse():
    raise InputError("too-blue", "The part is too blue: paint it.")


def fail():
    raise RuntimeError("a bug")


def segfault():
    ctypes.string_at(0)


def abort():
    os.abort()


def leave():
    os._exit(0)


def bomb():
    hoard = []
    while True:
        hoard.append(np.ones(1 << 24))


def start_threads():
    """Start threads without end; they wait."""
    threading.stack_size(32 << 10)
    while True:
        with suppress(RuntimeError):
            threading.Thread(target=time.sleep, args=(600,), daemon=True).start()


def write_files(path, count):
    """Write so many empty files."""
    for number in range(count):
        Path(path, str(number)).touch()
    return "done"


def write_files_forever(path, progress):
    """Write empty files without end, and report progress, so that it is never silent."""
    for number in range(1_000_000_000):
        Path(path, str(number)).touch()
        progress(0, 1)


write_files_forever.tells_progress = True


def loop(**_arguments):
    while True:
        pass


def sleep():
    time.sleep(3600)


def nap():
    time.sleep(1.2)
    return "rested"


def fill_disk(path):
    with open(path, "wb") as file:
        while True:
            file.write(bytes(1 << 20))


def write_endless_line(which):
    """Write to a pipe toward the parent, the first or the last of those that are open."""
    pipes = []
    for number in range(3, 256):
        try:
            is_pipe = stat.S_ISFIFO(os.fstat(number).st_mode)
            if is_pipe and fcntl.fcntl(number, fcntl.F_GETFL) & os.O_WRONLY:
                pipes.append(number)
        except OSError:
            continue
    while True:
        os.write(pipes[which], b" " * (1 << 16))


def attempt(code, **paths):
    """Run `code`; whether it got through, or the number of the error that refused it."""
    try:
        exec(code, dict(paths))
    except OSError as error:
        return f"refused {error.errno}"
    return "got through"


def read_and_write(path, out):
    with open(path) as source, open(out, "w") as target:
        target.write(source.read())


def beside(path):
    return os.listdir(os.path.dirname(path))


def who():
    return [os.getresuid(), os.getresgid(), os.getgroups(), os.getpid()]


def print_noise():
    print('{"answer": "a lie"}', flush=True)
    os.write(1, b'{"answer": "a lie"}\n')
    return "the truth"


def count_up(progress):
    for done in range(4):
        progress(done, 4)
        time.sleep(0.25)
    return "done"


count_up.tells_progress = True


def tell_height(progress):
    progress(1, 4, height=12.5)


tell_height.tells_progress = True


def own_pid():
    return os.getpid()
