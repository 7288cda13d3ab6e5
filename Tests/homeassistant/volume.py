"""How many rows a house writes into Home Assistant's database: 12 lively items, 12 still ones with slow tags, 4 gateways, default entities.

    volume.py VERSION SUITE BASE PROGRAMS [MINUTES]

Prints rows and bytes an hour, and which entities wrote them. Fails if there are too many.
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

ROOMS, WIDTH_M = 4, 5.0
# Carried to another room every ten minutes, with tags of half a second.
LIVELY = [100 + number for number in range(12)]
MOVE_S = 600
# They lie where they are, with tags of ten seconds.
STILL = [200 + number for number in range(12)]
SLOW_S = 10
# Rows an hour: of all lively items together, and of a still one on average, 6 of which are the steps of "Last seen".
MOST_LIVELY, MOST_STILL, STEPS = 800, 12, 6
STEP_S = 600
# The aggregator learns the gateways' differences in the first minutes, and corrects rooms.
LEARNING_S = 240
NOISE_DB = 3


class House:
    """Rooms in a row, a gateway in the middle of each. Who moves walks at 1 m/s."""

    def __init__(self, folder: pathlib.Path):
        self.random = random.Random(7)
        self.minors = LIVELY + STILL
        self.at = {minor: self.random.uniform(0, ROOMS * WIDTH_M) for minor in self.minors}
        self.goal = dict(self.at)
        # Bodies and furniture: what a gateway receives from a place differs from the rule by a constant.
        self.shadow = {(minor, room): self.random.gauss(0, 4) for minor in self.minors for room in range(ROOMS)}
        self.radios = [SteeredRadio(folder / f"g{room}.btsnoop", self.minors, turns=2) for room in range(ROOMS)]
        self.second = 0

    def advance(self) -> None:
        self.second += 1
        for number, minor in enumerate(LIVELY):
            if self.second % MOVE_S == number * MOVE_S // len(LIVELY):
                # By at least a room, or it would hardly be a move.
                self.goal[minor] = (self.at[minor] + self.random.uniform(WIDTH_M, (ROOMS - 1) * WIDTH_M)) % (ROOMS * WIDTH_M)
            way = self.goal[minor] - self.at[minor]
            self.at[minor] += math.copysign(min(1, abs(way)), way)
        sending = [minor for minor in self.minors if minor in LIVELY or self.second % SLOW_S == minor % SLOW_S]
        for room, radio in enumerate(self.radios):
            radio.hear(**{f"m{minor}": self.level(minor, room) for minor in sending})

    def level(self, minor: int, room: int) -> int | None:
        place = (room + 0.5) * WIDTH_M
        metres = math.hypot(self.at[minor] - place, 1.5)
        walls = abs(int(self.at[minor] / WIDTH_M) - room)
        rssi = -59 - 20 * math.log10(metres) - 6 * walls + self.shadow[minor, room] + self.random.gauss(0, NOISE_DB)
        return round(rssi) if rssi > -95 else None

    def live(self, seconds: float) -> None:
        """Lets the house live: once a second, whatever the writing takes."""
        began = time.monotonic()
        for second in range(int(seconds)):
            self.advance()
            time.sleep(max(0.0, began + second + 1 - time.monotonic()))


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

    def rows(self, since: float, until: float) -> dict[tuple[int, str], int]:
        """The rows of states of that time, by the item's minor and the entity. Behind it the house stands still, and so do its slow tags."""
        connection = sqlite3.connect(self.path, timeout=60)
        found = connection.execute(
            "SELECT m.entity_id, count(*) FROM states s JOIN states_meta m ON m.metadata_id = s.metadata_id"
            " WHERE s.last_updated_ts BETWEEN ? AND ? AND m.entity_id LIKE '%.item\\_%' ESCAPE '\\' GROUP BY 1", (since, until),
        ).fetchall()
        connection.close()
        rows = {}
        for entity, count in found:
            kind, words = entity.split(".")[0], entity.split(".")[1].split("_")
            rows[int(words[1]), f"{kind} {'_'.join(words[2:])}"] = count
        return rows


