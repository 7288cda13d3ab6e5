"""A phone with the companion app, as Home Assistant sees it: registered, reached over a push service, and pressed by its owner."""

import http.server
import json
import pathlib
import re
import textwrap
import threading

from home_assistant import HomeAssistant, Socket
from processes import Failed, wait_for

CHANNELS = pathlib.Path(__file__).resolve().parents[2] / "Documentation/Forgetmenot.docc/Rules/Channels.md"
RESPONSE = "forgetmenot/aggregator/response/people/acknowledge"


class Phone:
    """Its push service is a server of ours, which keeps what Home Assistant sends: `pushes`."""

    def __init__(self, home: HomeAssistant, name: str):
        self.home, self.pushes = home, []
        pushes = self.pushes

        class PushService(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                pushes.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(201)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(b'{"target": "test"}')

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), PushService)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        app = {"push_token": "test", "push_url": f"http://127.0.0.1:{self.server.server_port}/push"}
        self.webhook = home.post("/api/mobile_app/registrations", {
            "app_data": app, "app_id": "io.homeassistant.companion.android", "app_name": "Home Assistant", "app_version": "2026.11.1",
            "device_name": name, "device_id": "test", "manufacturer": "Google", "model": name, "os_name": "Android", "os_version": "36",
            "supports_encryption": False,
        })["webhook_id"]
        entries = home.get("/api/config/config_entries/entry")
        self.entry = next(entry["entry_id"] for entry in entries if entry["domain"] == "mobile_app")

    def press(self, button: dict) -> None:
        """As the app does, over its webhook."""
        event = {"event_type": "mobile_app_notification_action", "event_data": button}
        self.home.post(f"/api/webhook/{self.webhook}", {"type": "fire_event", "data": event})

    def is_disabled(self, word: bool) -> None:
        """Home Assistant's service for the phone is gone meanwhile, as it is while Home Assistant starts."""
        with Socket(self.home) as socket:
            socket.ask("config_entries/disable", entry_id=self.entry, disabled_by="user" if word else None)

    def next_push(self) -> dict:
        wait_for("a push", lambda: self.pushes, 120)
        return self.pushes.pop(0)

    def shows(self, **expected) -> dict:
        """Waits for a message, and gives what the app tells when its button is pressed."""
        push = self.next_push()
        said = {"title": push.get("title"), "message": push["message"]} | push.get("data", {})
        wrong = {key: said.get(key) for key, value in expected.items() if said.get(key) != value}
        buttons = [button["title"] for button in said.get("actions", [])]
        if wrong or buttons != ["Acknowledge"] or not re.fullmatch("FORGETMENOT_[0-9a-f]{32}", said["actions"][0]["action"]):
            raise Failed(f"the phone shows {push}")
        return {"title": said["title"], "message": said["message"], "tag": said["tag"], "action": said["actions"][0]["action"]}

    def forgets(self, tag: str) -> None:
        push = self.next_push()
        if (push["message"], push.get("data")) != ("clear_notification", {"tag": tag}):
            raise Failed(f"the phone was to forget {tag}, and gets {push}")

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()


def documented(language: str, words: str) -> str:
    """The only block with these words: what people copy is what is tested."""
    blocks = re.findall(rf"^( *)```{language}\n(.*?)^\1```", CHANNELS.read_text(), re.MULTILINE | re.DOTALL)
    found = [textwrap.dedent(block) for _, block in blocks if words in block]
    if len(found) != 1:
        raise Failed(f"{CHANNELS} has {len(found)} blocks with {words}")
    return found[0]


def channel(home: HomeAssistant, folder: pathlib.Path) -> str:
    """The documented table, with this Home Assistant's address, and the token in its file."""
    token = folder / "homeassistant.token"
    token.touch(0o600)
    token.write_text(home.token + "\n")
    return documented("toml", 'kind = "homeassistant"').replace("http://homeassistant.local:8123", f"http://127.0.0.1:{home.port}")


def messages_arrive(story) -> None:
    """Anna, who is at home, leaves without the bag again and again. Her phone is reached as the document says."""
    home, site, observer = story.home, story.site, story.observer
    # Beside the examples.
    with open(story.folder / "config" / "examples.yaml", "a") as file:
        file.write("\n" + documented("yaml", "alias: Acknowledge messages"))
    home.call("automation.reload")
    home.says("automation.acknowledge_messages_of_forgetmenot", "on")
    with Socket(home) as socket:
        socket.ask("person/create", name="Anna", user_id=None, device_trackers=["device_tracker.anna"])
    home.says("person.anna", "home", source="device_tracker.anna", device_trackers=["device_tracker.anna"])
    phone = Phone(home, "Pixel 8")
    try:
        site.aggregator.end()
        site.start_aggregator("[home_assistant]\nmqtt_room = true\n" + channel(home, story.folder))
        home.says("person.anna", "home")
        tested = site.ask("people", "test", "anna")
        if tested != f"mobile_app_pixel_8 at http://127.0.0.1:{home.port}: sent\n":
            raise Failed(f"the test of the channel says {tested}")
        if phone.next_push()["title"] != "A test":
            raise Failed("the phone got another message than the test")

        def leaves() -> dict:
            story.heard(-40, None)
            button = phone.shows(
                title="Forgotten: Laptop bag", url="https://house.example", clickAction="https://house.example", priority="high"
            )
            home.says("sensor.laptop_bag_last_message", button["message"])
            home.says("person.anna", "not_home")
            return button

        def returns() -> None:
            story.heard(-40, None, phone=-40)
            home.says("person.anna", "home")

        def is_over() -> None:
            observer.wait("it to be over", lambda: "forgetmenot/items/laptop-bag/notification" not in observer.retained)

        buttons = []
        for _ in range(2):
            buttons.append(leaves())
            phone.press(buttons[-1])
            phone.forgets(buttons[-1]["tag"])
            is_over()
            returns()
        for _ in range(2):
            buttons.append(leaves())
            # The button of a message that is over is of no message.
            observer.seen.pop(RESPONSE, None)
            phone.press(buttons[0])
            observer.wait("the refusal", lambda: b"no message to acknowledge" in observer.seen.get(RESPONSE, b""))
            phone.is_disabled(True)
            returns()
            is_over()
            # The removal was sent before the test, so both are refused.
            refused = site.ask("people", "test", "anna", status=1)
            phone.is_disabled(False)
            if "HTTP status 400: check the service" not in refused:
                raise Failed(f"without its service the test of the channel says {refused}")
            phone.forgets(buttons[-1]["tag"])
        if len({button["action"] for button in buttons}) != len(buttons) or len({button["tag"] for button in buttons}) != 1:
            raise Failed(f"the buttons and tags are {buttons}")
        if phone.pushes:
            raise Failed(f"the phone got more than that: {phone.pushes}")
    finally:
        phone.end()
    site.aggregator.end()
    site.start_aggregator("[home_assistant]\nmqtt_room = true\n")
    home.says("person.anna", "home")
