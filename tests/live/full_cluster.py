"""A whole fleet: two web behind a balancer, four machines of workers, PgBouncer, a database, S3."""

import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.live import s3
from tests.live.fleet import Balancer, Database, Machine, Pooler, shared_folder

WORKERS = (
    "meshes=1,meshes_slow=1,renders=1,default=1",
    "meshes=1,renders=1,renders_slow=1",
    "slices=1,slices_slow=1,extras=1",
    "slices=1,slices_slow=1,packing=1,packing_slow=1,providers=1,mail=1",
)


@dataclass
class Fleet:
    """The machines and what they share."""

    database: Database
    pooler: Pooler
    storage: s3.Server
    balancer: Balancer
    web: list[Machine]
    workers: list[Machine]

    @property
    def machines(self) -> list[Machine]:
        return [*self.web, *self.workers]


@contextmanager
def whole_fleet(folder: Path, *, durable: bool = False, **environment: str) -> Iterator[Fleet]:
    """A fleet that runs; what is left of it at the end is an error.

    folder  : for the S3 server, whose files lie there
    durable : whether the database waits for the disk
    """
    left: list[str] = []
    with ExitStack() as stack:
        storage = s3.Server(folder)
        stack.callback(storage.kill)
        storage.start()
        database = Database(connections=200, durable=durable)
        stack.callback(database.stop)
        pooler = Pooler(database, connections=20)
        stack.callback(pooler.stop)
        balancer = Balancer()
        stack.callback(balancer.stop)
        home = shared_folder()
        stack.callback(shutil.rmtree, home, ignore_errors=True)
        own = {"FILES_URL": s3.url(storage.port), **s3.KEYS, **environment}
        first = Machine(home, database, "web,sender,providers", pooler, balancer, **own)
        own["PROVIDERS_URL"] = first.environment["PROVIDERS_URL"]
        second = Machine(home, database, "web,sender", pooler, balancer, **own)
        own["HOST_PORT"] = str(balancer.port)
        workers = [Machine(home, database, "workers", SLOTS=slots, **own) for slots in WORKERS]
        for machine in (first, second, *workers):
            machine.begin()
            stack.callback(lambda machine=machine: left.extend(machine.stop()))
        for machine in (first, second, *workers):
            machine.wait_until_ready()
        balancer.lead(first.listens, second.listens)
        yield Fleet(database, pooler, storage, balancer, [first, second], workers)
    assert left == [], left
