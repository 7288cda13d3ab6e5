"""Many items in Home Assistant: all arrive, all leave, also those that are removed while Home Assistant is down, and its connection lasts.

    many.py VERSION SUITE BASE PROGRAMS [ITEMS]

Prints how fast Home Assistant takes the devices, and fails if it loses its connection, keeps a device, or complains.
"""

import pathlib
import shutil
import sys
import tempfile
import time

from broker import Observer
from home_assistant import HomeAssistant, Socket
from processes import Failed, Site, SteeredRadio, wait_for

UUID = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"


class Many:
    def __init__(self, version: str, suite: str, base: pathlib.Path, programs: pathlib.Path, count: int):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="many-", dir=base))
        self.site = Site(self.folder, programs)
        self.observer = Observer(self.site.port)
        self.births: list[str] = []
        self.observer.client.message_callback_add("homeassistant/status", self.note_status)
        self.home = HomeAssistant(version, suite, base, self.folder / "config")
        self.minors = [1000 + number for number in range(count)]
        self.began = time.monotonic()

    def note_status(self, _client, _data, message) -> None:
        self.births.append(message.payload.decode())

    def say(self, text: str) -> None:
        print(f"{time.monotonic() - self.began:6.0f} s  {text}", flush=True)

    def items(self, count: int) -> str:
        return "".join(
            f'[[item]]\nname = "Item {minor}"\nuuid = "{UUID}"\nmajor = 7\nminor = {minor}\n' for minor in self.minors[:count]
        )

    def configure(self, count: int) -> None:
        """The file with so many of the items, taken up by a reload if the aggregator runs."""
        if self.site.aggregator is None:
            self.site.start_aggregator(self.items(count))
            return
        file = self.folder / "aggregator.toml"
        text = file.read_text().split("[[item]]")[0]
        file.write_text(text + self.items(count))
        self.site.aggregator.child.send_signal(1)

    def present(self) -> dict[str, int]:
        """How many devices of items Home Assistant has, and how many of their trackers are home."""
        with Socket(self.home) as socket:
            names = [i[1] for device in socket.ask("config/device_registry/list") for i in device["identifiers"] if i[0] == "mqtt"]
        states = self.home.get("/api/states")
        home = [s for s in states if s["entity_id"].startswith("device_tracker.item_") and s["state"] == "home"]
        return {"devices": len([name for name in names if name.startswith("forgetmenot_item_")]), "home": len(home)}

    def wait(self, count: int, seconds: float) -> None:
        """Until Home Assistant has so many devices of items, all of them home."""
        end, last = time.monotonic() + seconds, None
        began = time.monotonic()
        while True:
            now = self.present()
            if now != last:
                self.say(f"{now['devices']} devices, {now['home']} home")
            last = now
            if now == {"devices": count, "home": count}:
                self.say(f"there are {count} after {time.monotonic() - began:.0f} s")
                return
            if time.monotonic() > end:
                raise Failed(f"waited {seconds:g} s for {count} devices: {now}")
            time.sleep(5)

    def run(self) -> None:
        count = len(self.minors)
        patience = 120 + count
        radio = SteeredRadio(self.folder / "hall.btsnoop", self.minors, turns=1)
        radio.hear(**{f"m{minor}": -50 for minor in self.minors})
        self.site.start_gateway("hall", "Hall", radio)
        self.home.start()
        self.home.set_up_mqtt(self.site.port)
        wait_for("the birth", lambda: "online" in self.births, 60)
        for round in (1, 2):
            self.say(f"{count} items are added, round {round}")
            self.configure(count)
            self.wait(count, patience)
            self.say("they are removed")
            self.configure(0)
            self.wait(0, patience)
        self.configure(count)
        self.wait(count, patience)
        if self.births != ["online"]:
            raise Failed(f"Home Assistant lost its connection: {self.births}")
        self.say("Home Assistant stops, and half of them are removed")
        self.home.stop()
        self.configure(count // 2)
        wait_for("their discovery to be cleared", lambda: self.discovered() == count // 2, patience)
        self.home.start()
        self.wait(count // 2, patience)

    def discovered(self) -> int:
        return len([topic for topic in list(self.observer.retained) if topic.startswith("homeassistant/device/forgetmenot_item_")])

    def end(self) -> None:
        try:
            self.home.stop()
        finally:
            self.observer.end()
            self.site.end()


def main() -> int:
    version, suite, base, programs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    many = Many(version, suite, base, programs, int(sys.argv[5]) if len(sys.argv) > 5 else 1000)
    failure = None
    try:
        many.run()
    except Failed as error:
        failure = str(error)
    finally:
        many.end()
    complaints = many.home.complaints()
    for line in complaints[:20]:
        print(f"! {line[:400]}")
    failure = failure or (f"Home Assistant complained {len(complaints)} times" if complaints else None)
    print(f"Home Assistant {version} with {len(many.minors)} items: {failure or 'passed'} (its status: {many.births})")
    if failure is None:
        shutil.rmtree(many.folder)
    return 0 if failure is None else 1


if __name__ == "__main__":
    sys.exit(main())
