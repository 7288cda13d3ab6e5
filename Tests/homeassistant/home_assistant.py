"""A real Home Assistant, started, set up and asked as a person's browser does."""

import json
import pathlib
import re
import urllib.error
import urllib.request

import websocket

from processes import Failed, Process, answers, free_port, wait_for

HERE = pathlib.Path(__file__).resolve().parent


class HomeAssistant:
    """One instance of a version in a folder of its own below `base`, which is all that it sees of us."""

    def __init__(self, version: str, suite: str, base: pathlib.Path, folder: pathlib.Path):
        self.folder, self.port, self.token = folder, free_port(), ""
        folder.mkdir()
        self.write_configuration("")
        storage = folder / ".storage"
        storage.mkdir()
        done = {"done": ["core_config", "analytics", "integration"]}
        (storage / "onboarding").write_text(
            json.dumps({"version": 4, "minor_version": 1, "key": "onboarding", "data": done})
        )
        words = [str(HERE / "inside"), suite, str(base / version / "bin" / "hass"), "-c", str(folder), "--skip-pip"]
        self.process = Process("home-assistant", words, folder.parent)

    def write_configuration(self, more: str) -> None:
        (self.folder / "configuration.yaml").write_text(
            "homeassistant:\n  name: Test\n  latitude: 52.0\n  longitude: 13.0\n  elevation: 0\n"
            "  unit_system: metric\n  time_zone: UTC\n"
            f"http:\n  server_host: 127.0.0.1\n  server_port: {self.port}\n"
            "frontend:\nhistory:\nlogbook:\nperson:\nmobile_app:\nconfig:\nrecorder:\n  commit_interval: 1\nautomation: !include automations.yaml\n"
            "counter:\n" + "".join(f"  {name}:\n" for name in COUNTERS) + more
        )
        automations = self.folder / "automations.yaml"
        if not automations.exists():
            automations.write_text("[]\n")

    # Its life

    def start(self) -> None:
        self.process.start()

        def is_up():
            if not self.process.is_running:
                raise Failed(f"Home Assistant ended: {self.process.log.read_text()[-2000:]}")
            return answers(self.port)

        wait_for("Home Assistant's port", is_up, 180)
        if not self.token:
            self.onboard()
        wait_for("Home Assistant to run", lambda: self.get("/api/config").get("state") == "RUNNING", 180)

    def stop(self) -> None:
        status = self.process.end(seconds=120)
        if status not in (0, -15):
            raise Failed(f"Home Assistant ended with {status}")

    def onboard(self) -> None:
        client = f"http://127.0.0.1:{self.port}/"
        user = {"client_id": client, "name": "Test", "username": "test", "password": "test", "language": "en"}
        code = wait_for("onboarding", lambda: self.post("/api/onboarding/users", user, may_fail=True))["auth_code"]
        form = f"grant_type=authorization_code&code={code}&client_id={client}".encode()
        request = urllib.request.Request(client + "auth/token", form)
        self.token = json.load(urllib.request.urlopen(request, timeout=30))["access_token"]
        with Socket(self) as socket:
            self.token = socket.ask("auth/long_lived_access_token", client_name="test", lifespan=1)
            # From 2026 on an address that nobody confirms is given up after five minutes.
            socket.ask("http/config/promote", may_fail=True)

    # What it is asked

    def request(self, method: str, path: str, body=None, may_fail: bool = False):
        request = urllib.request.Request(
            f"http://127.0.0.1:{self.port}{path}", None if body is None else json.dumps(body).encode(), method=method,
            headers={"Content-Type": "application/json"} | ({"Authorization": f"Bearer {self.token}"} if self.token else {}),
        )
        try:
            text = urllib.request.urlopen(request, timeout=60).read().decode()
        except urllib.error.HTTPError as error:
            if may_fail:
                return None
            raise Failed(f"{method} {path}: {error.code} {error.read().decode()[:500]}") from None
        except OSError as error:
            if may_fail:
                return None
            raise Failed(f"{method} {path}: {error}") from None
        try:
            return json.loads(text)
        except ValueError:
            return text

    def get(self, path: str, may_fail: bool = False):
        return self.request("GET", path, may_fail=may_fail)

    def post(self, path: str, body, may_fail: bool = False):
        return self.request("POST", path, body, may_fail)

    def call(self, service: str, **data) -> None:
        self.post(f"/api/services/{service.replace('.', '/')}", data)

    def state(self, entity: str) -> dict | None:
        return self.get(f"/api/states/{entity}", may_fail=True)

    def says(self, entity: str, state: str | None, seconds: float = 60, **attributes) -> dict | None:
        """Waits until an entity has a state (`None`: until it is gone) and attributes."""

        def is_so():
            found = self.state(entity)
            if state is None or found is None:
                return state is None and found is None
            return found["state"] == state and all(found["attributes"].get(k) == v for k, v in attributes.items())

        try:
            wait_for(f"{entity} to say {state} {attributes or ''}", is_so, seconds)
        except Failed as error:
            raise Failed(f"{error}: {json.dumps(self.state(entity))[:600]}") from None
        return self.state(entity)

    def render(self, template: str, variables: dict) -> str:
        return self.request("POST", "/api/template", {"template": template, "variables": variables})

    def set_up_mqtt(self, port: int) -> None:
        """By the same steps as a person in the settings: each release asks for what it wants."""
        step = self.post("/api/config/config_entries/flow", {"handler": "mqtt", "show_advanced_options": False})
        answer = {"broker": "127.0.0.1", "port": port}
        for field in step["data_schema"]:
            if field["name"] == "protocol":
                answer["protocol"] = field.get("default", "5")
            if field["name"] == "other_settings":
                answer["other_settings"] = {"set_client_cert": False, "set_ca_cert": "off"}
        step = self.post(f"/api/config/config_entries/flow/{step['flow_id']}", answer)
        if step["type"] != "create_entry":
            raise Failed(f"MQTT cannot be set up: {step}")

    # What it complains of

    def complaints(self) -> list[str]:
        """The lines of its log that are warnings or worse, without those that say how the test is run."""
        text = self.process.log.read_text(errors="replace")
        lines = re.sub(r"\x1b\[[0-9;]*m", "", text).splitlines()
        return [
            line for line in lines
            if re.search(r" (WARNING|ERROR|CRITICAL) ", line) and not any(word in line for word in OF_THE_TEST)
        ]


# What is counted: how often each automation fired.
# `sent_left` counts the same notification as `notification_left`, by the trigger that reads better.
COUNTERS = ["moved", "left", "returned", "notification_left", "notification_returned", "sent_left", "low", "notification_low"]

# Complaints about how the test runs it, not about us. The last is of an entity that is renamed twice within a second.
OF_THE_TEST = ["Skipping pip installation", "[aiohttp_fast_zlib]", "[haffmpeg", "Cannot migrate history for entity_id `sensor."]


class Socket:
    """The websocket, for what REST does not have."""

    def __init__(self, home: HomeAssistant):
        self.socket = websocket.create_connection(f"ws://127.0.0.1:{home.port}/api/websocket", timeout=60)
        self.number = 0
        self.socket.recv()
        self.socket.send(json.dumps({"type": "auth", "access_token": home.token}))
        if json.loads(self.socket.recv())["type"] != "auth_ok":
            raise Failed("the websocket does not let us in")

    def ask(self, kind: str, may_fail: bool = False, **data):
        self.number += 1
        self.socket.send(json.dumps({"id": self.number, "type": kind} | data))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("id") == self.number and answer["type"] == "result":
                break
        if not answer["success"] and not may_fail:
            raise Failed(f"{kind}: {answer}")
        return answer.get("result")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
