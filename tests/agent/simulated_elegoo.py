"""An Elegoo Centauri Carbon, simulated: SDCP 3.0 over a WebSocket, uploads by HTTP.

Messages are those of the published protocol and of OpenCentauri's notes.
"""

import hashlib
import json
import threading
from collections.abc import Mapping
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from typing import Any

from multipart import MultipartParser, parse_options_header
from websockets.exceptions import WebSocketException
from websockets.sync.server import ServerConnection, serve

BOARD = "000000000001d354"


class SimulatedElegoo:
    """Answers as a printer does; what befalls it are its methods.

    answers : whether commands are answered
    lag     : for so many requests the list of files is that of before
    video_url, video_code : in the answer that switches the video on
    is_video_on : whether the stream is sent
    """

    def __init__(self) -> None:
        self.attributes: dict[str, Any] = {
            "BrandName": "Elegoo", "MachineName": "Centauri Carbon", "FirmwareVersion": "V1.1.40",
            "ProtocolVersion": "V3.0.0", "SupportFileType": ["GCODE"],
        }  # fmt: skip
        self.answers, self.lag = True, 0
        self.video_url: object = None
        self.video_code, self.is_video_on = 0, False
        self.files: dict[str, bytes] = {}
        self.listed: set[str] = set()
        self.parts: dict[str, bytes] = {}
        self.commands: list[int] = []
        self.connections: set[ServerConnection] = set()
        self.forget()
        self.server = serve(self._client, "127.0.0.1", 0)
        self.port = self.server.socket.getsockname()[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    # ------------------------------------------------------------ what befalls it

    def forget(self) -> None:
        self.machine, self.job = [0], ""
        self.info: dict[str, Any] = {
            "Status": 0, "CurrentLayer": 0, "TotalLayer": 0, "CurrentTicks": 0, "TotalTicks": 0,
            "Filename": "", "ErrorNumber": 0, "PrintSpeedPct": 100,
        }  # fmt: skip

    def prints(self, name: str, ticks: int = 0) -> None:
        self.machine = [1]
        self.info |= {"Status": 13, "Filename": f"/local/{name}", "TotalTicks": 1000}
        self.info |= {"CurrentTicks": ticks, "ErrorNumber": 0}

    def ends(self, state: int, error: int = 0) -> None:
        self.machine = [0]
        self.info |= {"Status": state, "ErrorNumber": error}

    def boots(self) -> None:
        self.forget()
        self.hang_up()

    def hang_up(self) -> None:
        for connection in list(self.connections):
            connection.close_socket()

    def close(self) -> None:
        self.server.shutdown()
        self.hang_up()

    # ------------------------------------------------------------ SDCP

    def _client(self, connection: ServerConnection) -> None:
        assert connection.request is not None
        assert connection.request.path == "/websocket"
        self.connections.add(connection)
        with suppress(WebSocketException, OSError):
            for message in connection:
                self._answer(connection, json.loads(message))
        self.connections.discard(connection)

    def _answer(self, connection: ServerConnection, message: dict[str, Any]) -> None:
        request = message["Data"]
        command = request["Cmd"]
        if command == 1:
            body = {"Attributes": self.attributes, "MainboardID": BOARD}
            connection.send(json.dumps({**body, "Topic": f"sdcp/attributes/{BOARD}"}))
        else:
            assert request["MainboardID"] == BOARD
        if command > 1:
            self.commands.append(command)
            if not self.answers:
                return
        handler = getattr(self, f"do_{command}", None)
        answer = handler(request["Data"]) if handler else {"Ack": 0}
        data = {**request, "Data": answer}
        connection.send("pong")
        connection.send(json.dumps({"Data": data, "Topic": f"sdcp/response/{BOARD}"}))
        if command == 0:
            connection.send(json.dumps({**self.status(), "Topic": f"sdcp/status/{BOARD}"}))

    def status(self) -> dict[str, Any]:
        temperatures = {
            "TempOfNozzle": 209.84, "TempTargetNozzle": 210, "TempOfHotbed": 60.02,
            "TempTargetHotbed": 60, "TempOfBox": 34, "TempTargetBox": 0,
        }  # fmt: skip
        status = {"CurrentStatus": self.machine, "PrintInfo": self.info, **temperatures}
        return {"Status": status, "MainboardID": BOARD}

    def do_128(self, data: dict[str, Any]) -> dict[str, int]:
        name = data["Filename"].removeprefix("/local/")
        if self.machine != [0]:
            return {"Ack": 1}
        if name not in self.files:
            return {"Ack": 2}
        self.prints(name)
        return {"Ack": 0}

    def do_129(self, data: dict[str, Any]) -> dict[str, int]:
        self.info["Status"] = 6
        return {"Ack": 0}

    def do_131(self, data: dict[str, Any]) -> dict[str, int]:
        self.info["Status"] = 13
        return {"Ack": 0}

    def do_130(self, data: dict[str, Any]) -> dict[str, int]:
        self.ends(8)
        return {"Ack": 0}

    def do_258(self, data: dict[str, Any]) -> dict[str, Any]:
        if self.lag:
            self.lag -= 1
        else:
            self.listed = set(self.files)
        rows = [{"name": f"/local/{name}", "type": 1} for name in sorted(self.listed)]
        return {"Ack": 0, "FileList": rows}

    def do_259(self, data: dict[str, Any]) -> dict[str, int]:
        for path in data["FileList"]:
            self.files.pop(path.removeprefix("/local/"), None)
        return {"Ack": 0}

    def do_386(self, data: Mapping[str, object]) -> Mapping[str, object]:
        if self.video_code:
            return {"Ack": self.video_code}
        self.is_video_on = data["Enable"] == 1
        return {"Ack": 0} if self.video_url is None else {"Ack": 0, "VideoUrl": self.video_url}

    # ------------------------------------------------------------ uploads

    def __call__(self, handler: BaseHTTPRequestHandler) -> None:
        """Take a part of an upload: the file is there when its MD5 is right."""
        assert handler.path == "/uploadFile/upload"
        _, options = parse_options_header(handler.headers["Content-Type"])
        size = int(handler.headers["Content-Length"])
        form = {
            part.name: part
            for part in MultipartParser(handler.rfile, options["boundary"], content_length=size)
        }
        number, name = form["Uuid"].value, form["File"].filename
        assert int(form["Offset"].value) == len(self.parts.get(number, b""))
        content = self.parts[number] = self.parts.get(number, b"") + form["File"].raw
        code = "000000"
        if len(content) == int(form["TotalSize"].value):
            if hashlib.md5(content).hexdigest() == form["S-File-MD5"].value:
                self.files[name] = content
            else:
                code = "111111"
        body = json.dumps({"code": code, "messages": None, "data": {}}).encode()
        handler.send_response(200)
        handler.send_header("Content-Length", str(len(body)))
        handler.end_headers()
        handler.wfile.write(body)
