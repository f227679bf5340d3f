"""A client's server for the benchmark of callbacks: one port that answers, one that hangs.

receiver.py LIVE_PORT [HANGING_PORT]. A callback's body holds `at`, when its change was made; GET
/heard gives the pairs of that and of the arrival, in seconds, since the last time it was asked.
"""

import asyncio
import sys
import time

from aiohttp import web

heard: list[tuple[float, float]] = []


async def hear(request: web.Request) -> web.Response:
    body = await request.json()
    heard.append((body["at"], time.time()))
    return web.Response(status=204)


async def tell(request: web.Request) -> web.Response:
    told, heard[:] = list(heard), []
    return web.json_response(told)


async def hang(request: web.Request) -> web.Response:
    await asyncio.sleep(3600)
    return web.Response()


async def serve(*ports: int) -> None:
    handlers = [[web.post("/", hear), web.get("/heard", tell)], [web.post("/", hang)]]
    for port, routes in zip(ports, handlers, strict=False):
        app = web.Application()
        app.add_routes(routes)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        # At every address of the loopback network, so that one port is several origins.
        await web.TCPSite(runner, "0.0.0.0", port, backlog=1024).start()
    print("ready", flush=True)
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(serve(*map(int, sys.argv[1:])))
