"""Records what a browser receives from the page, and writes a folder of static files that replays it: record.py ADDRESS FOLDER HOURS.

The folder has the page's own files and replay.js. It works below any address, on any server of static files.
"""

import json
import pathlib
import re
import shutil
import sys
import time
import urllib.request

ADDRESS, FOLDER, HOURS = sys.argv[1], pathlib.Path(sys.argv[2]), float(sys.argv[3])
HERE = pathlib.Path(__file__).resolve().parent
# Seconds between two events of something that did not change for people, and between two that put the same thing elsewhere.
SELDOM, OFTEN = 300, 30
LISTS = {"items": "item", "gateways": "gateway", "people": "person"}
# What the page does not show.
LEFT_OUT = ("v", "at", "boot", "uptime_ms", "clock_synchronised", "csrf")
# Of an item or a person: a change of any of these is always recorded.
ALWAYS = ("presence", "notification", "name", "alive", "availability", "forgotten")


def get(path: str) -> bytes:
    # The clock is fast: a time-out would come soon.
    with urllib.request.urlopen(ADDRESS + path, timeout=86_400) as answer:
        return answer.read()


def stream(path: str):
    """The events, each with its name."""
    with urllib.request.urlopen(ADDRESS + "api/v1/" + path, timeout=86_400) as answer:
        name, data = "message", []
        for line in answer:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name = value
            elif field == "data":
                data.append(value)
            elif not line.strip() and data:
                yield name, json.loads("\n".join(data))
                data = []


def record() -> dict:
    begun, events, latest = time.time(), [], {}

    def note(name: str, value: dict, now: float) -> None:
        """Adds what has changed since the last event of the same thing."""
        # By the fast clock, each write to the disk takes long, which is a problem.
        value = {field: [] if field == "problems" else inner for field, inner in value.items() if field not in LEFT_OUT}
        key = name, value.get("item" if name == "item" else "id")
        former, at = latest.get(key, ({}, 0))
        changed = {field: value.get(field) for field in [*former, *value] if former.get(field) != value.get(field)}
        wait = 0 if changed.keys() & set(ALWAYS) or name == "site" else OFTEN if "room" in changed else SELDOM
        if changed.keys() <= {"time"} or now - at < wait:
            return
        latest[key] = value, now
        events.append([round((now - begun) * 1000), name, key[1], changed])

    for name, value in stream("stream"):
        now = time.time()
        if now > begun + HOURS * 3600:
            break
        if name in ("site", "item", "gateway"):
            note(name, value, now)
        for one in (value if isinstance(value, list) else value[name]) if name in LISTS else []:
            note(LISTS[name], one, now)
    answers = {path: json.loads(get("api/v1/" + path)) for path in ("plan", "surveys", "placement")}
    answers |= {f"people/{id_}/subscriptions": {"subscriptions": []} for name, id_ in latest if name == "person"}
    return {"start": round(begun * 1000), "end": round((begun + HOURS * 3600) * 1000), "speed": 60, "events": events, "answers": answers,
            "nearby": next(value for _, value in stream("nearby") if value["beacons"])}


def write(recording: dict) -> None:
    if FOLDER.exists() and any(FOLDER.iterdir()) and not (FOLDER / "replay.js").exists():
        sys.exit(f"{FOLDER} has other files: name a folder that is empty or has a recording")
    shutil.rmtree(FOLDER, ignore_errors=True)
    page = get("").decode()
    assets = re.search(r'assets/\w+/', page)[0]
    (FOLDER / assets).mkdir(parents=True)
    names = [file.name for file in (HERE.parents[1] / "Sources/CPage/Assets").iterdir() if file.name not in ("index.html", "openapi.json", "worker.js")]
    for name in names + [name.replace(".json", "-more.json") for name in names if name.startswith("language-")]:
        if not name.endswith("-more.json") or name not in names:
            (FOLDER / assets / name).write_bytes(get(assets + name))
    # Before the page's own script; and nothing is loaded by another way than fetch.
    scripts = '<script src="recording.js"></script>\n<script src="replay.js"></script>\n<script type="module"'
    page = re.sub(r'<link rel="preload" as="fetch".*\n', "", page).replace('<script type="module"', scripts, 1)
    (FOLDER / "index.html").write_text(page)
    (FOLDER / "recording.js").write_text("window.recording = " + json.dumps(recording, separators=(",", ":"), ensure_ascii=False))
    (FOLDER / "replay.js").write_text((HERE / "replay.js").read_text())
    (FOLDER / "api/v1/items").mkdir(parents=True)
    (FOLDER / "api/v1/items/export").write_bytes(get("api/v1/items/export"))


write(record())
print(f"Wrote {FOLDER}: {sum(file.stat().st_size for file in FOLDER.rglob('*') if file.is_file()) // 1024} kB")
