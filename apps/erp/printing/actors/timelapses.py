"""Job: make a video of the pictures of a print attempt."""

import logging
import shutil
import subprocess
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from django.db import transaction

from apps.erp.printing.models.cameras import Timelapse
from core.files import blobs
from core.queue.row_jobs import row_job
from core.sandbox.sandbox import ResourceLimits, Sandbox

FRAME_RATE = 12  # 1/s
MAX_SECONDS, MAX_MEMORY, MAX_FILE = 120, 1 << 30, 32 << 20
JOBS = "apps.erp.printing.jobs.timelapses"
MP4, WEBP = "video/mp4", "image/webp"

logger = logging.getLogger(__name__)
_Status = Timelapse.Status
_drawing = Sandbox(
    JOBS, limits=ResourceLimits(seconds=MAX_SECONDS, memory=MAX_MEMORY, file_size=MAX_FILE)
)


@row_job("extras", of=Timelapse, begun_in=[_Status.PROCESSING], related=("attempt",))
def make_timelapse(row: Timelapse) -> None:
    """Make an MP4 by ffmpeg, else an animated WebP: processing -> processed, or error."""
    keys = row.attempt.pictures.order_by("at", "pk").values_list("content", flat=True)
    with ExitStack() as stack, blobs.scratch_dir() as folder:
        pictures = [stack.enter_context(blobs.local_copy(key)) for key in keys]
        output = folder / "timelapse"
        program = shutil.which("ffmpeg")
        is_mp4 = program is not None and _encode(program, pictures, folder, output)
        if not is_mp4:
            _drawing.run(
                f"{JOBS}:write_animation",
                folder=folder,
                pictures=pictures,
                output=output,
                interval=1000 // FRAME_RATE,
            )
        stored = blobs.store_file(output)
    with transaction.atomic():
        media_type = MP4 if is_mp4 else WEBP
        row.move(_Status.PROCESSED, content_id=blobs.create_row(*stored), media_type=media_type)


def _encode(program: str, pictures: Sequence[Path], folder: Path, output: Path) -> bool:
    """Write an MP4 of pictures that the platform itself has drawn; False where ffmpeg fails."""
    for number, picture in enumerate(pictures):
        shutil.copyfile(picture, folder / f"{number:04}.jpg")
    even = "scale=960:-2,format=yuv420p"  # H.264 needs even sides
    command = [
        *(program, "-nostdin", "-loglevel", "error", "-threads", "1"),
        *("-framerate", str(FRAME_RATE), "-i", "%04d.jpg", "-vf", even),
        *("-c:v", "libx264", "-preset", "veryfast", "-crf", "26", "-threads", "1"),
        *("-movflags", "+faststart", "-fs", str(MAX_FILE), "-f", "mp4", str(output)),
    ]
    try:
        subprocess.run(command, cwd=folder, check=True, timeout=MAX_SECONDS)  # noqa: S603  a list
    except (OSError, subprocess.SubprocessError) as error:
        output.unlink(missing_ok=True)
        logger.warning("ffmpeg failed: %s", error)
        return False
    return True
