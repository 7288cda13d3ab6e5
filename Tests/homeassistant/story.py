"""The whole story of a thing, as its owner sees it in Home Assistant.

    story.py VERSION SUITE BASE PROGRAMS
"""

import datetime
import json
import pathlib
import shutil
import sys
import tempfile
import time
import traceback
from socket import gethostname

import phone
import templates
from broker import Observer
from home_assistant import COUNTERS, HomeAssistant, Socket
from look import look
from processes import Failed, Site, SteeredRadio, wait_for

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
PAGE = "https://house.example"
DEPLOY = pathlib.Path(__file__).resolve().parents[2] / "deploy" / "home-assistant"


def step(sentence: str) -> None:
    print(f"- {sentence}", flush=True)


def check(is_so, what: str) -> None:
    if not is_so:
        raise Failed(what)


class Story:
    def __init__(self, version: str, suite: str, base: pathlib.Path, programs: pathlib.Path, folder: pathlib.Path):
        self.version, self.folder = version, folder
        self.site = Site(folder, programs)
        self.observer = Observer(self.site.port)
        self.home = HomeAssistant(version, suite, base, folder / "config")
        self.radios = {
            name: SteeredRadio(folder / f"{name}.btsnoop", [7, 8], reports_batteries=True) for name in ("kitchen", "hall")
        }

    # Looking

    def devices(self) -> dict[str, dict]:
        """Our devices in Home Assistant, by the id that discovery gave them."""
        with Socket(self.home) as socket:
            found = socket.ask("config/device_registry/list")
        return {i[1]: device for device in found for i in device["identifiers"] if i[0] == "mqtt"}

    def counts(self) -> dict[str, int]:
        return {name: int(self.home.state(f"counter.{name}")["state"]) for name in COUNTERS}

    def heard(self, kitchen: int | None, hall: int | None, phone: int | None = None) -> None:
        """The bag's RSSI at both gateways, and the phone's in the kitchen."""
        self.radios["kitchen"].hear(m7=kitchen, m8=phone)
        self.radios["hall"].hear(m7=hall)

    # The chapters

    def begin(self) -> None:
        step("a site and Home Assistant come up, and find each other")
        # By one gateway alone at first: whoever hears a thing first may be its room for a second.
        self.heard(-40, None)
        for name, radio in self.radios.items():
            self.site.start_gateway(name, name.capitalize(), radio)
        self.site.start_aggregator()
        self.home.start()
        self.home.set_up_mqtt(self.site.port)
        self.home.says("binary_sensor.forgetmenot_connectivity", "on")
        for name in self.radios:
            self.home.says(f"binary_sensor.gateway_{name}_connectivity", "on", host=gethostname().split(".")[0])
            self.home.says(f"binary_sensor.gateway_{name}_radio_problem", "off")
        devices = self.devices()
        parent = devices["forgetmenot_aggregator"]
        for name in self.radios:
            gateway = devices[f"forgetmenot-{name}"]
            check(gateway["via_device_id"] == parent["id"], f"{name} does not belong to the aggregator: {gateway}")
            check(gateway["area_id"] == name, f"{name} is not in its area: {gateway['area_id']}")
            check((gateway["name"], gateway["model_id"]) == (f"Gateway {name.capitalize()}", "forgetmenot-gateway"), f"{gateway}")
        check(parent["configuration_url"] == PAGE, f"the aggregator does not link to the page: {parent}")

    def add_item(self) -> None:
        self.site.ask(
            "items", "add", "Laptop bag", "--uuid", UUID, "--major", "7", "--minor", "7", "--notify-after", "1s",
            "--notify-repeat", "10m", "--notify-until", "1h", "--notify-returned",
        )

    def item_appears(self) -> None:
        step("an item is added by command, and is home, in its room")
        self.add_item()
        self.home.says("device_tracker.laptop_bag", "home", in_zones=["zone.home"], source_type="bluetooth_le")
        self.home.says("sensor.laptop_bag_room", "Kitchen")
        self.home.says("binary_sensor.laptop_bag_presence", "on", device_class="presence")
        self.home.says("sensor.laptop_bag_proximity", "immediate")
        self.home.says("sensor.laptop_bag_distance", "0.1", unit_of_measurement="m", state_class="measurement")
        seen = self.home.state("sensor.laptop_bag_last_seen")["state"]
        check(seen.startswith(time.strftime("%Y-%m-%dT", time.gmtime())), f"last seen is {seen}")
        check(self.home.state("sensor.laptop_bag_distance_to_kitchen") is None, "per-gateway distances are not disabled")
        self.home.says("binary_sensor.laptop_bag_notification_active", "off")
        wait_for("the zone to count it", self.is_counted)
        device = self.devices()["forgetmenot_item_laptop-bag"]
        check(device["via_device_id"] == self.devices()["forgetmenot_aggregator"]["id"], "the item has no parent")
        check(device["area_id"] is None, f"the item, which is carried, is in the area {device['area_id']}")
        check((device["serial_number"], device["configuration_url"]) == (f"{UUID}/7/7", PAGE), f"{device}")
        self.automate(device["id"])

    def is_counted(self) -> bool:
        zone = self.home.state("zone.home")
        # Before 2026 a zone counts persons alone.
        return "device_trackers" not in zone["attributes"] or "device_tracker.laptop_bag" in zone["attributes"]["device_trackers"]

    def automate(self, device: str) -> None:
        triggers = [(name, name, "item") for name in ("moved", "left", "returned")]
        triggers += [(f"notification_{kind}", "notification", kind) for kind in ("left", "returned")]
        self.count_triggers(device, [*triggers, ("sent_left", "sent: left", "notification")])
        # What was told before is nobody's.
        self.observer.told.clear()

    def count_triggers(self, device: str, triggers: list[tuple[str, str, str]]) -> None:
        """For each counter an automation that counts a device trigger of this type and subtype."""
        for name, kind, subtype in triggers:
            trigger = {"trigger": "device", "domain": "mqtt", "device_id": device, "type": kind, "subtype": subtype}
            action = {"action": "counter.increment", "target": {"entity_id": f"counter.{name}"}}
            body = {"alias": name, "triggers": [trigger], "conditions": [], "actions": [action], "mode": "queued"}
            self.home.post(f"/api/config/automation/config/{name}", body)
            self.home.says(f"automation.{name}", "on")

    def person_enables_a_distance(self) -> None:
        """Just before a restart: 2025.4.4 would reload MQTT for it half a minute later, and by an error of its own fire each device trigger
        twice from then on."""
        step("a distance to one gateway and other details are there for whoever wants them")
        with Socket(self.home) as socket:
            found = {entry["entity_id"]: entry for entry in socket.ask("config/entity_registry/list")}
            for name in DETAILS:
                entity = f"sensor.laptop_bag_{name}"
                check(found[entity]["disabled_by"] == "integration", f"{entity} is not disabled: {found[entity]}")
                socket.ask("config/entity_registry/update", entity_id=entity, disabled_by=None)

    def is_number(self, entity: str) -> bool:
        state = (self.home.state(entity) or {}).get("state", "")
        return state.replace(".", "", 1).isdigit()

    def item_moves(self) -> None:
        step("it moves, and an automation fires once")
        self.heard(-85, -45)
        self.home.says("sensor.laptop_bag_room", "Hall")
        self.fired("moved")
        event = self.home.state("event.laptop_bag_last_event")["attributes"]
        check((event["event_type"], event["from"], event["to"]) == ("moved", "Kitchen", "Hall"), f"last event: {event}")

    def item_leaves(self) -> None:
        step("it leaves, and somebody is told")
        self.heard(None, None)
        self.home.says("device_tracker.laptop_bag", "not_home", in_zones=[])
        self.home.says("sensor.laptop_bag_room", "unknown")
        self.home.says("sensor.laptop_bag_distance", "unknown")
        self.home.says("binary_sensor.laptop_bag_presence", "off")
        self.fired("moved", "left", "notification_left")
        said = self.home.state("event.laptop_bag_notification")["attributes"]
        check(said["event_type"] == "left" and "Laptop bag has left (last: Hall)" in said["message"], f"{said}")
        self.home.says("sensor.laptop_bag_last_message", said["message"])
        self.home.says("binary_sensor.laptop_bag_notification_active", "on", message=said["message"], kind="left")

    def restarted(self) -> None:
        step("Home Assistant restarts: nothing is lost, and nothing fires again")
        before = self.counts()
        self.home.stop()
        # What the examples are made of is looked at from here on.
        shutil.copy(DEPLOY / "automations.yaml", self.folder / "config" / "examples.yaml")
        shutil.copy(DEPLOY / "dashboard.yaml", self.folder / "config" / "dashboard.yaml")
        shutil.copytree(DEPLOY / "blueprints", self.folder / "config" / "blueprints", dirs_exist_ok=True)
        self.home.write_configuration(EXAMPLES)
        self.home.start()
        self.home.says("device_tracker.laptop_bag", "not_home")
        self.home.says("binary_sensor.laptop_bag_presence", "off")
        self.observer.wait("the birth", lambda: "homeassistant/status" in self.observer.seen, 60)
        time.sleep(8)  # past the birth and all that follows it
        check(self.counts() == before, f"fired again after the restart: {before} -> {self.counts()}")
        self.home.says("binary_sensor.laptop_bag_notification_active", "on", kind="left")
        valid = self.home.post("/api/config/core/check_config", {})
        check(valid["result"] == "valid", f"the examples are wrong: {valid}")
        self.use_blueprints()

    def use_blueprints(self) -> None:
        """Makes automations from the blueprints, as a person does who answers their questions."""
        with Socket(self.home) as socket:
            found = socket.ask("blueprint/list", domain="automation")
        inputs = {
            "forgotten": {"notify": "script.phone"},
            "low_battery": {"notify": "script.phone"},
            "follow_me_light": {"room": "sensor.laptop_bag_room"},
            "welcome": {
                "tracker": "device_tracker.laptop_bag", "absence": 0,
                "actions": [{"action": "light.turn_on", "target": {"entity_id": "light.porch"}}],
            },
        }
        shipped = {path.stem for path in (DEPLOY / "blueprints/automation/forgetmenot").iterdir()}
        check(shipped == set(inputs), f"these blueprints are shipped: {shipped}")
        for name, input in inputs.items():
            path = f"forgetmenot/{name}.yaml"
            check("metadata" in found.get(path, {}), f"the blueprint {name} is wrong: {found.get(path)}")
            body = {"alias": f"From {name}", "use_blueprint": {"path": path, "input": input}}
            self.home.post(f"/api/config/automation/config/from_{name}", body)
            self.home.says(f"automation.from_{name}", "on")
        # The light that the blueprint finds is in the area of its room.
        with Socket(self.home) as socket:
            socket.ask("config/entity_registry/update", entity_id="light.lamp", area_id="kitchen")

    def phone_shows(self, tag: str) -> bool:
        with Socket(self.home) as socket:
            return f"phone_{tag}" in {entry["notification_id"] for entry in socket.ask("persistent_notification/get")}

    def acknowledged(self) -> None:
        step("a button acknowledges")
        topic = "forgetmenot/items/laptop-bag/notification"
        check(topic in self.observer.retained, "there is nothing to acknowledge")
        self.home.call("button.press", entity_id="button.laptop_bag_acknowledge")
        self.observer.wait("the notification to be over", lambda: topic not in self.observer.retained)
        self.home.says("binary_sensor.laptop_bag_notification_active", "off")
        check("message" not in self.home.state("binary_sensor.laptop_bag_notification_active")["attributes"], "it still has a text")

    def item_returns(self) -> None:
        step("it returns")
        self.heard(-40, None)
        self.home.says("device_tracker.laptop_bag", "home", in_zones=["zone.home"])
        self.home.says("sensor.laptop_bag_room", "Kitchen")
        self.fired("returned", "notification_returned")
        self.home.says("sensor.bag_room", "Kitchen")
        self.home.says("light.porch", "on")  # by the blueprint "welcome"
        self.home.says("light.lamp", "on")  # by "follow-me light"
        self.home.says("sensor.laptop_bag_nearest_gateway", "kitchen")
        self.home.says("sensor.laptop_bag_rssi", "-40.0", unit_of_measurement="dBm", state_class="measurement")
        self.home.says("sensor.laptop_bag_floor", "unknown")  # there is no plan
        wait_for("the confidence", lambda: self.is_number("sensor.laptop_bag_confidence"))
        seen = self.home.state("sensor.laptop_bag_last_seen_exactly")["state"]
        age = time.time() - datetime.datetime.fromisoformat(seen).timestamp()
        check(0 <= age < 65, f"the last sighting is {age} s old")

    def battery_gets_low(self) -> None:
        step("its tag reports its battery, which gets low, and low again")
        # The notification of the return would be in front of that of the battery.
        self.home.call("button.press", entity_id="button.laptop_bag_acknowledge")
        self.home.says("binary_sensor.laptop_bag_notification_active", "off")
        self.report_battery(80)
        self.home.says("sensor.laptop_bag_battery", "80", unit_of_measurement="%", device_class="battery", state_class="measurement")
        device = self.devices()["forgetmenot_item_laptop-bag"]["id"]
        self.count_triggers(device, [("low", "low", "item"), ("notification_low", "notification", "low")])
        for isAcknowledged in (True, False):
            self.report_battery(9)
            self.home.says("sensor.laptop_bag_battery", "9")
            self.home.says("binary_sensor.laptop_bag_notification_active", "on", kind="low")
            self.fired("low", "notification_low")
            check(self.event_type("event.laptop_bag_last_event") == "low", "the last event is another one")
            wait_for("the phone", lambda: self.phone_shows("forgetmenot_low_laptop-bag"))
            if isAcknowledged:
                self.press("low")
            else:
                self.report_battery(90)
            self.home.says("binary_sensor.laptop_bag_notification_active", "off")
            wait_for("the phone to forget it", lambda: not self.phone_shows("forgetmenot_low_laptop-bag"))
            self.report_battery(90)
            self.home.says("sensor.laptop_bag_battery", "90")

    def battery_dies(self) -> None:
        step("its battery dies, twice: its absence says so, each message is acknowledged on its own, and a new battery welcomes nobody")
        shown = lambda: [tag for tag in ("forgetmenot_laptop-bag", "forgetmenot_low_laptop-bag") if self.phone_shows(tag)]
        for kinds in (["low", "left"], ["left", "low"]):
            self.home.call("light.turn_off", entity_id="light.porch")
            self.home.call("persistent_notification.dismiss", notification_id="welcome")
            self.report_battery(9)
            wait_for("the phone to show the battery", lambda: shown() == ["forgetmenot_low_laptop-bag"])
            self.heard(None, None)
            self.home.says("device_tracker.laptop_bag", "not_home", probable_cause="battery")
            self.home.says("binary_sensor.laptop_bag_notification_active", "on", kind="left")
            event = self.home.state("event.laptop_bag_last_event")["attributes"]
            check((event["event_type"], event.get("probable_cause")) == ("left", "battery"), f"the last event is {event}")
            check("left (probably an empty battery)" in self.site.ask("history", "laptop-bag"), "the history has another cause")
            wait_for("the phone to show both", lambda: len(shown()) == 2)
            self.press(kinds[0])
            self.home.says("binary_sensor.laptop_bag_notification_active", "on", kind=kinds[1])
            if kinds[1] == "low":
                wait_for("the phone to forget the absence", lambda: shown() == ["forgetmenot_low_laptop-bag"])
            self.press(kinds[1])
            self.home.says("binary_sensor.laptop_bag_notification_active", "off")
            wait_for("the phone to forget both", lambda: not shown())
            self.report_battery(90)
            self.home.says("device_tracker.laptop_bag", "home")
            check("probable_cause" not in self.home.state("device_tracker.laptop_bag")["attributes"], "the cause stays")
            self.fired("left", "returned", "low")
            self.home.says("light.porch", "off")
            check(not self.is_shown("welcome"), "the shipped automation welcomes a new battery")
            self.home.says("sensor.laptop_bag_room", "Kitchen")
            self.home.call("button.press", entity_id="button.laptop_bag_acknowledge")
            self.home.says("binary_sensor.laptop_bag_notification_active", "off")

    def press(self, kind: str) -> None:
        """The phone's button of a notification; returns once the aggregator has responded to a request behind that."""
        topic = "forgetmenot/items/laptop-bag/request/acknowledge"
        self.observer.seen.pop(topic, None)
        action = {"left": "FORGETMENOTITEM_left_laptop-bag", "low": "FORGETMENOTLOW_laptop-bag"}[kind]
        self.home.post("/api/events/mobile_app_notification_action", {"action": action})
        self.observer.wait("the request", lambda: topic in self.observer.seen)
        self.site.ask("history", "laptop-bag")

    def report_battery(self, percent: int) -> None:
        self.radios["kitchen"].charges[7] = percent
        self.heard(-40, None)

    def tag_fades(self) -> None:
        step("its tag fades, and its interval, sightings and trend are there for whoever wants them")
        for trend, days in ((-4.9, [-60.1 - 0.7 * day for day in range(8)]), (None, [-60.1])):
            self.publish_health(trend, days)
            self.home.says("sensor.laptop_bag_interval", "1.02", unit_of_measurement="s", state_class="measurement")
            self.home.says("sensor.laptop_bag_sightings_per_hour", "3180", state_class="measurement")
            self.home.says("sensor.laptop_bag_rssi_trend", "unknown" if trend is None else "-4.9", unit_of_measurement="dB/week")

    def publish_health(self, trend: float | None, days: list[float]) -> None:
        """As an aggregator that has measured for so many days."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")
        health = {"v": 1, "item": "laptop-bag", "interval_s": 1.02, "sightings_per_hour": 3180, "rssi_gateway": "kitchen",
                  "rssi_days_dbm": [round(day, 1) for day in days], "at": now, "boot": "1.test", "uptime_ms": 7}
        if trend is not None:
            health["rssi_db_per_week"] = trend
        self.observer.client.publish("forgetmenot/items/laptop-bag/health", json.dumps(health), qos=1, retain=True)

    def speaks_german(self) -> None:
        step("in German its entities have German names and English ids, and after a restart as well, and it is English again")
        for language, names, item in (("de", GERMAN, "Schirm"), ("en", ENGLISH, "Hat")):
            self.site.aggregator.end()
            self.site.start_aggregator("[home_assistant]\nmqtt_room = true\n" + (PLAN if language == "de" else ""), language)
            self.home.says("binary_sensor.forgetmenot_connectivity", "on")
            # What is new has its ids from the names of this language, if they were not English.
            self.site.ask("items", "add", item, "--uuid", UUID, "--major", "7", "--minor", "60")
            for _ in range(2):
                self.home.says(f"device_tracker.{item.lower()}", "unknown")
                self.has_names(names, item.lower())
                self.home.says("device_tracker.laptop_bag", "home")
                self.home.says("sensor.laptop_bag_floor", "1" if language == "de" else "unknown")
                if language == "de":
                    self.home.stop()
                    self.home.start()
            self.site.ask("items", "remove", item.lower())
            self.home.says(f"device_tracker.{item.lower()}", None)

    def has_names(self, names: dict[str, str], item: str) -> None:
        try:
            wait_for("the names", lambda: not self.other_names(names, item))
        except Failed:
            check(False, f"these names are wrong: {self.other_names(names, item)}")

    def other_names(self, expected: dict[str, str], item: str) -> dict[str, tuple]:
        """The entities that show another name than expected. A new item of this id has to have the same ids and names as the bag."""
        with Socket(self.home) as socket:
            registry = {entry["entity_id"]: entry["original_name"] for entry in socket.ask("config/entity_registry/list")}
        others = {}
        for entity, name in expected.items():
            # The registry has the new names of a known entity from the next start on, its state at once.
            shown = (self.home.state(entity) or {}).get("attributes", {}).get("friendly_name", "")
            new = registry.get(entity.replace("laptop_bag", item)) if "laptop_bag" in entity else name
            if not shown.endswith(f" {name}") or new != name:
                others[entity] = (shown, new)
        return others

    def item_leaves_again(self) -> None:
        step("it leaves and returns again, twice: a phone shows that by a blueprint, acknowledges it, and forgets it when the item is back")
        topic = "forgetmenot/items/laptop-bag/notification"
        for isAcknowledged in (True, False):
            self.heard(None, None)
            self.home.says("binary_sensor.laptop_bag_notification_active", "on", kind="left")
            wait_for("the phone", lambda: self.phone_shows("forgetmenot_laptop-bag"))
            wait_for("the shipped automation", lambda: self.is_shown("forgotten"))
            self.home.says("light.lamp", "off")  # by "follow-me light"
            self.home.call("light.turn_off", entity_id="light.porch")
            self.home.says("light.porch", "off")
            if isAcknowledged:
                self.press("left")
                self.observer.wait("the notification to be over", lambda: topic not in self.observer.retained)
            else:
                self.heard(-40, None)
            wait_for("the phone to forget it", lambda: not self.phone_shows("forgetmenot_laptop-bag"))
            wait_for("the shipped automation to dismiss it", lambda: not self.is_shown("forgotten"))
            self.heard(-40, None)
            self.home.says("device_tracker.laptop_bag", "home")
            self.home.says("sensor.laptop_bag_room", "Kitchen")
            self.home.says("light.lamp", "on")
            self.home.says("light.porch", "on")  # by "welcome"
            wait_for("the shipped welcome", lambda: self.is_shown("welcome"))

    def is_shown(self, notification: str) -> bool:
        with Socket(self.home) as socket:
            return notification in {entry["notification_id"] for entry in socket.ask("persistent_notification/get")}

    def examples_work(self) -> None:
        step("the examples do what they say")
        self.home.says("light.kitchen", "on")
        self.home.says("light.hall", "on")  # by the welcome
        self.heard(-40, -80)
        self.heard(-85, -45)
        self.home.says("sensor.laptop_bag_room", "Hall")
        self.home.says("light.kitchen", "off")
        self.heard(-40, -80)
        self.home.says("sensor.laptop_bag_room", "Kitchen")
        # The room changes before the smoothed RSSI has come so far.
        self.home.says("sensor.laptop_bag_proximity", "immediate")
        wait_for("the distance to the hall", lambda: self.is_number("sensor.laptop_bag_distance_to_hall"))
        for word, state in (("OFF", "off"), ("ON", "on")):
            self.observer.client.publish("test/door", word)
            self.home.says("binary_sensor.front_door", state)
        wait_for("the door's reminder", lambda: self.is_shown("left_behind"))
        with Socket(self.home) as socket:
            shown = socket.ask("lovelace/config", url_path="lovelace-things")
        content = shown["views"][0]["cards"][0]["content"]
        table = self.home.render(content, {})
        check(self.row("Laptop bag", "Kitchen (immediate) | now") in table, f"the dashboard says {table}")
        for former, newer in (("sensor.forgetmenot_items", "sensor.renamed"), ("sensor.renamed", "sensor.forgetmenot_items")):
            site = self.home.render(shown["views"][1]["cards"][0]["content"], {})
            rows = ["| Connectivity | Connected |", "| Problem | OK |", "| Gateways alive | 2 |", "| Items | 1 |"]
            check(sorted(site.splitlines()[2:]) == sorted(rows), f"the dashboard says {site}")
            with Socket(self.home) as socket:
                socket.ask("config/entity_registry/update", entity_id=former, new_entity_id=newer)
            self.home.says(newer, "1")
        gateways = self.home.render(shown["views"][1]["cards"][1]["content"], {})
        check(gateways.count("| yes | works |") == 2 and "[Gateway Hall]" in gateways, f"the dashboard says {gateways}")
        self.dashboard_survives(content)

    def row(self, name: str, rest: str, item: str = "laptop-bag") -> str:
        return f"| [{name}](/config/devices/device/{self.devices()[f'forgetmenot_item_{item}']['id']}) | {rest} |"

    def dashboard_survives(self, content: str) -> None:
        step("the dashboard sorts, survives odd names, and finds renamed entities")
        names = ["a | <b>*bold*</b> [x](y)", "Z" * 64]
        for number, name in enumerate(names):
            self.site.ask("items", "add", name, "--id", f"odd-{number}", "--uuid", UUID, "--major", "7", "--minor", f"{70 + number}")
            self.home.says(f"device_tracker.odd_{number}", "unknown")
        for former, newer in (("sensor.laptop_bag_room", "sensor.renamed"), ("sensor.renamed", "sensor.laptop_bag_room")):
            with Socket(self.home) as socket:
                socket.ask("config/entity_registry/update", entity_id=former, new_entity_id=newer)
            self.home.says(newer, "Kitchen")
            rows = [line for line in self.home.render(content, {}).splitlines() if line.startswith("| [")]
            check(rows[0] == self.row("Laptop bag", "Kitchen (immediate) | now"), f"the dashboard says {rows}")
            check(rows[1].replace("\u200b", "").startswith(
                "| [a &#124; &lt;b&gt;&#42;bold&#42;&lt;/b&gt; &#91;x&#93;(y)]("), f"the dashboard says {rows}")
            check(rows[2].startswith("| [" + ("Z" * 10 + "\u200b") * 3 + "Z" * 9 + "…"), f"the dashboard says {rows}")
        look(self.home, self.folder.parent / "pictures" / self.version, {
            "lovelace-things/things": "Laptop bag", "lovelace-things/gateways": "Gateway Hall",
        })
        for number in range(len(names)):
            self.site.ask("items", "remove", f"odd-{number}")
            self.home.says(f"device_tracker.odd_{number}", None)

    def gateway_dies(self) -> None:
        step("a gateway that goes is seen to be gone, and its radio is restarted by a button when it is back")
        self.site.gateways["hall"].end()
        self.home.says("binary_sensor.gateway_hall_connectivity", "off")
        self.home.says("sensor.gateway_hall_beacons", "unavailable")
        self.home.says("sensor.laptop_bag_distance_to_hall", "unavailable")
        self.site.start_gateway("hall", "Hall", self.radios["hall"])
        self.home.says("binary_sensor.gateway_hall_connectivity", "on")
        self.home.call("button.press", entity_id="button.gateway_hall_restart_radio")
        topic = "forgetmenot/gateways/hall/response/radio/restart"
        self.observer.wait("an answer of the gateway's", lambda: topic in self.observer.seen)

    def aggregator_stops(self) -> None:
        step("without the aggregator nothing is said of where things are")
        self.site.aggregator.end()
        self.home.says("device_tracker.laptop_bag", "unavailable")
        self.home.says("sensor.laptop_bag_room", "unavailable")
        self.home.says("binary_sensor.forgetmenot_connectivity", "off")
        self.site.start_aggregator("[home_assistant]\nmqtt_room = true\n")
        self.home.says("device_tracker.laptop_bag", "not_home")
        self.home.says("binary_sensor.forgetmenot_connectivity", "on")

    def templates_hold(self) -> None:
        step("every template holds over every payload, whatever is missing from it")
        count = templates.check(self.home, self.observer)
        print(f"  {count} renderings", flush=True)
        templates.check_distances(self.home, self.observer)

    def person_appears(self) -> None:
        step("a person is added by command, and the rooms have numbers of people and items")
        self.heard(-40, None, phone=-40)
        self.site.ask("items", "add", "Phone", "--uuid", UUID, "--major", "7", "--minor", "8")
        self.home.says("sensor.phone_room", "Kitchen")
        self.add_person()
        self.home.says("sensor.anna_room", "Kitchen")
        self.home.says("sensor.kitchen_people", "1", ids=["anna"], unit_of_measurement="people")
        self.home.says("sensor.hall_people", "0", ids=[])
        self.home.says("sensor.kitchen_items", "2", ids=["laptop-bag", "phone"])
        devices = self.devices()
        for name in ("forgetmenot_person_anna", "forgetmenot_room_kitchen", "forgetmenot_room_hall"):
            check(devices[name]["via_device_id"] == devices["forgetmenot_aggregator"]["id"], f"{name} has no parent")
        check(devices["forgetmenot_room_hall"]["area_id"] == "hall", f"the hall is in {devices['forgetmenot_room_hall']['area_id']}")

    def add_person(self) -> None:
        self.site.ask("people", "add", "Anna", "--carries", "phone")
        self.home.says("device_tracker.anna", "home", in_zones=["zone.home"], source_type="bluetooth_le")

    def item_is_forgotten(self) -> None:
        step("its owner goes without it, and Home Assistant has the event, the notification and the person's departure")
        self.site.ask("items", "edit", "laptop-bag", "--owner", "anna", "--needed", "always")
        topic = "homeassistant/device/forgetmenot_item_laptop-bag/config"
        wait_for("the alarms of the item's device", lambda: b"forgotten" in self.observer.retained[topic])
        time.sleep(5)  # Home Assistant loses what comes while it takes in the device
        topic = "forgetmenot/items/laptop-bag/notification"
        for isAcknowledged in (False, True):
            self.heard(-40, None)
            self.home.says("device_tracker.anna", "not_home", in_zones=[])
            wait_for("the departure", lambda: self.event_type("event.anna_last_event") == "departed")
            wait_for("the phone", lambda: self.phone_shows("forgetmenot_laptop-bag"), 120)
            for entity in ("event.laptop_bag_last_event", "event.laptop_bag_notification"):
                wait_for(f"{entity} to say forgotten", lambda: self.event_type(entity) == "forgotten")
            self.home.says("sensor.kitchen_people", "0", ids=[])
            if isAcknowledged:
                self.site.ask("acknowledge", "laptop-bag")
            else:
                self.heard(-40, None, phone=-40)
            self.observer.wait("the notification to be over", lambda: topic not in self.observer.retained)
            wait_for("the phone to forget it", lambda: not self.phone_shows("forgetmenot_laptop-bag"))
            self.heard(-40, None, phone=-40)
            self.home.says("device_tracker.anna", "home")

    def messages_arrive(self) -> None:
        step("messages reach the owner's phone, are acknowledged there, and go, and Home Assistant's own person leaves and returns")
        phone.messages_arrive(self)

    def person_is_removed(self) -> None:
        step("the person is removed, added and removed, again and again, and nothing is left of person and rooms")
        self.site.ask("items", "edit", "laptop-bag", "--no-owner")
        self.person_goes()
        for _ in range(2):
            self.add_person()
            self.home.says("sensor.kitchen_people", "1")
            self.person_goes()

    def person_goes(self) -> None:
        self.site.ask("people", "remove", "anna")
        self.person_is_gone()

    def person_is_gone(self) -> None:
        for entity in ("device_tracker.anna", "sensor.anna_room", "event.anna_last_event", "sensor.kitchen_people", "sensor.hall_items"):
            self.home.says(entity, None)
        wait_for("the devices to go", lambda: not [name for name in self.devices() if "_person_" in name or "_room_" in name])
        self.nothing_is_left(lambda topic: "/people" in topic or "_person_" in topic or "/rooms/" in topic or "_room_" in topic)

    def item_is_removed(self) -> None:
        step("it is removed, added and removed, again and again, and nothing is left of it")
        before = self.counts()
        self.item_goes()
        check(self.counts() == before, "its removal fired something")
        for _ in range(2):
            self.item_is_added_again()
            self.item_goes()

    def removed_while_down(self) -> None:
        step("it and a person are removed while Home Assistant is down, twice, and go when Home Assistant starts")
        for _ in range(2):
            self.item_is_added_again()
            self.add_person()
            self.home.stop()
            self.site.ask("items", "remove", "laptop-bag")
            self.site.ask("people", "remove", "anna")
            self.nothing_is_left(lambda topic: "laptop-bag" in topic or "_person_" in topic)
            self.home.start()
            self.item_is_gone()
            self.person_is_gone()

    def item_goes(self) -> None:
        self.site.ask("items", "remove", "laptop-bag")
        self.item_is_gone()

    def item_is_gone(self) -> None:
        for entity in ("device_tracker.laptop_bag", "sensor.laptop_bag_room", "button.laptop_bag_acknowledge"):
            self.home.says(entity, None)
        wait_for("the device to go", lambda: "forgetmenot_item_laptop-bag" not in self.devices())
        self.nothing_is_left(lambda topic: "laptop-bag" in topic)
        with Socket(self.home) as socket:
            left = [entry["entity_id"] for entry in socket.ask("config/entity_registry/list") if "laptop" in entry["entity_id"]]
        check(not left, f"Home Assistant keeps {left}")

    def item_is_added_again(self) -> None:
        """With its distances, which are disabled: the removal of such entities differs."""
        self.add_item()
        self.home.says("device_tracker.laptop_bag", "home")
        topic = "homeassistant/device/forgetmenot_item_laptop-bag/config"
        wait_for("its distances", lambda: b"distance:kitchen" in self.observer.retained.get(topic, b""))

    def nothing_is_left(self, concerns) -> None:
        """Home Assistant may receive a message before the observer does."""
        left = []

        def is_gone() -> bool:
            left[:] = [topic for topic in list(self.observer.retained) if concerns(topic)]
            return not left

        try:
            wait_for("the broker to clear it", is_gone)
        except Failed:
            check(False, f"the broker keeps {left}")

    def switched_off(self) -> None:
        step("discovery is switched off: all is taken back, and again after it was on")
        self.item_is_added_again()
        self.add_person()
        for _ in range(2):
            self.set_discovery("false")
            wait_for("the devices to go", lambda: not [name for name in self.devices() if name.startswith("forgetmenot")])
            self.nothing_is_left(lambda topic: topic.startswith("homeassistant/"))
            self.set_discovery("true")
            self.home.says("device_tracker.laptop_bag", "home")
            self.home.says("device_tracker.anna", "home")
        self.item_goes()
        self.person_goes()
        self.set_discovery("false")
        wait_for("the devices to go", lambda: not [name for name in self.devices() if name.startswith("forgetmenot")])

    def set_discovery(self, word: str) -> None:
        self.site.aggregator.end()
        self.site.start_aggregator(f"[home_assistant]\ndiscovery = {word}\n")

    def gateway_alone(self) -> None:
        step("a gateway without an aggregator speaks for itself, and takes it back")
        radio = self.radios["attic"] = SteeredRadio(self.folder / "attic.btsnoop", [7])
        radio.hear(m7=-45)
        region = f'[[region]]\nidentifier = "Bags"\nuuid = "{UUID}"\nmajor = 7\nminor = 7\n'
        self.site.aggregator.end()
        self.site.start_gateway("attic", "Attic", radio, "[home_assistant]\ndiscovery = true\n" + region)
        self.home.says("binary_sensor.gateway_attic_connectivity", "on")
        self.home.says("binary_sensor.gateway_attic_bags", "on")
        self.home.says("sensor.gateway_attic_bags_proximity", "immediate")
        check("forgetmenot_aggregator" not in self.devices(), "there is an aggregator that is not there")
        radio.hear(m7=None)
        self.home.says("binary_sensor.gateway_attic_bags", "off")
        self.home.says("sensor.gateway_attic_bags_proximity", "unknown")
        wait_for("its event", lambda: self.event_type("event.gateway_attic_bags_last_event") == "exit")
        self.site.gateways["attic"].end()
        self.home.says("binary_sensor.gateway_attic_bags", "unavailable")
        self.site.start_gateway("attic", "Attic", radio, region)
        self.home.says("binary_sensor.gateway_attic_bags", None)
        wait_for("the device to go", lambda: "forgetmenot-attic" not in self.devices())

    def event_type(self, entity: str) -> str | None:
        return self.home.state(entity)["attributes"]["event_type"]

    def fired(self, *kinds: str) -> None:
        """Each automation has fired exactly as often as its event was told, and those of `kinds` have."""
        wait_for(f"{kinds} to be told", lambda: all(self.observer.told[kind] for kind in kinds), 30)
        told = lambda: {name: self.observer.told[name.replace("sent_", "notification_")] for name in COUNTERS}
        wait_for("the automations to fire", lambda: self.counts() == told(), 30)
        time.sleep(1)  # for what would fire once too often
        check(self.counts() == told(), f"fired {self.counts()}, told {told()}")

    def complaints(self) -> list[str]:
        return self.home.complaints()

    def tell(self) -> None:
        self.begin()
        self.item_appears()
        self.item_moves()
        self.item_leaves()
        self.person_enables_a_distance()
        self.restarted()
        self.acknowledged()
        self.aggregator_stops()
        self.item_returns()
        self.item_leaves_again()
        self.tag_fades()
        self.battery_gets_low()
        self.battery_dies()
        self.examples_work()
        self.speaks_german()
        self.gateway_dies()
        self.person_appears()
        self.item_is_forgotten()
        self.messages_arrive()
        self.templates_hold()
        self.person_is_removed()
        self.item_is_removed()
        self.removed_while_down()
        self.switched_off()
        self.gateway_alone()

    def end(self) -> None:
        try:
            self.home.stop()
        finally:
            self.observer.end()
            self.site.end()


# The entities of an item that nobody sees unless they are enabled.
DETAILS = [
    "distance_to_hall", "confidence", "nearest_gateway", "rssi", "floor", "last_seen_exactly", "interval", "sightings_per_hour",
    "rssi_trend",
]

# A plan of two floors, with which an item has one.
PLAN = """\
[[room]]
name = "Kitchen"
floor = 1
polygon_m = [[0, 0], [4, 0], [4, 3], [0, 3]]
[[room]]
name = "Hall"
polygon_m = [[0, 0], [4, 0], [4, 3], [0, 3]]
[[gateway]]
id = "kitchen"
position_m = [1.0, 1.0]
[[gateway]]
id = "hall"
position_m = [2.0, 2.0]
"""

# Names of entities in both languages, by ids that are the same in both.
GERMAN = {
    "binary_sensor.laptop_bag_presence": "Anwesenheit", "sensor.laptop_bag_room": "Raum", "sensor.laptop_bag_last_seen": "Zuletzt gesehen",
    "binary_sensor.laptop_bag_notification_active": "Benachrichtigung aktiv", "button.laptop_bag_acknowledge": "Bestätigen",
    "sensor.laptop_bag_rssi_trend": "Entwicklung der Signalstärke", "binary_sensor.gateway_kitchen_connectivity": "Verbindung",
}
ENGLISH = {
    "binary_sensor.laptop_bag_presence": "Presence", "sensor.laptop_bag_room": "Room", "sensor.laptop_bag_last_seen": "Last seen",
    "binary_sensor.laptop_bag_notification_active": "Notification active", "button.laptop_bag_acknowledge": "Acknowledge",
    "sensor.laptop_bag_rssi_trend": "RSSI trend", "binary_sensor.gateway_kitchen_connectivity": "Connectivity",
}

# What is added for the restart: the examples, and a sensor of those who come from ESPresense.
EXAMPLES = """\
automation examples: !include examples.yaml
lovelace:
  dashboards:
    lovelace-things:
      mode: yaml
      title: Things
      filename: dashboard.yaml