def report(rows: dict[tuple[int, str], int], began: float, ended: float) -> None:
    """Prints what wrote how many rows, and fails if lively or still items wrote too many."""
    hours = (ended - began) / 3600
    for name, minors in (("lively", LIVELY), ("still", STILL)):
        kinds: dict[str, int] = {}
        for (minor, kind), count in rows.items():
            if minor in minors:
                kinds[kind] = kinds.get(kind, 0) + count
        for kind, count in sorted(kinds.items(), key=lambda entry: -entry[1]):
            print(f"{count / hours / len(minors):8.1f} rows an hour of a {name} item: {kind}")
    total = lambda minor: sum(count for (item, _), count in rows.items() if item == minor)
    lively, still = sum(map(total, LIVELY)), sum(map(total, STILL)) / len(STILL)
    steps = [rows.get((minor, "sensor last_seen"), 0) for minor in STILL]
    print(f"{lively / hours:8.0f} rows an hour of all {len(LIVELY)} lively items, {still / hours:.1f} of a still one", flush=True)
    if lively > MOST_LIVELY * hours:
        raise Failed(f"{len(LIVELY)} lively items write more than {MOST_LIVELY} rows an hour")
    # The steps of "Last seen" come with the clock: a short measurement may have one more than its share, and one of just before.
    if still - sum(steps) / len(STILL) > (MOST_STILL - STEPS) * hours or max(steps) > ended // STEP_S - (began - 60) // STEP_S:
        raise Failed(f"a still item writes more than {MOST_STILL} rows an hour")


def measure(site: Site, home: HomeAssistant, observer: Observer, folder: pathlib.Path, minutes: float) -> None:
    house = House(folder)
    uuid = SteeredRadio.UUID.hex()
    uuid = "-".join((uuid[:8], uuid[8:12], uuid[12:16], uuid[16:20], uuid[20:]))
    items = "".join(
        f'[[item]]\nname = "Item {minor}"\nuuid = "{uuid}"\nmajor = 7\nminor = {minor}\n' for minor in house.minors
    )
    for room, radio in enumerate(house.radios):
        site.start_gateway(f"g{room}", f"Room {room}", radio, exit_after="auto")
    site.start_aggregator(items)
    home.start()
    home.set_up_mqtt(site.port)
    house.live(LEARNING_S)
    for minor in house.minors:
        home.says(f"device_tracker.item_{minor}", "home")
    database = Database(folder / "config" / "home-assistant_v2.db")
    began, size, messages = time.time(), database.size(), observer.count
    house.live(minutes * 60)
    ended = time.time()
    hours = (ended - began) / 3600
    grown = (database.size() - size) / hours
    print(f"{(observer.count - messages) / hours / 3600:8.1f} messages a second")
    print(f"{grown * 24 / 1e6:8.1f} MB a day")
    report(database.rows(began, ended), began, ended)


def main() -> int:
    version, suite, base, programs = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), pathlib.Path(sys.argv[4])
    minutes = float(sys.argv[5]) if len(sys.argv) > 5 else 10
    folder = pathlib.Path(tempfile.mkdtemp(prefix="volume-", dir=base))
    site, home = Site(folder, programs), HomeAssistant(version, suite, base, folder / "config")
    observer = Observer(site.port)
    failure = None
    try:
        measure(site, home, observer, folder, minutes)
    except Failed as failed:
        failure = failed
    finally:
        home.stop()
        observer.end()
        site.end()
    complaints = home.complaints()
    for line in complaints:
        print(f"! {line}")
    if failure or complaints:
        print(f"Home Assistant {version}, rows: FAILED: {failure or 'it complained'}\nAll logs are in {folder}")
        return 1
    shutil.rmtree(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
