"""How much a busy house writes into Home Assistant's database: 50 items, 5 of them always on the move, 8 gateways, default entities.

    volume.py VERSION SUITE BASE PROGRAMS [MINUTES]

Prints bytes and rows an hour, and which entities wrote them.
"""

import math
import pathlib
import random
import shutil
import sqlite3
import sys
import tempfile
import time

from broker import Observer
from home_assistant import HomeAssistant
from processes import Failed, Site, SteeredRadio, wait_for

ITEMS, MOVING, ROOMS, WIDTH_M = 50, 5, 8, 5.0
LIMIT = 1_000_000


class House:
    """Rooms in a row, a gateway in the middle of each. Who moves walks at 1 m/s to a room, stays there for up to a minute, and walks on."""

    def __init__(self, folder: pathlib.Path):
        self.random = random.Random(7)
        self.minors = [100 + number for number in range(ITEMS)]
        self.at = {minor: self.random.uniform(0, ROOMS * WIDTH_M) for minor in self.minors}
        self.goal = {minor: self.at[minor] for minor in self.minors[:MOVING]}
        self.leaves = {minor: 0.0 for minor in self.minors[:MOVING]}
        # Bodies and furniture: what a gateway hears of a place differs from the rule by a constant.
        self.shadow = {(minor, room): self.random.gauss(0, 4) for minor in self.minors for room in range(ROOMS)}
        self.radios = [SteeredRadio(folder / f"g{room}.btsnoop", self.minors, turns=2) for room in range(ROOMS)]

    def advance(self, now: float) -> None:
        for minor, goal in self.goal.items():
            way = goal - self.at[minor]
            if abs(way) > 1:
                self.at[minor] += math.copysign(1, way)
                self.leaves[minor] = now + self.random.uniform(5, 60)
            elif now >= self.leaves[minor]:
                self.goal[minor] = self.random.uniform(0, ROOMS * WIDTH_M)
        for room, radio in enumerate(self.radios):
            radio.hear(**{f"m{minor}": self.level(minor, room) for minor in self.minors})

    def level(self, minor: int, room: int) -> int | None:
        place = (room + 0.5) * WIDTH_M
        metres = math.hypot(self.at[minor] - place, 1.5)
        walls = abs(int(self.at[minor] / WIDTH_M) - room)
        rssi = -59 - 20 * math.log10(metres) - 6 * walls + self.shadow[minor, room] + self.random.gauss(0, 2)
        return round(rssi) if rssi > -95 else None


class Database:
    def __init__(self, path: pathlib.Path):
        self.path = path

    def size(self) -> int:
        connection = sqlite3.connect(self.path, timeout=60)
        connection.execute("PRAGMA wal_checkpoint(PASSIVE)")
        (pages,), (free,), (size,) = (
            connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "freelist_count", "page_size")
        )
        connection.close()
        return (pages - free) * size

    def rows(self, since: float) -> dict[str, int]:
        connection = sqlite3.connect(self.path, timeout=60)
        found = connection.execute(
            "SELECT m.entity_id, count(*) FROM states s JOIN states_meta m ON m.metadata_id = s.metadata_id"
            " WHERE s.last_updated_ts > ? GROUP BY 1", (since,),
        ).fetchall()
        connection.close()
        rows: dict[str, int] = {}
        for entity, count in found:
            kind = entity.split(".")[0] + " " + "_".join(entity.split(".")[1].split("_")[2:])
            rows[kind] = rows.get(kind, 0) + count
        return rows


def main() -> int:
    version, suite, base, programs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    minutes = float(sys.argv[5]) if len(sys.argv) > 5 else 10
    folder = pathlib.Path(tempfile.mkdtemp(prefix="volume-", dir=base))
    site, home = Site(folder, programs), HomeAssistant(version, suite, base, folder / "config")
    observer = Observer(site.port)
    try:
        house = House(folder)
        uuid = SteeredRadio.UUID.hex()
        uuid = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
        items = "".join(
            f'[[item]]\nname = "Item {minor}"\nuuid = "{uuid}"\nmajor = 7\nminor = {minor}\n' for minor in house.minors
        )
        for room, radio in enumerate(house.radios):
            site.start_gateway(f"g{room}", f"Room {room}", radio)
        site.start_aggregator(items)
        home.start()
        home.set_up_mqtt(site.port)
        play(house, 90)
        last = f"device_tracker.item_{house.minors[-1]}"
        wait_for("the items", lambda: (home.state(last) or {}).get("state") == "home")
        database = Database(folder / "config" / "home-assistant_v2.db")
        began, size, messages = time.time(), database.size(), observer.count
        play(house, minutes * 60)
        hours = (time.time() - began) / 3600
        grown = (database.size() - size) / hours
        for kind, count in sorted(database.rows(began).items(), key=lambda entry: -entry[1])[:12]:
            print(f"{count / hours:8.0f} rows an hour: {kind}")
        print(f"{sum(database.rows(began).values()) / hours:8.0f} rows an hour in all")
        print(f"{(observer.count - messages) / hours / 3600:8.1f} messages a second")
        print(f"{grown / 1e6:8.2f} MB an hour")
        if grown > LIMIT:
            raise Failed("more than 1 MB an hour")
    finally:
        home.stop()
        observer.end()
        site.end()
    shutil.rmtree(folder)
    return 0


def play(house: House, seconds: float) -> None:
    """Lets the house live: once a second, whatever the writing takes."""
    began = time.monotonic()
    for second in range(int(seconds)):
        house.advance(time.monotonic())
        time.sleep(max(0.0, began + second + 1 - time.monotonic()))


if __name__ == "__main__":
    sys.exit(main())