mqtt:
  - light:
      - name: Kitchen
        command_topic: test/light/kitchen
      - name: Hall
        command_topic: test/light/hall
      - name: Porch
        command_topic: test/light/porch
      - name: Lamp
        unique_id: test_lamp
        command_topic: test/light/lamp
  - binary_sensor:
      - name: Front door
        state_topic: test/door
script:
  phone:
    mode: queued
    sequence:
      - if: "{{ message == 'clear_notification' }}"
        then:
          - action: persistent_notification.dismiss
            data:
              notification_id: "phone_{{ data.tag }}"
        else:
          - action: persistent_notification.create
            data:
              notification_id: "phone_{{ data.tag }}"
              message: "{{ message }} [{{ data.actions[0].title }}: {{ data.actions[0].action }}]"
sensor:
  - platform: mqtt_room
    device_id: laptop-bag
    name: Bag room
    state_topic: forgetmenot/rooms
    timeout: 15
    away_timeout: 60
"""


def main() -> int:
    version, suite, base, programs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    folder = pathlib.Path(tempfile.mkdtemp(prefix="run-", dir=base))
    began, story, failure = time.monotonic(), None, None
    try:
        story = Story(version, suite, base, programs, folder)
        story.tell()
    except Exception as error:  # whatever it is, what was started is ended, and the log is looked at
        failure = f"{type(error).__name__}: {error}" if isinstance(error, Failed) else traceback.format_exc()
    finally:
        if story is not None:
            story.end()
    complaints = story.complaints() if story else []
    for line in complaints:
        print(f"! {line}")
    if failure is None and complaints:
        failure = f"Home Assistant complained {len(complaints)} times"
    if failure is None:
        shutil.rmtree(folder)
        print(f"Home Assistant {version}: passed in {time.monotonic() - began:.0f} s")
        return 0
    print(f"Home Assistant {version}: FAILED: {failure}\nAll logs are in {folder}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
