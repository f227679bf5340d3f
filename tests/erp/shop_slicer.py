"""The slicer of a shop's agent: takes jobs by the agent API, and runs the installed PrusaSlicer."""

import hashlib
import subprocess
from pathlib import Path
from urllib.parse import urlsplit
from uuid import UUID

from core.files import blobs
from core.files.pending_uploads import complete_upload, expected_size
from core.files.signed_urls import UploadGrant

ENGINE = {"program": "prusaslicer", "version": "2.9.2", "isolation": "bubblewrap"}
LIMIT = 120  # s


class ShopSlicer:
    """An agent with one slicer.

    agent : client with the agent's token
    """

    def __init__(self, agent, folder: Path, **engine: str):
        self.agent, self._folder = agent, folder
        self.engine = ENGINE | engine

    def exchange(self) -> int:
        """Report the slicer; the number of jobs that wait for it."""
        answer = self.agent.post("/agent/exchange/", {"version": "1", "engines": [self.engine]})
        assert answer.status_code == 200, answer.json()
        return answer.json()["engine_jobs"]

    def take(self) -> dict | None:
        body = {"programs": [self.engine["program"]]}
        answer = self.agent.post("/agent/take-engine-job/", body)
        assert answer.status_code == 200, answer.json()
        return answer.json()["job"]

    def report(self, job: dict, state: str, **more):
        return self.agent.post(f"/agent/engine-job/{job['id']}/", {"state": state, **more})

    def download(self, job: dict) -> Path:
        """The folder with the files of a job."""
        folder = self._folder / job["id"]
        folder.mkdir()
        for file in job["files"]:
            sha256 = urlsplit(file["content"]).path.rpartition("/")[2]
            assert sha256 == file["sha256"]
            with blobs.local_copy(sha256) as path:
                content = path.read_bytes()
            assert len(content) == file["size"]
            (folder / file["name"]).write_bytes(content)
        return folder

    def slice(self, job: dict) -> Path:
        """Run PrusaSlicer as the agent does; the G-code."""
        folder = self.download(job)
        command = ["prusa-slicer", "--export-gcode", "--dont-arrange", "--datadir", "data"]
        command += ["--config-compatibility", "disable", "--load", "config.ini"]
        command += ["--output", "out.gcode", job["model"]]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=LIMIT)
        return folder / "out.gcode"

    def upload(self, job: dict, content: bytes) -> None:
        """What the files host does once the G-code has arrived."""
        kind, uuid = urlsplit(job["upload"]).path.split("/")[2:]
        assert expected_size(kind, UUID(uuid)) is None
        path = self._folder / "upload"
        path.write_bytes(content)
        grant = UploadGrant(kind, UUID(uuid), max_size=job["output_limit"], expires=0)
        complete_upload(grant, path, hashlib.sha256(content).hexdigest(), len(content))

    def work(self) -> dict:
        """Take the next job, slice it, and report its end."""
        job = self.take()
        assert job is not None
        self.upload(job, self.slice(job).read_bytes())
        answer = self.report(job, "done", progress=1, seconds=2.5, version=self.engine["version"])
        assert answer.json() == {"wanted": True}
        return job
