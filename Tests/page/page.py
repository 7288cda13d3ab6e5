"""What people do with the page, in a real Chromium: one line for each case, `ok N - sentence` or `not ok N - sentence`.

    python page.py PROGRAMS FOLDER

The site is the simulated house of `make run` with its plan, and two more gateways that play a recording: it says when tag 7 is received, and where.
"""

import contextlib
import datetime
import functools
import http.client
import http.server
import json
import os
import pathlib
import pty
import re
import secrets
import shutil
import signal
import sqlite3
import ssl
import subprocess
import sys
import tempfile
import termios
import threading
import time
import tomllib
import traceback
import urllib.error
import urllib.request
import zlib

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parent / "homeassistant"))

from browser import Browser, Page  # noqa: E402
from push import PushService, Subscription  # noqa: E402
from processes import Failed, Process, Site, SteeredRadio, free_port, wait_for  # noqa: E402

TAGS = "e2c56db5-dffb-48d2-b060-d0f5a71096e0"
# The first view: everything that arrives before somebody does anything.
BUDGET = 60_000
# The gateways of the house, and two more in rooms that have none.
SIMULATED = ("kitchen", "hall", "bedroom")
PLACES = {"living": (1.0, 4.5), "office": (7.2, 4.6)}
# Has the stream of a page try again much later: only what the case does connects it.
LATER = "((real) => { window.setTimeout = (work, after, ...more) => real(work, after > 300 && after < 20000 ? 3e6 : after, ...more); })(setTimeout)"
# Has a page note what it sends, as `sent`.
SENT = "((real) => { window.sent = []; window.fetch = (address, options) => { if (options?.body?.startsWith?.('{')) sent.push(JSON.parse(options.body)); return real(address, options); }; })(fetch)"
VIEWS = {
    "now": ("#/", "document.querySelectorAll('.mark').length > 2"),
    "item": ("#/items/cat", "document.querySelector('.detail h2')?.textContent === 'Cat' && document.querySelector('.stays li') && document.querySelector('.spent .bars > *')"),
    "person": ("#/people/dora", "document.querySelector('.person h1')?.textContent === 'Dora' && document.querySelector('.things li a') && document.querySelector('#person-name')"),
    "history": ("#/history", "[...document.querySelectorAll('.dayrow .place')].some((place) => !['', 'Nothing stored'].includes(place.textContent))"),
    "gateways": ("#/gateways", "document.querySelectorAll('.gatewaycards li.card[data-state=well]').length >= 5 && document.querySelector('.received li') && document.querySelector('.advice li')"),
    "plan": ("#/plan", "document.querySelectorAll('.canvas .room').length === 5"),
    "manage": ("#/manage", "document.querySelector('#survey-item option')"),
}
SIZES = {
    "light": {}, "dark": {"dark": True}, "phone": {"width": 390, "height": 844, "phone": True, "scale": 2},
}


def name_of(item: str) -> str:
    return f"forgetmenot.items.get({json.dumps(item)})"


class Rig:
    """The site, the browser, and the address of the page."""

    def __init__(self, folder: pathlib.Path, programs: pathlib.Path, shots: pathlib.Path):
        self.shots = shots
        self.pages: list[Page] = []
        self.browser: Browser | None = None
        self.site = Site(folder, programs)

    def start(self) -> None:
        folder = self.site.folder
        demo = here.parents[1] / "deploy/demo"
        tables = tomllib.loads((demo / "site.toml").read_text())
        places = PLACES | {one["id"]: one["position_m"][:2] for one in tables["gateway"] if one["id"] in SIMULATED}
        # The demo has its plan in the configuration; here it is drawn.
        self.plan = {
            "floors": [{"floor": 0, "rooms": [{"name": room["name"], "polygon_m": room["polygon_m"]} for room in tables["room"]]}],
            "doors": tables["door"], "gateways": [{"id": id_, "x_m": x, "y_m": y, "floor": 0} for id_, (x, y) in places.items()],
        }
        house = "\n".join("[[item]]\n" + "".join(f"{key} = {json.dumps(item[key])}\n" for key in ("name", "uuid", "major", "minor"))
                          for item in json.loads((demo / "items.json").read_text()))
        self.port = free_port()
        self.host = f"127.0.0.1:{self.port}"
        (folder / "aggregator.toml").write_text(
            f'state_directory = "aggregator"\n[mqtt]\nport = {self.site.port}\n[page]\naddress = "{self.host}"\n{house}\n'
        )
        self.start_aggregator()
        for gateway in SIMULATED:
            self.start_simulated(gateway)
        self.radios = {room: SteeredRadio(folder / f"{room}.btsnoop", minors=[7, 8, 9]) for room in ("living", "office")}
        self.site.start_gateway("living", "Living room", self.radios["living"])
        self.site.start_gateway("office", "Office", self.radios["office"])
        self.browser = Browser(folder)
        wait_for("the page", self.is_up)
        wait_for("the items", lambda: len(self.api("items")["items"]) == 12)
        self.change("POST", "people", {"name": "Dora", "carries": ["cat"]})
        self.missing = [f"api/v1/{path}" for path in ("history", "surveys") if not self.has(f"{path}?limit=1" if path == "history" else path)]

    def start_aggregator(self) -> None:
        words = [str(self.site.programs / "forgetmenot"), "run", "--config", str(self.site.folder / "aggregator.toml")]
        self.site.aggregator = Process("aggregator", words, self.site.folder).start()

    def start_simulated(self, gateway: str) -> None:
        file = self.site.folder / f"{gateway}.toml"
        file.write_text(
            f'id = "{gateway}"\nroom = "{gateway.capitalize()}"\nstate_directory = "{gateway}"\n[mqtt]\nport = {self.site.port}\n'
            '[radio]\nsource = "simulation"\n[monitoring]\nexit_after = "20s"\n'
        )
        words = [str(self.site.programs / "forgetmenot-gateway"), "run", "--config", str(file)]
        self.site.gateways[gateway] = Process(gateway, words, self.site.folder).start()

    def is_up(self) -> bool:
        if not self.site.aggregator.is_running:
            raise Failed(f"the aggregator ended: {self.site.aggregator.log.read_text()[-400:]}")
        try:
            with urllib.request.urlopen(f"http://{self.host}/", timeout=5) as answer:
                return answer.status == 200
        except OSError:
            return False

    def api(self, path: str):
        with urllib.request.urlopen(f"http://{self.host}/api/v1/{path}", timeout=20) as answer:
            return json.load(answer)

    def first_of_the_stream(self) -> int:
        """The bytes, compressed, in which the stream names all items, gateways and people for the first time."""
        connection = http.client.HTTPConnection(self.host, timeout=20)
        with contextlib.closing(connection):
            connection.request("GET", "/api/v1/stream", headers={"Accept-Encoding": "gzip"})
            # Each event can be read as soon as its bytes are there.
            response, inflate, first, count = connection.getresponse(), zlib.decompressobj(31), b"", 0
            while not all(re.search(rb"event: %s\n.*?\n\n" % name, first, re.S) for name in (b"site", b"items", b"gateways", b"people")):
                part = response.read1()
                check(part, f"the stream ended behind {first[-80:]}")
                first += inflate.decompress(part)
                count += len(part)
        return count

    def has(self, path: str) -> bool:
        """Whether the server has a route."""
        try:
            self.api(path)
            return True
        except OSError:
            return False

    def hear(self, room: str, **levels: int | None) -> None:
        """The tags that one gateway receives; the other receives none."""
        for other, radio in self.radios.items():
            radio.hear(**(levels if other == room else {}))

    def change(self, method: str, path: str, body) -> bytes:
        """Sends a request as the page does; returns the body of the response."""
        request = urllib.request.Request(
            f"http://{self.host}/api/v1/{path}", json.dumps(body).encode(), method=method,
            headers={"Content-Type": "application/json", "X-Forgetmenot-CSRF": self.api("site")["csrf"]})
        with urllib.request.urlopen(request, timeout=20) as answer:
            return answer.read()

    def acknowledge(self, token: str) -> None:
        """What the button of a message sends, which has not signed in."""
        with urllib.request.urlopen(urllib.request.Request(f"http://{self.host}/acknowledge/{token}", method="POST"), timeout=20):
            pass

    def remember(self, stays: list[tuple]) -> None:
        """Adds stays to the past while no aggregator writes it: (item, hours since yesterday began, presence, room)."""
        midnight = datetime.datetime.now().replace(hour=0, minute=0, second=0, microsecond=0) - datetime.timedelta(days=1)
        rows = [(item, int((midnight + datetime.timedelta(hours=hours)).timestamp() * 1000), presence, room) for item, hours, presence, room in stays]
        self.site.aggregator.end()
        with contextlib.closing(sqlite3.connect(self.site.folder / "aggregator/history.sqlite")) as store, store:
            store.executemany("INSERT OR REPLACE INTO stay VALUES (?, ?, ?, ?)", rows)
        self.start_aggregator()
        wait_for("the page", self.is_up)

    def decide(self, **message) -> None:
        """Ends the aggregator, and starts it with a message to Dora that was decided and not sent, as a kill behind the write leaves it."""
        self.site.aggregator.end()
        file = self.site.folder / "aggregator/site.json"
        site = json.loads(file.read_text())
        at = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        # Alone: an end that was on its way would be sent again.
        site["messages"] = [
            {"person": "dora", "key": "forgotten", "title": "Forgotten: keys", "text": "You left.", "items": [], "at": at, "token": secrets.token_hex(16), "done": []} | message]
        file.write_text(json.dumps(site))
        self.start_aggregator()
        self.wait_for_dora()

    @contextlib.contextmanager
    def silence(self):
        """An aggregator that accepts connections and is silent, as behind a network that loses everything."""
        process = self.site.aggregator.child.pid
        os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(process, signal.SIGCONT)

    def streams(self) -> int:
        """How many streams the server sends."""
        with urllib.request.urlopen(f"http://{self.host}/metrics", timeout=20) as answer:
            return int(re.search(rb"^forgetmenot_event_streams (\d+)", answer.read(), re.M)[1])

    def wait_for_dora(self) -> None:
        """Waits until an aggregator that was started knows its people."""
        wait_for("the page", self.is_up)
        wait_for("Dora", lambda: [one for one in self.api("people") if one["id"] == "dora"])

    def open(self, hash_: str = "#/", is_first: bool = False, **size) -> Page:
        """A page that is live; the first one finds nothing in the browser's cache."""
        page = self.browser.page()
        page.send("Network.setCacheDisabled", cacheDisabled=is_first)
        page.send("Network.setBypassServiceWorker", bypass=is_first)
        self.pages.append(page)
        page.expected += self.missing
        page.emulate(**size)
        page.open(f"http://{self.host}/{hash_}")
        page.wait("the page to be live", "document.body.dataset.live === 'live' && forgetmenot.state.loaded")
        # A page that was loaded again has lost this.
        page.run("window.isTheSamePage = true")
        return page

    def close(self, page: Page) -> None:
        """Ends with a page: nothing went wrong in it, and it spoke with nobody else."""
        foreign, errors = page.foreign(self.host), page.unexpected()
        self.pages.remove(page)
        page.close()
        check(not foreign, f"requests to other hosts: {foreign[:3]}")
        check(not errors, f"errors in the page: {errors[:3]}")

    def tidy(self) -> None:
        """Closes what a failed case left open: a browser has six connections to a host, and each page uses one."""
        while self.pages:
            self.pages.pop().close()

    def end(self) -> None:
        if self.browser:
            self.browser.end()
        self.site.end()


class Terminal:
    """A program in a terminal of its own, and all that it printed there."""

    def __init__(self, words: list, **environment: str):
        self.text = ""
        self.screen, inner = pty.openpty()
        termios.tcsetwinsize(inner, (40, 150))
        # A shell that runs these tests in the background ignores SIGINT, and so would the program.
        self.child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=inner, stderr=inner, start_new_session=True, env=os.environ | environment,
                                      preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
        os.close(inner)
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()

    def _read(self) -> None:
        # A terminal whose last program has ended fails to be read.
        with contextlib.suppress(OSError):
            while data := os.read(self.screen, 65536):
                self.text += data.decode(errors="replace")

    def end(self) -> None:
        self.child.send_signal(signal.SIGINT)
        self.child.wait(60)
        self.reader.join(10)
        os.close(self.screen)


class Skipped(Exception):
    """Why a case cannot run here."""


def check(is_so, otherwise: str) -> None:
    if not is_so:
        raise Failed(otherwise)


def axe() -> str:
    """axe-core, to be run in a page."""
    return next(pathlib.Path(sys.prefix).glob("lib/python*/site-packages/axe_playwright_python/axe.min.js")).read_text()


def violations(page: Page) -> list[str]:
    """What axe-core finds in a page that has it."""
    return page.run("""axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] })
        .then((result) => result.violations.map((one) => `${one.id}: ${one.nodes.map((node) => node.target.join(' ')).slice(0, 3).join(', ')}`))""")


# MARK: The cases, in order; later cases use items that earlier cases added.

def shows_tiles(rig: Rig) -> None:
    """without a plan, rooms are tiles that invite to draw one; a plan that is stored appears without a reload"""
    for size, options in SIZES.items():
        page = rig.open(calm=True, **options)
        page.wait("items in tiles", "document.querySelectorAll('.tile .chip').length > 2 && !document.querySelector('.steps').hidden")
        page.wait("no plan", "document.querySelector('.planview').hidden")
        page.screenshot(rig.shots / f"tiles-{size}.png")
        if size == "light":
            page.run(axe() + ";0")
            check(not violations(page), f"axe: {violations(page)}")
        if size == "phone":
            rig.change("PUT", "plan", rig.plan)
            page.wait("the plan", "document.querySelectorAll('.planview .room').length === 5 && document.querySelector('.steps').hidden")
            check(page.run("window.isTheSamePage === true"), "the page was loaded again")
        rig.close(page)


def loads(rig: Rig) -> None:
    """the page loads with fewer than 60 kB, shows plan, gateways and items, and asks no other host"""
    page = rig.open(is_first=True)
    page.wait("items on the plan", VIEWS["now"][1])
    page.wait("rooms", "document.querySelectorAll('.planview .room').length === 5")
    page.wait("rows", "document.querySelectorAll('.rows .row').length >= 5")
    page.wait("the gateways' health", "document.querySelectorAll('.health li[data-state=well]').length === 5")
    # The stream goes on while this waits; of it, only what the view needs counts. Three seconds later the page loads the view of an item.
    files = {page.addresses[request]: count for request, count in page.received.items() if not page.addresses[request].endswith(("/api/v1/stream", "/detail.js"))}
    first = rig.first_of_the_stream()
    print(f"# {sum(files.values())} bytes for the files of the first view, {first} for the first state")
    check(sum(files.values()) + first < BUDGET, f"the first view takes {first} bytes of the stream, and {sorted(((v, k) for k, v in files.items()), reverse=True)[:4]}")
    rig.close(page)


def leads(rig: Rig) -> None:
    """the first steps stay until there are a gateway that receives, an item, a plan and a person, or somebody hides them; of a gateway that receives nothing they say why"""
    page = rig.open()
    page.wait("no steps", "document.querySelector('.steps').hidden && forgetmenot.people.size && forgetmenot.gateways.size === 5")
    # What the case does not change stays as it is.
    page.run("window.seen = [[...forgetmenot.people.values()], [...forgetmenot.gateways.values()]]")
    steps = "!document.querySelector('.steps').hidden && [...document.querySelectorAll('.steps li')].map((step) => step.classList.contains('done')).join()"
    for _ in range(2):
        page.run("forgetmenot.apply('people', [])")
        page.wait("the step that says who carries what, and that of the phone", f"{steps} === 'true,true,true,false,false'")
        page.click(".steps header button")
        page.wait("the focus beside them", "!!document.activeElement.closest('.segments')")
        page.run("forgetmenot.apply('people', seen[0])")
        page.run("forgetmenot.apply('people', [])")
        page.wait("no steps, though there are no people", "!forgetmenot.people.size && document.querySelector('.steps').hidden")
        page.run("localStorage.removeItem('forgetmenot-steps')")
        page.run("forgetmenot.apply('people', seen[0])")
        page.wait("no steps", "document.querySelector('.steps').hidden")
        page.run("forgetmenot.apply('gateways', seen[1].map((one) => ({ ...one, radio: { state: 'powered_off', reason: 'rfkill blocks the adapter' } })))")
        page.wait("why no gateway receives", f"{steps} === 'false,true,true,true,false' && document.querySelector('.steps li p').textContent === 'Does not scan: rfkill blocks the adapter.'")
        page.run("forgetmenot.apply('gateways', seen[1])")
        page.wait("no steps", "document.querySelector('.steps').hidden")
    rig.close(page)


def adds_by_mouse(rig: Rig) -> None:
    """a beacon that is held against a gateway becomes an item, by mouse"""
    page = rig.open("#/manage")
    rig.hear("office", m7=-38)
    page.wait("the strongest beacon", "document.querySelector('.nearby li.held code')?.textContent.includes('7 · 7')")
    page.click(".nearby li.held button")
    page.wait("the dialog", "document.activeElement?.id === 'item-name'")
    page.type("House keys")
    page.click("dialog button.main")
    page.wait("the new item", "forgetmenot.items.has('house-keys')")
    page.wait("the word that it is done", "document.getElementById('toasts').textContent.includes('House keys is added')")
    page.wait("the beacon to leave the list", "![...document.querySelectorAll('.nearby code')].some((code) => code.textContent.includes('7 · 7'))")
    rig.close(page)


def tells_what_came(rig: Rig) -> None:
    """a tag that is switched on while the dialog is open just came into range, also if it is the first one; what was there before did not"""
    page = rig.open()
    for number, others in enumerate(([], [9])):
        page.run(f"""((real) => {{ window.fetch = (address, options) => {{
            if (!address.endsWith('/nearby')) return real(address, options);
            const beacon = (minor) => ({{ uuid: {json.dumps(TAGS)}, major: 70, minor, gateway: 'office', rssi_dbm: -60, item: null }});
            const send = (all) => window.stream.enqueue(new TextEncoder().encode(`event: nearby\ndata: ${{JSON.stringify({{ beacons: all.map(beacon), more: 0 }})}}\n\n`));
            // The first list is empty: the server asks the gateways with it.
            return Promise.resolve(new Response(new ReadableStream({{ start(stream) {{
                window.stream = stream;
                for (const all of [[], {others}, {others}]) send(all);
                setTimeout(() => send([...{others}, {number}]), 500); }} }}))); }}; }})(window.realFetch ??= fetch); location.hash = '#/manage'""")
        row = f"[...document.querySelectorAll('.nearby li')].find((row) => row.textContent.includes('· 70 · {{}}'))?.querySelector('strong').textContent"
        page.wait("the tag that was switched on", f"{row.format(number)}?.endsWith(', just came into range')")
        for other in others:
            check(page.run(f"!{row.format(other)}.includes('came')"), "a tag that was there just came into range")
        page.run("location.hash = '#/'")
        page.wait("the list of items", "document.querySelector('.rows .row')")
    rig.close(page)


def appears(rig: Rig) -> None:
    """an item appears on list and plan without a reload when its tag comes in range"""
    page = rig.open()
    rig.site.ask("items", "add", "Ukulele", "--uuid", TAGS, "--major", "7", "--minor", "8")
    page.wait("a row that knows nothing yet", "[...document.querySelectorAll('.row.unknown .name')].some((name) => name.textContent === 'Ukulele')")
    check(page.run("!forgetmenot.plan.position('ukulele')"), "an item that nobody received is on the plan")
    rig.hear("office", m7=-38, m8=-40)
    page.wait("the room", "forgetmenot.items.get('ukulele')?.room === 'Office'")
    page.wait("the row", "[...document.querySelectorAll('.row')].some((row) => row.textContent.includes('Ukulele') && row.textContent.includes('Office'))")
    page.wait("the mark", "document.querySelector('.mark[data-id=ukulele]')")
    check(page.run("window.isTheSamePage === true"), "the page was loaded again")
    rig.close(page)


def moves(rig: Rig) -> None:
    """an item that is carried to another room moves there on the plan, in small steps"""
    page = rig.open()
    page.wait("the mark", "forgetmenot.plan.position('ukulele')")
    page.run("""(() => { window.track = []; let last = '';
        const look = () => { const p = forgetmenot.plan.position('ukulele');
            if (p) { const now = p.x.toFixed(1) + ' ' + p.y.toFixed(1); if (now !== last && track.length < 5000) track.push([p.x, p.y]); last = now; }
            requestAnimationFrame(look); };
        look(); })()""")
    rig.hear("living", m7=-38, m8=-40)
    page.wait("the other room", "forgetmenot.items.get('ukulele')?.room === 'Living room'", 120)
    # It arrives where the aggregator believes it to be.
    page.wait("the mark to arrive", """(() => { const p = forgetmenot.plan.position('ukulele');
        return p && track.length > 10 && Math.hypot(p.x - track[0][0], p.y - track[0][1]) > 40 && Math.hypot(p.x - p.tx, p.y - p.ty) < 1; })()""", 120)
    track = page.run("track")
    longest = max(((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2) ** 0.5 for a, b in zip(track, track[1:]))
    whole = ((track[0][0] - track[-1][0]) ** 2 + (track[0][1] - track[-1][1]) ** 2) ** 0.5
    check(longest < whole / 2, f"a step of {longest:.0f} of {whole:.0f} px is a jump")
    rig.close(page)


def searches(rig: Rig) -> None:
    """the search answers as one types, by keyboard alone: / starts it, Enter opens the item, Escape returns"""
    page = rig.open()
    page.wait("rows", "document.querySelectorAll('.row').length > 5")
    page.key("/")
    page.wait("the focus", "document.activeElement?.id === 'search'")
    page.type("ukul")
    page.wait("one row", "document.querySelectorAll('.row').length === 1 && document.querySelector('.row .name').textContent === 'Ukulele'")
    page.wait("the answer for screen readers", "document.getElementById('announce').textContent.startsWith('Ukulele: ')")
    page.wait("the other marks to step back", "document.querySelectorAll('.mark.dimmed').length > 0 && !document.querySelector('.mark[data-id=ukulele]').matches('.dimmed')")
    page.key("Enter")
    page.wait("the item", "location.hash === '#/items/ukulele' && document.activeElement?.textContent === 'Ukulele'")
    page.key("Escape")
    page.wait("the list, with the focus on its row", "location.hash === '#/' && document.activeElement?.closest('li')?.dataset.id === 'ukulele'")
    page.key("ArrowUp")
    page.wait("the search field", "document.activeElement?.id === 'search'")
    page.key("Escape")
    page.wait("all rows", "document.querySelectorAll('.row').length > 5")
    page.key("ArrowDown", "ArrowDown")
    page.wait("the focus on the second row", "document.activeElement?.closest('li')?.getAttribute('aria-posinset') === '2'")
    rig.close(page)


def sorts(rig: Rig) -> None:
    """the list stands right under the search field, is ordered by name, by the last move or by room, and shows one room; a legend explains the marks"""
    rows = "[...document.querySelectorAll('.row')].map((row) => row.dataset.id)"
    put = """window.put = (id, room, since) => forgetmenot.apply('item', { item: id, name: id, presence: 'home', room, since: new Date(since).toISOString(), confidence: 1, rooms: { [room]: 1 }, floor: 0,
        x_m: room === 'Office' ? 6 : 5, y_m: room === 'Office' ? 4 : -2, accuracy_m: 1, uuid: '', major: 1, minor: 1 }); for (const id of [...forgetmenot.items.keys()]) forgetmenot.apply('item_removed', { item: id });"""
    for size, options in (*SIZES.items(), ("wide", {"width": 1400, "height": 900})):
        page = rig.open(calm=True, **options)
        # Few rows are in view on a phone.
        few = 1 if size == "phone" else 5
        page.wait("rows and the plan", f"document.querySelectorAll('.row').length > {few} && document.querySelectorAll('.planview .room').length === 5")
        page.screenshot(rig.shots / f"sorted-{size}.png")
        gap = page.run("document.querySelector('.rows').getBoundingClientRect().top - document.querySelector('.finder').getBoundingClientRect().bottom")
        check(abs(gap) < 2, f"the list is {gap} px below the search field")
        # The server's items would move among these.
        def rearrange() -> None:
            page.run(put + "put('b', 'Kitchen', 3e12); put('a', 'Office', 1e12); put('c', 'Kitchen', 2e12)")

        def choose(label: str, value: str) -> None:
            page.run(f"(() => {{ const select = document.querySelector('.choices [aria-label={label}]'); select.value = '{value}'; select.dispatchEvent(new Event('change')); }})()")

        for order, ids in (("moved", "b,c,a"), ("room", "b,c,a"), ("name", "a,b,c"), ("moved", "b,c,a")):
            rearrange()
            choose("Order", order)
            page.wait(f"the order {order}", f"{rows}.filter((id) => id.length === 1).join() === '{ids}'", 10)
        # At once, without another item that comes or goes.
        page.run("put('a', 'Office', 4e12); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        check(page.run(f"{rows}.filter((id) => id.length === 1).join()") == "a,b,c", "what moved last is not on top")
        choose("Room", "Kitchen")
        page.wait("the items of the kitchen", f"{rows}.includes('b') && !{rows}.includes('a')")
        if size != "phone":
            page.wait("the other marks to step back", "document.querySelector('.mark[data-id=a].dimmed') && document.querySelector('.mark[data-id=b]:not(.dimmed)')")
        choose("Room", "")
        page.wait("all items", f"{rows}.includes('a')")
        check(page.run("document.querySelector('.legend').textContent.includes('two times in three')"), "there is no legend")
        rig.close(page)


def renames_by_keyboard(rig: Rig) -> None:
    """an item is renamed with the keyboard alone; a name that another item has is refused with a sentence"""
    page = rig.open("#/items/ukulele")
    page.wait("the buttons", "document.querySelector('.manage .danger')")
    page.focus_by_tab(".manage section:last-child button:not(.danger)")
    page.key("Enter")
    page.wait("the old name, selected", "document.activeElement?.id === 'new-name' && document.activeElement.selectionEnd === 7")
    page.type("Cat")
    page.expected.append("/api/v1/items/ukulele")
    page.key("Enter")
    page.wait("the refusal, at the name", "document.querySelector('dialog [role=alert]')?.textContent.includes('Cat') && document.activeElement?.id === 'new-name'")
    page.key("Backspace", "Backspace", "Backspace")
    page.type("Guitar")

    rules = next(item for item in rig.api("items")["items"] if item["item"] == "ukulele")["notify"]

    def change_behind_the_dialog(after: int) -> None:
        rig.change("PATCH", "items/ukulele", {"notify": rules | {"after_s": after}})
        page.wait("the rules behind the dialog to follow", f"document.querySelector('dialog') && document.querySelector('#r-after').value === '{after}'")
    change_behind_the_dialog(900)
    page.key("Enter")
    page.wait("the new name", "document.querySelector('.detail h2').textContent === 'Guitar' && document.title.startsWith('Guitar')")
    page.wait("the focus to return", "document.activeElement?.textContent === 'Rename'")
    page.key("Enter")
    page.wait("the dialog", "document.activeElement?.id === 'new-name'")
    change_behind_the_dialog(rules.get("after_s", 30))
    page.key("Escape")
    page.wait("the focus to return again", "!document.querySelector('dialog') && document.activeElement?.textContent === 'Rename'")
    wait_for("the aggregator's word", lambda: any(item["name"] == "Guitar" for item in rig.api("items")["items"]))
    rig.close(page)


def goes_back(rig: Rig) -> None:
    """the browser's Back closes the topmost dialog and leaves the view; it asks before it loses what somebody typed, and no dialog leaves a step behind"""
    page = rig.open("#/")
    page.wait("rows", "document.querySelector('.row .name')")
    page.run("location.hash = '#/items/house-keys'")
    page.wait("the buttons", "document.querySelector('.manage .danger')")
    is_shown = "location.hash === '#/items/house-keys' && document.querySelector('.detail h2')?.offsetParent"
    rename = ".manage section:last-child button:not(.danger)"
    for _ in range(2):
        page.click(rename)
        page.wait("the dialog", "document.activeElement?.id === 'new-name'")
        page.run("history.back()")
        page.wait("no dialog, in the same view", f"!document.querySelector('dialog') && {is_shown}")
    # One dialog in another.
    page.run("import(document.querySelector('link[href$=\"/dom.js\"]').href).then(({ confirmed }) => { window.sure = () => confirmed('Sure?', 'It is for good.', 'Yes').then((value) => { window.chosen = String(value); }); })")
    for _ in range(2):
        page.click(rename)
        page.wait("the dialog", "document.activeElement?.id === 'new-name'")
        page.run("void sure()")
        page.wait("two dialogs", "document.querySelectorAll('dialog').length === 2")
        page.run("history.back()")
        page.wait("one dialog", "document.querySelectorAll('dialog').length === 1 && document.querySelector('#new-name') && window.chosen === 'undefined'")
        page.run("delete window.chosen")
        page.run("history.back()")
        page.wait("no dialog, in the same view", f"!document.querySelector('dialog') && {is_shown}")
    # What somebody typed.
    page.click(rename)
    page.wait("the dialog", "document.activeElement?.id === 'new-name'")
    page.type("Banjo")
    page.run("history.back()")
    page.wait("the question", "document.querySelector('dialog [role=alert]')?.textContent.includes('not saved')")
    page.run("history.back()")
    page.wait("no dialog, in the same view", f"!document.querySelector('dialog') && {is_shown}")
    # Closed otherwise, a dialog leaves no step: one step back is the list.
    page.click(rename)
    page.wait("the dialog", "document.activeElement?.id === 'new-name'")
    page.key("Escape")
    page.click(".manage .danger")
    page.wait("the dialog", "document.querySelector('dialog .danger')")
    page.click("dialog button:not(.danger)")
    page.wait("no step of a dialog", f"!document.querySelector('dialog') && !history.state && {is_shown}")
    page.run("history.back()")
    page.wait("the list", "location.hash === '#/' && document.querySelector('.row .name')")
    rig.close(page)


def renames_by_touch(rig: Rig) -> None:
    """an item is renamed on a phone, by touch; what one touches is at least 40 px high"""
    page = rig.open("#/items/house-keys", **SIZES["phone"])
    page.wait("the buttons", "document.querySelector('.manage .danger')")
    page.click(".manage section:last-child button:not(.danger)")
    page.wait("the dialog", "document.activeElement?.id === 'new-name'")
    page.type("Front door")
    page.click("dialog button.main")
    page.wait("the new name", "document.querySelector('.detail h2').textContent === 'Front door'")
    for hash_, ready in VIEWS.values():
        page.run(f"location.hash = {json.dumps(hash_)}")
        page.wait("the view", f"!!({ready})")
        small = page.run("""[...document.querySelectorAll('a, button, select, input:not([type=checkbox]):not([type=range]):not(.hidden)')].filter((one) => {
            const box = one.getBoundingClientRect();
            return box.width && !one.closest('.skip, p:not(.field), small, .none') && !one.matches('.skip, .brand, .back') && (box.height < 40 || box.width < 24);
        }).map((one) => `${one.className || one.tagName} ${one.textContent.slice(0, 20)} ${one.getBoundingClientRect().height}`)""")
        check(not small, f"too small to touch in {hash_}: {small[:4]}")
        wide = page.run("document.documentElement.scrollWidth - innerWidth")
        check(wide <= 0, f"{hash_} is {wide} px wider than a phone")
    rig.close(page)


# The notification of the house keys. The simulated family may have gone out as well.
ALERT = ".alerts .alert:has(a[href$='/house-keys'])"


def notifies(rig: Rig) -> None:
    """rules that are set on the page notify when the item leaves; the notification shows without a reload, and is acknowledged by mouse"""
    page = rig.open("#/items/house-keys")
    page.wait("the rules", "document.querySelector('#r-after')")
    page.run("(() => { const select = document.querySelector('#r-after'); select.value = '0'; select.dispatchEvent(new Event('input', { bubbles: true })); })()")
    page.click(".notify button.main")
    page.wait("the rules to be saved", "forgetmenot.items.get('house-keys').notify?.after_s === 0 && document.querySelector('.notify button.main').disabled")
    page.wait("the focus in the form", "document.querySelector('form.notify').contains(document.activeElement)", 5)
    page.wait("the item to be home", "forgetmenot.items.get('house-keys').presence === 'home'")
    rig.hear("living", m8=-40)
    page.wait("the notification", "document.querySelector('.detail .alert button')", 120)
    check("Front door" in page.run("document.querySelector('.detail .alert').textContent"), "the notification does not name the item")
    page.run("location.hash = '#/'")
    page.wait("the notification in the list", f'document.querySelector("{ALERT} button")')
    page.click(f"{ALERT} button")
    page.wait("the notification to go", f'!document.querySelector("{ALERT}")')
    wait_for("the aggregator's word", lambda: all(item["notification"] is None for item in rig.api("items")["items"] if item["item"] == "house-keys"))
    check(page.run("window.isTheSamePage === true"), "the page was loaded again")
    rig.close(page)


def acknowledges_otherwise(rig: Rig) -> None:
    """a notification is acknowledged by keyboard, and the next one by touch"""
    for phone in (False, True):
        page = rig.open(**(SIZES["phone"] if phone else {}))
        rig.hear("living", m7=-38, m8=-40)
        page.wait("the item to be home", "forgetmenot.items.get('house-keys')?.presence === 'home'", 90)
        rig.hear("living", m8=-40)
        page.wait("the notification", f'document.querySelector("{ALERT} button")', 120)
        if phone:
            page.click(f"{ALERT} button")
        else:
            page.focus_by_tab(f"{ALERT} button")
            page.key("Enter")
        page.wait("the notification to go", f'!document.querySelector("{ALERT}")')
        check(page.run("document.activeElement !== document.body") or phone, "the focus is lost")
        rig.close(page)


def forgets(rig: Rig) -> None:
    """`make run` shows a family: Anna goes out without her violin, the message appears in the terminal and on the page, and is acknowledged there"""
    demo = Terminal([here.parents[1] / "deploy/demo/run.sh"], FORGETMENOT_PROGRAMS=str(rig.site.programs))
    try:
        address = wait_for("the address of the page", lambda: re.search(r"http://(127\.0\.0\.1:\d+)/", demo.text))
        pages = {size: rig.browser.page() for size in SIZES}
        rig.pages += pages.values()
        for size, page in pages.items():
            page.emulate(calm=True, **SIZES[size])
            page.open(address[0])
        page = pages["light"]
        page.send("Page.bringToFront")
        page.wait("everybody at home", "document.querySelectorAll('.people li.home').length === 3")
        page.wait("a room for each item, and a label for most", """[...forgetmenot.items.values()].filter((item) => item.room).length === 12
            && document.querySelectorAll('.mark .label:not(.crowded)').length > 8""")
        page.screenshot(rig.shots / "family-light.png")
        page.wait("Anna to be away", "document.querySelector('.people li.away strong')?.textContent === 'Anna'", 120)
        page.wait("the message", "document.querySelector('.alerts .alert')?.textContent.includes('Violin')", 120)
        check(page.run("document.querySelectorAll('.alerts .alert').length === 1"), "there is another message")
        wait_for("the message in the terminal", lambda: "Violin is still at home" in demo.text)
        for size, page in pages.items():
            page.send("Page.bringToFront")
            page.wait("the message", "document.querySelector('.alerts .alert')?.textContent.includes('Violin')")
            # README's pictures are made from these: CONTRIBUTING has the line.
            page.screenshot(rig.shots / f"forgotten-{size}.png")
        page = pages["light"]
        page.send("Page.bringToFront")
        page.run("location.hash = '#/people/anna'")
        page.wait("the person with the message", "document.querySelector('.person .alert button')")
        page.screenshot(rig.shots / "forgetful-light.png")
        page.click(".person .alert button")
        page.wait("no message", "document.querySelector('.person .alerts').hidden")
        wait_for("a terminal without the message", lambda: "Violin is still at home" not in demo.text.rsplit("ITEM ", 1)[-1])
        for page in pages.values():
            check(not page.foreign(address[1]) and not page.unexpected(), f"errors in the page: {page.unexpected()[:3]}")
            rig.pages.remove(page)
            page.close()
    finally:
        demo.end()


def keeps_people(rig: Rig) -> None:
    """a person is added by mouse with what the person carries, is seen in a room, is changed by keyboard, sends a message, owns an item, and is removed; forms that are not saved survive, and so does what others save"""
    page = rig.open("#/manage")
    page.wait("the people and the beacons, which move the button", "document.querySelector('.people li') && [...document.querySelectorAll('#adding ~ .none')].some((one) => one.textContent.includes('already belong'))")
    page.click("#household ~ .buttons .button")
    page.wait("the form", "document.querySelector('.person form') && location.hash === '#/people/'")
    page.click("#person-name")
    page.type("Emil")
    page.click("label[for=carry-ukulele]")
    page.click(".person form .main")
    page.wait("the person", "location.hash === '#/people/emil' && document.querySelector('.person h1').textContent === 'Emil' && document.querySelector('.things a')?.textContent === 'Guitar'")
    rig.hear("office", m8=-40)
    page.wait("the room of what the person carries", "document.querySelector('.person .big').textContent === 'Office'", 120)
    page.expected.append("api/v1/people/emil/test")
    page.run(SENT)
    for turn in range(2):
        page.run("document.querySelector('#messages ~ [role=status] ul').replaceChildren(); document.querySelector('#messages ~ .buttons button').focus()")
        page.key("Enter")
        page.wait("that there is no channel", "document.querySelector('#messages ~ [role=status]').textContent.includes('channel')")
        check(page.run("document.activeElement.matches('#messages ~ .buttons button')"), "a button that works loses the focus")
    page.run("location.hash = '#/'")
    page.wait("the person on the list and on the plan", "[...document.querySelectorAll('.people li.home')].some((one) => one.textContent.includes('EmilOffice')) && document.querySelector('.here').textContent.includes('Emil')")
    page.run("location.hash = '#/items/ukulele'")
    for turn in range(2):
        # Who ticks the first owner is asked for no more.
        page.click("label[for=o-emil]")
        check(page.run("document.querySelector('#o-needed').value") == "always", "an owner alone is told of nothing")
        if not turn:
            page.click(".owners [type=reset]")
            page.wait("no tick", "!document.querySelector('#o-emil').checked && document.querySelector('#o-needed').value === ''")
    page.click(".owners .main")
    page.wait("the owner", "forgetmenot.items.get('ukulele').owners?.[0] === 'emil' && document.querySelector('.facts').textContent.includes('Belongs toEmil')")
    page.wait("the focus in the form", "document.querySelector('.owners').contains(document.activeElement)", 5)
    page.run("location.hash = '#/people/emil'")
    page.wait("what the person carries and nothing besides", "document.querySelectorAll('.things')[0]?.textContent.includes('Guitar') && document.querySelectorAll('.things')[1].textContent.startsWith('Nothing')")
    page.focus_by_tab("#person-name", 80)
    page.key("End")
    page.type("ia")
    page.key("Enter")
    page.wait("the new name", "document.querySelector('.person h1').textContent === 'Emilia' && document.querySelector('.person form .main').disabled")
    check(page.run("document.activeElement?.id") == "person-name", "the focus is lost")
    check(page.run("sent.at(-1)") == {"name": "Emilia"}, f"the page sends {page.run('sent.at(-1)')}")
    # What is not saved survives other views, and what somebody else saves meanwhile.
    page.expected.append("api/v1/people/emil")
    carries = {"ukulele"}
    for turn, (mine, theirs) in enumerate((("camera", "passport"), ("violin", "umbrella"))):
        page.run("document.getElementById('toasts').replaceChildren()")
        page.run(f"(() => {{ const name = document.querySelector('#person-name'); name.value = 'Dora'; name.dispatchEvent(new Event('input', {{ bubbles: true }})); name.form.requestSubmit(); }})()")
        page.wait("the refusal", "document.querySelector('.person form .problem').textContent.includes('Dora')")
        page.run("(() => { const name = document.querySelector('#person-name'); name.value = name.defaultValue; name.dispatchEvent(new Event('input', { bubbles: true })); })()")
        check(page.run("document.querySelector('.person form .main').disabled && !document.querySelector('.person form .problem').textContent"), "a refusal stays on a form without a change")
        page.click(f"label[for=carry-{mine}]")
        carries |= {theirs}
        rig.change("PATCH", "people/emil", {"name": f"Emma {turn}", "carries": sorted(carries)})
        page.wait("the other name", f"document.querySelector('.person h1').textContent === 'Emma {turn}'")
        page.run("location.hash = '#/'")
        page.wait("another view, and the word", "!document.querySelector('.person') && document.getElementById('toasts').textContent.includes('not saved')")
        page.run("location.hash = '#/people/emil'")
        page.wait("the tick", f"document.querySelector('#carry-{mine}')?.checked")
        page.click(".person form .main")
        carries |= {mine}
        wait_for("both changes", lambda: next((one["name"], set(one["carries"])) for one in rig.api("people") if one["id"] == "emil") == (f"Emma {turn}", carries))
        page.wait("a form with both", f"document.querySelector('#carry-{theirs}').checked && document.querySelector('#person-name').value === 'Emma {turn}' && document.querySelector('.person form .main').disabled")
    page.run("location.hash = '#/items/ukulele'")
    page.wait("the owners", "document.querySelector('#o-dora') && document.querySelector('.stays li') && document.querySelector('.spent .bars > *')")
    for turn in range(2):
        page.click("label[for=o-dora]")
        rig.change("PATCH", "items/ukulele", {"owners": ["emil"], "name": f"Ukulele {turn}"})
        page.wait("the other name", f"document.querySelector('.detail h2').textContent === 'Ukulele {turn}'")
        page.run("document.activeElement.blur(); location.hash = '#/'")
        page.wait("the list", "!document.querySelector('.detail h2')")
        check(page.run("!dispatchEvent(new Event('beforeunload', { cancelable: true }))"), "the browser does not ask before it loses a tick")
        page.run("location.hash = '#/items/ukulele'")
        page.wait("the tick", "document.querySelector('#o-dora')?.checked && document.querySelector('.stays li') && document.querySelector('.spent .bars > *')")
        page.click(".owners [type=reset]")
        page.wait("no tick", "!document.querySelector('#o-dora').checked && document.querySelector('.owners .main').disabled")
        check(page.run("dispatchEvent(new Event('beforeunload', { cancelable: true }))"), "the browser asks although nothing is lost")
    page.click("label[for=o-dora]")
    page.click("label[for=o-emil]")
    rig.change("PATCH", "items/ukulele", {"name": "Guitar", "needed": "mon-fri"})
    page.wait("what somebody else saved", "forgetmenot.items.get('ukulele').needed === 'mon-fri'")
    page.click(".owners .main")
    wait_for("the other owner, and when", lambda: [(one["owners"], one["needed"]) for one in rig.api("items")["items"] if one["item"] == "ukulele"] == [(["dora"], "mon-fri")])
    # What was not changed is not sent: somebody else may have changed it a moment ago.
    check(page.run("sent.at(-1)") == {"owners": ["dora"]}, f"the page sends {page.run('sent.at(-1)')}")
    for needed in ("always", "mon-fri"):
        page.wait("a form without a change", "document.querySelector('.owners .main').disabled")
        page.run(f"(() => {{ const select = document.querySelector('#o-needed'); select.value = '{needed}'; select.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
        page.click(".owners .main")
        page.wait("the days", f"forgetmenot.items.get('ukulele').needed === '{needed}'")
        check(page.run("sent.at(-1)") == {"needed": needed}, f"the page sends {page.run('sent.at(-1)')}")
    # A form of somebody who was removed is given up.
    page.run("location.hash = '#/people/emil'")
    page.wait("the form", "document.querySelector('#carry-cat')")
    page.click("label[for=carry-cat]")
    rig.change("DELETE", "people/emil", None)
    page.wait("no such person, and whom there is", "document.querySelector('.person h1').textContent.startsWith('There is no') && document.querySelector('.person .people a').offsetParent && document.querySelector('.person .people a').hash === '#/people/dora'")
    rig.change("POST", "people", {"name": "Emil", "carries": ["ukulele"]})
    page.wait("another form, and no other people", "document.querySelector('.person .people').closest('section').hidden && !document.querySelector('#carry-cat')?.checked && document.querySelector('#person-name')?.value === 'Emil' && document.querySelector('#carry-ukulele').checked")
    page.click(".person .danger")
    page.wait("the question, with the focus on Cancel", "document.activeElement?.textContent === 'Cancel'")
    page.click("dialog .danger")
    page.wait("the list without the person", "location.hash === '#/' && !forgetmenot.people.has('emil') && document.querySelectorAll('.people li').length === 1")
    # Who was removed is an owner for no longer than somebody wants: beside another person, and where there is nobody else.
    for name in ("Emil", "Dora"):
        if name == "Emil":
            rig.change("POST", "people", {"name": name, "carries": ["cat"]})
        rig.change("PATCH", "items/ukulele", {"owners": [name.lower()]})
        rig.change("DELETE", f"people/{name.lower()}", None)
        page.run("document.getElementById('toasts').replaceChildren(); location.hash = '#/items/ukulele'")
        page.wait("the former owner", f"document.querySelector('#o-{name.lower()}')?.checked && document.querySelector('label[for=o-{name.lower()}]').textContent.includes('was removed')")
        page.click(f"label[for=o-{name.lower()}]")
        page.click(".owners .main")
        page.wait("that it belongs to nobody", "document.getElementById('toasts').textContent.includes('nobody')")
        wait_for("no owners", lambda: not next(one for one in rig.api("items")["items"] if one["item"] == "ukulele").get("owners"))
        page.run("location.hash = '#/'")
    rig.change("POST", "people", {"name": "Dora", "carries": ["cat"]})
    rig.close(page)


def keeps_names(rig: Rig) -> None:
    """a name that somebody typed stays in its dialog when the server refuses it, for an item that is added or renamed, and is saved with the next attempt; so is the focus"""
    page = rig.open("#/items/ukulele")
    page.run("""((real) => { window.fetch = (address, options) => (window.isFull && /api.v1.items/.test(address) && options.method !== 'GET'
        ? Promise.resolve(new Response('{"error": "The disk is full."}', { status: 503 })) : real(address, options)); })(fetch)""")

    def enter(what: str, name: str) -> None:
        page.wait("the dialog", f"document.activeElement?.id === '{what}'")
        page.run("window.isFull = true; document.activeElement.value = ''")
        page.type(name)
        for _ in range(2):
            page.run("document.querySelector('dialog [role=alert]').textContent = ''")
            page.key("Enter")
            page.wait("the refusal", "document.querySelector('dialog [role=alert]')?.textContent === 'The disk is full.'", 10)
            check(page.run(f"document.querySelector('#{what}').value") == name, "the name is lost")
        page.run("window.isFull = false")
        page.click("dialog button.main")
        page.wait("no dialog", "!document.querySelector('dialog')")

    page.wait("the buttons", "document.querySelector('.manage .danger')")
    page.click(".manage .buttons button:not(.danger, .main, [type=reset])")
    enter("new-name", "Banjo")
    page.wait("the name", "document.querySelector('.detail h2').textContent === 'Banjo'")
    check(page.run("document.activeElement?.textContent") == "Rename", "the focus is lost")
    page.run("location.hash = '#/manage'")
    rig.hear("office", m8=-40, m9=-38)
    page.wait("the strongest beacon", "document.querySelector('.nearby li.held code')?.textContent.includes('7 · 9')")
    page.click(".nearby li.held button")
    enter("item-name", "Whistle")
    page.wait("the item, and the focus beside it", "forgetmenot.items.has('whistle') && document.activeElement?.closest('section')?.querySelector('.nearby')", 10)
    # One press of Escape loses nothing, also behind a refusal.
    page.run("location.hash = '#/items/whistle'")
    page.wait("the buttons", "document.querySelector('.manage .danger')")
    # What somebody else changes meanwhile builds the button again.
    for turn in range(2):
        page.click(".manage .buttons button:not(.danger, .main, [type=reset])")
        page.wait("the dialog", "document.activeElement?.id === 'new-name'")
        rig.change("PATCH", "items/whistle", {"name": f"Whistle {turn}"})
        page.wait("the other name", f"document.querySelector('.detail h2').textContent === 'Whistle {turn}'")
        page.key("Escape")
        page.wait("the focus on the new button", "document.activeElement?.textContent === 'Rename'", 10)
    page.click(".manage .buttons button:not(.danger, .main, [type=reset])")
    page.wait("the dialog", "document.activeElement?.id === 'new-name'")
    page.run("window.isFull = true")
    page.type("Flute")
    page.key("Enter")
    page.wait("the refusal", "document.querySelector('dialog [role=alert]').textContent === 'The disk is full.'", 10)
    page.key("Escape")
    page.wait("the question", "document.querySelector('dialog [role=alert]')?.textContent.includes('not saved')", 10)
    page.key("Escape")
    page.wait("no dialog", "!document.querySelector('dialog')")
    page.run("window.isFull = false")
    rig.change("DELETE", "items/whistle", None)
    rig.change("PATCH", "items/ukulele", {"name": "Guitar"})
    rig.close(page)


def removes(rig: Rig) -> None:
    """an item is removed after a question; Escape and Cancel change nothing"""
    page = rig.open("#/items/house-keys")
    page.wait("the buttons", "document.querySelector('.manage .danger')")
    page.click(".manage .danger")
    page.wait("the question, with the focus on Cancel", "document.activeElement?.textContent === 'Cancel'")
    page.key("Escape")
    page.wait("the question to go", "!document.querySelector('dialog')")
    check(any(item["item"] == "house-keys" for item in rig.api("items")["items"]), "Escape removed the item")
    page.click(".manage .danger")
    page.click("dialog .danger")
    page.wait("the list without it", "location.hash === '#/' && !forgetmenot.items.has('house-keys')")
    wait_for("the aggregator's word", lambda: all(item["item"] != "house-keys" for item in rig.api("items")["items"]))
    page.run("location.hash = '#/items/cat'")
    page.wait("an item of the configuration file", "document.querySelector('.manage')?.textContent.includes('aggregator.toml')")
    check(page.run("!document.querySelector('.manage button')"), "an item of the configuration file has buttons")
    rig.close(page)


def adds_by_keyboard(rig: Rig) -> None:
    """a beacon becomes an item by keyboard, and another one by touch"""
    for phone, minor, name in ((False, 7, "Lamp"), (True, 9, "Purse")):
        page = rig.open("#/manage", **(SIZES["phone"] if phone else {}))
        rig.hear("office", **{f"m{minor}": -36})
        page.wait("the strongest beacon", f"document.querySelector('.nearby li.held code')?.textContent.includes('7 · {minor}')")
        if phone:
            page.click(".nearby li.held button")
        else:
            page.focus_by_tab(".nearby li.held button")
            page.key("Enter")
        page.wait("the dialog", "document.activeElement?.id === 'item-name'")
        page.type(name)
        page.key("Enter")
        page.wait("the new item", f"forgetmenot.items.has('{name.lower()}')")
        rig.close(page)


def updates_notifications(rig: Rig) -> None:
    """a notification that takes the place of another one shows in the list at once, and goes when there is none"""
    page = rig.open()
    # An item that the server does not know has no messages but these.
    for message in ("Kite has left.", "Kite is back.", "Kite has left again.", None):
        notification = message and {"message": message, "since": "2026-11-22T14:00:00Z", "count": 1}
        page.run(f"forgetmenot.apply('item', {{ item: 'kite', name: 'Kite', presence: 'away', notification: {json.dumps(notification)} }})")
        page.wait(message or "no notification", f"document.querySelector('.alerts').textContent.match(/Kite [a-z ]*[.]/)?.[0] === {json.dumps(message) if message else 'undefined'}", 10)
    # Of very many, some are shown, and how many more there are. What the server reports meanwhile would take the place of the problems.
    for count in (27, 31):
        page.run(f"""for (let number = 0; number < {count}; number++) forgetmenot.apply('item', {{ item: `kite-${{number}}`, name: `Kite ${{number}}`, presence: 'away',
            notification: {{ message: `Kite ${{number}} has left.`, since: '2026-11-22T14:00:00Z', count: 1 }} }})""")
        page.wait("how many more there are", f"""(forgetmenot.apply('site', {{ ...forgetmenot.state.site, problems: Array.from({{ length: {count} }}, (_, number) => `Problem ${{number}}`) }}),
            new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(
                document.querySelector('.alerts').textContent.endsWith(`${{[...forgetmenot.items.values()].filter((one) => one.notification).length - 20}} more notifications`)
                && document.getElementById('problems').textContent.endsWith('Problem 4{count - 5} more problems'))))))""", 20)
    for height in (700, 560):
        page.emulate(width=900, height=height)
        page.wait("a legend above the gateways", "document.querySelector('.legend').getBoundingClientRect().bottom <= document.querySelector('.health').getBoundingClientRect().top", 5)
    # The focus does not go with the button.
    for turn in range(2):
        page.run("location.hash = '#/items/kite-1'")
        page.wait("the notification", "document.querySelector('.detail .alert button')")
        page.run("document.querySelector('.detail .alert button').focus(); forgetmenot.apply('item', { ...forgetmenot.items.get('kite-1'), notification: null })")
        page.wait("no notification, and the focus on the name", "!document.querySelector('.detail .alert') && document.activeElement === document.querySelector('.detail h2')", 5)
        page.run("forgetmenot.apply('item', { ...forgetmenot.items.get('kite-1'), notification: { message: 'Kite 1 has left again.', since: '2026-11-22T14:00:00Z', count: 1 } }); location.hash = '#/'")
        page.wait("the list", "!document.querySelector('.listing').hidden")
    rig.close(page)


def remembers(rig: Rig) -> None:
    """history shows the stays of an item, and where everything was at a time"""
    if not rig.has("history?limit=1"):
        raise Skipped("this server has no history")
    page = rig.open("#/items/ukulele")
    page.wait("the room in the timeline", "[...document.querySelectorAll('.stays li')].some((stay) => stay.textContent.includes('Living room'))", 30)
    # In every browser, stays that scroll are reached by keyboard.
    page.run("document.querySelector('.stays').style.maxHeight = '12px'")
    for day in ("Previous", "Next") * 2:
        page.run(f"document.querySelector(\".timeline [aria-label='{day} day']\").focus()")
        page.key("Enter")
        page.wait("the focus where it was", f"document.activeElement?.getAttribute('aria-label') === '{day} day'", 5)
    page.wait("stays that take the focus", "document.querySelector('.stays').tabIndex === 0 && document.querySelector('.stays li:not(.none)')", 10)
    page.focus_by_tab(".stays")
    # In very many rooms, for 20 min, 19 min and so on.
    page.run("""((real) => { window.fetch = (address, options) => (/history.rooms/.test(address) ? Promise.resolve(new Response(JSON.stringify({ rooms:
        Array.from({ length: 11 }, (_, number) => ({ presence: 'home', room: `Room ${number}`, seconds: 1200 - 60 * number })) }))) : real(address, options)); })(fetch)""")
    for turn in range(2):
        page.run("location.hash = '#/'")
        page.wait("the list", "!document.querySelector('.detail h2')")
        page.run("location.hash = '#/items/ukulele'")
        page.wait("the longest times, and the others together", "[...document.querySelectorAll('.spent .bar-row')].map((row) => row.textContent).join().match(/Room 7.*/)?.[0] === 'Room 713 min,Other rooms33 min'", 10)
    # However many pages are loaded, there are more.
    page.run("""((real) => { window.fetch = (address, options) => (/from=1970/.test(address)
        ? Promise.resolve(new Response('{"stays": [{"item": "ukulele", "presence": "away", "from": "2026-11-22T14:00:00Z"}], "next": "a:1"}')) : real(address, options)); })(fetch)""")
    for turn in range(2):
        page.run("document.getElementById('toasts').replaceChildren()")
        page.click(".timeline p button")
        page.wait("the word that the file is cut", "document.getElementById('toasts').textContent.includes('first 200 stays')", 20)
    page.run("location.hash = '#/history'")
    page.wait("the rows", "document.querySelectorAll('.dayrow').length > 5")
    page.wait("a place", "document.querySelector('.dayrow[data-id=ukulele]') && !document.querySelector('.dayrow[data-id=ukulele]').textContent.includes('Nothing')")
    page.run("(() => { const at = document.querySelector('#at'); at.value = '2020-01-07T17:00'; at.dispatchEvent(new Event('input', { bubbles: true })); })()")
    page.wait("that day", "document.querySelector('.history .day').textContent.includes('7 January')")
    page.wait("nothing stored", "[...document.querySelectorAll('.dayrow')].every((row) => row.textContent.includes('Nothing stored'))")
    page.click(".history .daybar .icon[aria-label='Next day']")
    page.wait("the next day", "document.querySelector('.history .day').textContent.includes('8 January')")
    strip = "document.querySelectorAll('.dayrow[data-id=ukulele] .strip rect').length"
    for span, title in (("week", "6 Jan – 12 Jan"), ("month", "January 2020"), ("week", "6 Jan – 12 Jan"), ("day", "8 January")):
        page.run(f"(() => {{ const choice = document.querySelector('.daybar select'); choice.value = '{span}'; choice.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()")
        page.wait(f"the {span}", f"document.querySelector('.history .day').textContent.includes('{title}')")
        check(page.run(f"document.querySelector('.history .foot').textContent.startsWith('Export this {span}')"), f"the foot does not name the {span}")
    for span in ("month", "week"):
        page.run(f"(() => {{ const choice = document.querySelector('.daybar select'); choice.value = '{span}'; choice.dispatchEvent(new Event('change', {{ bubbles: true }})); const at = document.querySelector('#at'); at.value = at.max; at.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
        page.wait(f"the stays of this {span}", f"document.querySelector('.history .daybar [aria-label^=Next]').ariaDisabled && {strip} > 0", 20)
        page.screenshot(rig.shots / f"history-{span}-light.png")
    page.click(".history .daybar .icon[aria-label='Previous week']")
    page.wait("the week before, in which nothing was stored", f"!document.querySelector('.history .daybar [aria-label^=Next]').ariaDisabled && {strip} === 0", 20)
    page.run("forgetmenot.apply('items', [])")
    page.wait("that there is none", "document.querySelector('.history .empty').textContent === 'There are no items yet.'", 10)
    rig.close(page)


def fills_strips(rig: Rig) -> None:
    """a strip that was too much for the load of all strips is loaded when its row is in view, each time"""
    if not rig.has("history?limit=1"):
        raise Skipped("this server has no history")
    page = rig.open("#/history")
    page.wait("the rows", "document.querySelectorAll('.dayrow').length > 5")
    # As on a site with very many stays: however many pages are loaded, they do not reach these items.
    page.run("""((real) => { window.fetch = (address, options) => (/step=/.test(address) && !/item=/.test(address)
        ? Promise.resolve(new Response('{"stays": [], "next": "a:1"}')) : real(address, options)); })(fetch)""")
    strip = "document.querySelectorAll('.dayrow .strip rect').length"
    for span in ("month", "week"):
        page.run(f"(() => {{ const choice = document.querySelector('.daybar select'); choice.value = '{span}'; choice.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()")
        for value, what, is_shown in (("'2020-01-07T17:00'", "no strip", "=== 0"), ("at.max", "the strip", "> 0")):
            page.run(f"(() => {{ const at = document.querySelector('#at'); at.value = {value}; at.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
            page.wait(f"{what} of the {span}", f"{strip} {is_shown}", 20)
    page.run("location.hash = '#/'")
    for _ in range(2):
        asked = len(page.requests)
        page.run("document.querySelectorAll('.row .strip').forEach((strip) => strip.replaceChildren()); forgetmenot.apply('items', [...forgetmenot.items.values()])")
        page.wait("the strips of the list", "document.querySelectorAll('.row .strip rect').length > 5", 20)
        wait_for("a request for each row", lambda: sum("step=300" in address and "item=" in address for address in page.requests[asked:]) > 5, 10)
    rig.close(page)


def loads_the_past_of_a_busy_site(rig: Rig) -> None:
    """where events follow each other faster than the past is loaded, the history shows it, and follows"""
    if not rig.has("history?limit=1"):
        raise Skipped("this server has no history")
    page = rig.open()
    page.run("""((real) => { window.fetch = async (address, options) => {
        if (!/history.at/.test(address)) return real(address, options);
        const response = await real(address, options);
        await new Promise((done) => setTimeout(done, 700));
        window.times = (window.times ?? 0) + 1;
        return response;
    }; })(fetch)""")
    for pause in (40, 200):
        page.run(f"window.busy = setInterval(() => forgetmenot.apply('event', {{ event: 'moved', item: 'nothing' }}), {pause}); location.hash = '#/history'")
        page.wait("the places", VIEWS["history"][1], 15)
        page.run("window.times = 0")
        page.wait("the places again", "window.times > 1", 15)
        page.run("clearInterval(window.busy); location.hash = '#/'")
        page.wait("the list", "document.querySelector('.row')")
    rig.close(page)


def shows_the_past(rig: Rig) -> None:
    """history shows on the plan where items were at a time, names rooms in its strips, and exports names and local times; time away counts"""
    if not rig.api("site").get("plan"):
        rig.change("PUT", "plan", rig.plan)
    rig.change("POST", "items/import", [{"id": f"long-{id_}", "name": name, "uuid": TAGS, "major": 101, "minor": number} for number, (id_, name) in enumerate(LONG.items())])
    rig.remember([("cat", 0, "home", "Kitchen"), ("cat", 8, "away", None), ("cat", 12, "home", "Living room"), ("cat", 20, "home", "Bedroom")]
                 + [(f"long-{id_}", hour, "home", room) for number, id_ in enumerate(LONG) for hour, room in ((number, "Kitchen"), (12 + number, "Office"))])

    def travel(hour: int) -> None:
        page.run(f"""(() => {{ const at = document.querySelector('#at'); const day = new Date(); day.setDate(day.getDate() - 1); const two = (number) => String(number).padStart(2, '0');
            at.value = `${{day.getFullYear()}}-${{two(day.getMonth() + 1)}}-${{two(day.getDate())}}T{hour:02}:30`; at.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()""")

    def is_in(room: str) -> str:
        """Whether the cat's mark is in the room."""
        return f"""((dot, room) => {{ const box = dot?.getBoundingClientRect(); const area = document.querySelector('.history .planview svg').getBoundingClientRect();
            return box && room.isPointInFill(new DOMPoint(box.left + box.width / 2 - area.left, box.top + box.height / 2 - area.top)); }})(document.querySelector('.history .mark[data-id=cat]:not(.leaving) .dot'), document.querySelector('.history .room[data-room="{room}"]'))"""

    for size, options in (*SIZES.items(), ("wide", {"width": 1400, "height": 900})):
        page = rig.open("#/history", calm=True, **options)
        page.wait("rows and the plan", "document.querySelectorAll('.dayrow').length > 5 && document.querySelectorAll('.history .planview .room').length === 5")
        travel(6)
        page.wait("the cat in the kitchen", is_in("Kitchen"), 20)
        travel(9)
        page.wait("the cat away", "!document.querySelector('.history .mark[data-id=cat]:not(.leaving)') && document.querySelector('.dayrow[data-id=cat] .place').textContent === 'Away'", 20)
        travel(15)
        page.wait("the cat in the living room", is_in("Living room"), 20)
        page.wait("rooms in the strip", "[...document.querySelectorAll('.dayrow[data-id=cat] .named span')].map((name) => name.textContent).join() === 'Kitchen,Living room,Bedroom'")
        if size != "phone":
            check(page.run("[...document.querySelectorAll('.dayrow[data-id=cat] .named span')].every((name) => name.scrollWidth <= name.clientWidth)"), "a name of a room is cut")
        page.wait("its name beside it", "document.querySelector('.history .mark[data-id=cat] .label').getAttribute('x')")
        page.screenshot(rig.shots / f"past-{size}.png")
        rig.close(page)
    page = rig.open("#/history")
    page.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(rig.site.folder))
    page.wait("rows", "document.querySelectorAll('.dayrow').length > 5")
    travel(15)
    page.run("(() => { const field = document.querySelector('.history [type=search]'); field.value = 'cat'; field.dispatchEvent(new Event('input')); })()")
    page.wait("one row, and its mark alone", "document.querySelectorAll('.dayrow').length === 1 && document.querySelectorAll('.history .mark:not(.dimmed, .leaving)').length === 1")
    page.click(".history .foot button")
    yesterday = datetime.date.today() - datetime.timedelta(days=1)
    table = wait_for("the table", lambda: next(iter(rig.site.folder.glob(f"history-{yesterday}.csv")), None)).read_text().splitlines()
    check(f"cat,Cat,away,,{yesterday} 08:00:00,{yesterday} 12:00:00,14400" in table and all(line.startswith("cat,") for line in table[1:]), f"the table has {table[:3]}")
    page.run("location.hash = '#/items/cat'")
    page.wait("the time away", "[...document.querySelectorAll('.spent .bar-row')].some((row) => row.matches('.away') && row.textContent.startsWith('Away4 h'))")
    page.click(".timeline [aria-label='Previous day']")
    page.wait("rooms in the strip", "[...document.querySelectorAll('.timeline .named span')].some((name) => name.textContent === 'Kitchen')")
    page.screenshot(rig.shots / "past-item-light.png")
    page.click(".timeline p button")
    table = wait_for("the item's table", lambda: next(iter(rig.site.folder.glob("cat.csv")), None)).read_text().splitlines()
    check(len(table) > 4 and all(line.startswith("cat,Cat,") for line in table[1:]), f"the item's table has {table[:3]}")
    rig.close(page)
    for id_ in LONG:
        rig.change("DELETE", f"items/long-{id_}?past=true", None)


def surveys(rig: Rig) -> None:
    """a survey shows its progress, can be cancelled, ends with a verdict, and with a word if the aggregator was killed meanwhile"""
    if not rig.has("surveys"):
        raise Skipped("this server has no surveys")
    rig.hear("office", m8=-40)
    page = rig.open("#/manage")
    page.wait("the item to be home", "[...document.querySelectorAll('#survey-item option')].some((option) => option.value === 'ukulele')")

    def choose(room: str) -> None:
        page.run(f"""(() => {{ document.querySelector('#survey-item').value = 'ukulele'; const select = document.querySelector('#survey-room'); select.value = '{room}';
            select.dispatchEvent(new Event('change', {{ bubbles: true }})); }})()""")

    check(page.run("document.querySelector('.inline .main').ariaDisabled && !document.querySelector('#survey-item').value"), "the survey has chosen an item")
    page.wait("the room of the item", "forgetmenot.items.get('ukulele')?.room === 'Office'", 60)
    choose("Bedroom")
    page.wait("the warning", "document.querySelector('.inline + .problem').textContent.includes('Is it really in Bedroom?')")
    choose("Office")
    page.wait("no warning", "!document.querySelector('.inline + .problem').textContent")
    page.run("document.querySelector('.inline .main').focus()")
    page.key("Enter")
    page.wait("the progress", "document.querySelector('.progress')?.textContent.includes('Walk around in Office')")
    page.wait("what is received", "document.querySelector('.progress').textContent.includes('Received best in Office')", 30)
    check(page.run("document.activeElement.matches('.inline .main')"), "a button that works loses the focus")
    for presence in ("away", "unknown"):
        page.run(f"forgetmenot.apply('item', {{ ...forgetmenot.items.get('ukulele'), presence: '{presence}' }}); new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        check(page.run("document.querySelector('#survey-item').value") == "ukulele", f"the item of the survey is not listed while it is {presence}")
    page.focus_by_tab(".progress button")
    page.key("Enter")
    page.wait("the end, with the focus on the button that begins", "document.activeElement.matches('.inline .main') && document.querySelector('.progress').hidden && !document.querySelector('.inline .main').ariaDisabled")
    page.run("document.querySelector('#survey-length').value = '30'")
    page.click(".inline .main")
    page.wait("the verdict", "document.querySelector('.verdict').textContent.startsWith('Office is surveyed')", 60)
    page.wait("the survey in the list", "[...document.querySelectorAll('.surveyed li')].some((survey) => survey.textContent.includes('Office'))")
    page.screenshot(rig.shots / "survey-light.png")
    for key in ("Escape", "Enter"):
        page.focus_by_tab(".surveyed button")
        page.key("Enter")
        page.wait("the question, which Enter does not answer by yes", "document.activeElement?.matches('dialog button:not(.danger)')")
        page.key(key)
        page.wait("no question", "!document.querySelector('dialog') && document.activeElement?.matches('.surveyed button')")
    page.key("Enter")
    page.click("dialog .danger")
    page.wait("the survey to be forgotten", "document.querySelectorAll('.surveyed li').length === 0 && document.activeElement?.closest('section')?.querySelector('.surveyed')")
    # An aggregator that was killed knows nothing of it.
    page.expected += ["ERR_", "api/v1/"]
    for _ in range(2):
        page.wait("the item to be home", "((item) => item?.presence === 'home' && !document.querySelector('.inline .main').ariaDisabled)(forgetmenot.items.get('ukulele'))", 90)
        page.click(".inline .main")
        page.wait("the progress", "!document.querySelector('.progress').hidden")
        rig.site.aggregator.end(9)
        rig.start_aggregator()
        page.wait("the end", "document.querySelector('.progress').hidden && document.querySelector('.verdict').textContent.includes('restarted')", 90)
        page.wait("the button", "!document.querySelector('.inline .main').ariaDisabled")
    rig.close(page)


def advises(rig: Rig) -> None:
    """the page shows which rooms are confused, and shows each move of a gateway on the plan"""
    page = rig.open("#/gateways")
    page.wait("the advice", "document.querySelectorAll('.advice li').length > 0 && !document.querySelector('.advice .none')")
    page.run("document.querySelector('.advice').scrollIntoView()")
    sentences = page.run("[...document.querySelectorAll('.advice li')].filter((one) => one.textContent.startsWith('Move ')).length")
    page.wait("a mark for each move", f"document.querySelectorAll('.page .move').length === {sentences}")
    page.screenshot(rig.shots / "placement-light.png")
    rig.close(page)


def shows_gateways(rig: Rig) -> None:
    """each gateway has a view with its health, its version and what it receives best; a gateway on the first view leads there"""
    rig.hear("office", m8=-40)
    page = rig.open()
    page.wait("the item", "document.querySelector('.health a[href$=office]') && forgetmenot.items.get('ukulele')?.gateway === 'office'", 90)
    page.click(".health a[href$=office]")
    card = "document.querySelector('.gatewaycards li[data-id=office]')"
    page.wait("the gateway, with the focus", f"document.activeElement === {card}?.querySelector('h2') && document.title.startsWith('Gateways')")
    page.wait("what it receives", f"""((row) => row?.href.endsWith('#/items/ukulele') && row.parentNode.textContent.includes('−40 dBm'))({card}.querySelector('.received a'))""")
    check(page.run("((all) => all.length > 2 && new Set(all).size === all.length)([...document.querySelectorAll('.received a')].map((one) => one.href))"), "two gateways receive one item best")
    version = rig.api("site")["version"]
    check(page.run(f"{card}.querySelector('.facts').textContent").startswith(f"Version{version}Adapter"), "the card has no version")
    page.run("forgetmenot.apply('site', { ...forgetmenot.state.site, version: '9.9.9' })")
    page.wait("the other version", f"{card}.querySelector('.facts').textContent.includes('the aggregator has 9.9.9')")
    page.run("""forgetmenot.apply('gateway', { ...forgetmenot.gateways.get('office'), alive: false, last_info_at: new Date().toISOString() })""")
    page.wait("the gateway that is down to be first, as nobody uses it", f"(document.activeElement.blur(), forgetmenot.apply('gateways', [...forgetmenot.gateways.values()]), document.querySelector('.gatewaycards li') === {card} && {card}.textContent.includes('Offline'))")
    page.run("forgetmenot.apply('gateway_removed', { id: 'office' })")
    page.wait("no card", f"!{card}")
    # Addresses that somebody typed.
    for gateway in ("kitchen", "hall"):
        page.run(f"location.hash = '#/gateways/{gateway}'")
        page.wait("the gateway, with the focus", f"document.activeElement?.closest('li')?.dataset.id === '{gateway}'", 10)
    for gateway in ("hall", "kitchen"):
        page.run(f"location.hash = '#/gateways/{gateway}'; location.reload()")
        page.wait("the gateway, with the focus, in a page that was loaded anew", f"!window.isTheSamePage && document.activeElement?.closest('li')?.dataset.id === '{gateway}'", 10)
        page.run("window.isTheSamePage = true")
    page.run("location.hash = '#/items/%'")
    page.wait("that there is no such item", "document.querySelector('.detail h2')?.textContent === 'There is no such item'", 10)
    rig.close(page)


def choose_picture(page: Page, width: int, height: int, filled: int) -> None:
    """Gives the editor a picture of that size in px, black up to `filled`: another one for each width."""
    page.run(f"""(async () => {{
        const canvas = new OffscreenCanvas({width}, {height});
        canvas.getContext('2d').fillRect(0, 0, {filled}, {height});
        const chosen = new DataTransfer();
        chosen.items.add(new File([await canvas.convertToBlob()], 'floor.png', {{ type: 'image/png' }}));
        const input = document.querySelector('#picture');
        input.files = chosen.files;
        input.dispatchEvent(new Event('change'));
    }})()""")


def draws(rig: Rig) -> None:
    """the plan editor moves corners and gateways by mouse and by keyboard, draws rooms, makes doors, sets the scale by two points, and undoes"""
    page = rig.open("#/plan")
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    office = "forgetmenot.editor.plan().floors[0].rooms.find((room) => room.name === 'Office')"

    def at(x: float, y: float) -> tuple[float, float]:
        """A point of the plan, on the screen."""
        return tuple(page.run(f"""(() => {{ const [x, y] = forgetmenot.editor.pixel([{x}, {y}]); const box = document.querySelector('.canvas svg').getBoundingClientRect();
            return [x + box.left, y + box.top]; }})()"""))

    gateway = "forgetmenot.editor.plan().gateways.find((one) => one.id === 'living')"
    page.drag(at(1.0, 4.5), at(2.0, 3.5))
    page.wait("the gateway's new place", f"Math.abs({gateway}.x_m - 2) < 0.1 && Math.abs({gateway}.y_m - 3.5) < 0.1")
    page.focus_by_tab("[aria-label^='Gateway living']", 80)
    before = page.run(f"{gateway}.x_m")
    page.key("ArrowRight", "ArrowRight")
    check(abs(page.run(f"{gateway}.x_m") - before - 0.1) < 0.001, "two presses are not 10 cm")
    check(page.run("document.activeElement.dataset.handle?.startsWith('gateway')"), "the focus is lost")
    corner = page.run(f"{office}.polygon_m[2]")
    page.drag(at(*corner), at(corner[0] + 1, corner[1] + 1))
    page.wait("the corner's new place", f"{office}.polygon_m[2][0] > {corner[0] + 0.9}")
    page.click(".toolbar [data-tool=room]")
    for x, y in ((corner[0], -3.27), (corner[0] + 2, -3.27), (corner[0] + 2, 0), (corner[0], 0)):
        page.click_at(*at(x, y))
    page.key("Enter")
    page.wait("a new room", "forgetmenot.editor.plan().floors[0].rooms.length === 6 && document.activeElement.matches('.roomrow.chosen input')")
    page.type("Larder")
    page.key("Enter")
    page.wait("its name", "forgetmenot.editor.plan().floors[0].rooms[5].name === 'Larder'")
    page.click(".toolbar [data-tool=door]")
    page.click_at(*at(corner[0], -1.5))
    page.wait("a door", "forgetmenot.editor.plan().doors.some((door) => door.between.includes('Larder') && door.between.includes('Kitchen'))")
    text = page.run("import('./assets/drawing.js').then((drawing) => drawing.toml(forgetmenot.editor.plan(), () => null))")
    check('name = "Larder"' in text and text.count("[[door]]") == 6, f"the tables for aggregator.toml lack the room: {text[-300:]}")
    for _ in range(3):
        page.click(".pagehead .buttons button")
    page.wait("the room to be undone", "forgetmenot.editor.plan().floors[0].rooms.length === 5")
    page.screenshot(rig.shots / "plan-light.png")
    # Its corners, which the undo has brought back.
    page.key("Escape")
    # A picture of 400 x 200 px, as wide as the plan; then two points that are 10 m apart.
    choose_picture(page, 400, 200, filled=400)
    page.wait("the scale tool", "document.querySelector('.canvas image') && document.querySelector('.canvas svg').dataset.tool === 'scale'")
    width = page.run("Number(document.querySelector('.canvas image').getAttribute('width')) / (forgetmenot.editor.pixel([1, 0])[0] - forgetmenot.editor.pixel([0, 0])[0])")
    page.click_at(*at(1, 0))
    page.click_at(*at(6, 0))
    page.wait("the question", "document.activeElement?.id === 'metres'")
    page.type("10")
    page.key("Enter")
    def is_wide(factor: int) -> str:
        return f"Math.abs(Number(document.querySelector('.canvas image')?.getAttribute('width')) / (forgetmenot.editor.pixel([1, 0])[0] - forgetmenot.editor.pixel([0, 0])[0]) - {factor * width}) < 0.1"

    page.wait("twice the width", is_wide(2))
    # The picture is undone and made again; a click on what can be dragged is no change.
    undo, redo = ".pagehead .buttons button", ".pagehead .buttons button:nth-child(2)"
    for _ in range(2):
        page.click(undo)
        page.wait("the width as before", is_wide(1))
        page.click(undo)
        page.wait("no picture", "!document.querySelector('.canvas image') && document.querySelector('.canvas svg').dataset.tool === 'move'")
        page.click("[aria-label^='Gateway living']")
        page.click(redo)
        page.wait("the picture", is_wide(1))
        page.click("[aria-label^='Gateway living']")
        page.click(redo)
        page.wait("twice the width", is_wide(2))
    # A room that was renamed gets a door under its new name.
    doors = "forgetmenot.editor.plan().doors.filter((door) => door.between.includes('Lobby') && door.between.includes('Kitchen')).length"
    page.run("(() => { const name = document.querySelector('[aria-label=\"Name of Hall\"]'); name.value = 'Lobby'; name.dispatchEvent(new Event('change', { bubbles: true })); })()")
    before = page.run(doors)
    page.run("(() => { for (const [which, room] of [['from', 'Lobby'], ['to', 'Kitchen']]) document.querySelector(`[aria-label='Door ${which}']`).value = room; })()")
    page.click("[aria-label=Doors] button")
    page.wait("another door", f"{doors} === {before + 1} && document.querySelector('[aria-label=\"Remove Lobby\"]')")
    rig.close(page)


def draws_by_size(rig: Rig) -> None:
    """a rectangle is drawn by mouse, again without choosing the tool anew, and by a typed size; sizes, redo, corners by keyboard and a basement"""
    floor = "forgetmenot.editor.plan().floors[0]"
    for size, options in (*SIZES.items(), ("wide", {"width": 1400, "height": 900})):
        page = rig.open("#/plan", calm=True, **options)
        page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
        for turn in range(2):
            page.click(".toolbar [aria-label=Smaller]")
        page.run("document.querySelector('.toolbar [data-tool=move]').focus()")
        for tool in ("rectangle", "room", "rectangle"):
            page.focus_by_tab(f".toolbar [data-tool={tool}]", 80)
            page.key("Enter")
            page.wait("the tool, with the focus", f"document.querySelector('.canvas svg').dataset.tool === '{tool}' && document.activeElement.dataset.tool === '{tool}'", 5)
        for number, (x, y) in enumerate(((-2.5, 5), (-2.5, 2))):
            start, end = (tuple(page.run(f"""(() => {{ const [x, y] = forgetmenot.editor.pixel([{a}, {b}]); const box = document.querySelector('.canvas svg').getBoundingClientRect(); return [x + box.left, y + box.top]; }})()"""))
                          for a, b in ((x, y), (x + 2, y - 2)))
            page.drag(start, end)
            page.wait("a room, whose name has the focus", f"{floor}.rooms.length === {6 + number} && document.activeElement.matches('.roomrow.chosen input')")
            box = page.run(f"{floor}.rooms.at(-1).polygon_m")
            check(len(box) == 4 and all(abs(a - b) < 0.3 for a, b in zip((box[0][0], box[2][0], box[0][1], box[2][1]), (x, x + 2, y - 2, y))), f"the rectangle has the corners {box}")
            check(page.run("document.querySelector('.canvas svg').dataset.tool") == "rectangle", "the tool is no longer chosen")
            page.run("document.activeElement.blur(); scrollTo(0, 0)")
        page.run("document.querySelector('.roomrow input[placeholder]').focus()")
        page.type("4")
        page.key("Enter")
        page.wait("the refusal", "document.getElementById('toasts').textContent.includes('width x height')")
        page.type(" x 3,5 m")
        page.key("Enter")
        page.wait("another room", f"{floor}.rooms.length === 8")
        name = page.run(f"{floor}.rooms.at(-1).name")
        field = f"document.querySelector('[aria-label={json.dumps(f'Size of {name} in metres')}]')"
        check(page.run(f"{field}.value") == "4 x 3.5", f"the new room has the size {page.run(f'{field}.value')}")
        page.run(f"{field}.select(); {field}.focus()")
        page.type("2 x 1.5 m")
        page.key("Enter")
        page.wait("the other size", f"((all) => Math.abs(Math.max(...all.map(([x]) => x)) - Math.min(...all.map(([x]) => x)) - 2) < 0.001)({floor}.rooms.at(-1).polygon_m)")
        page.click(".pagehead .buttons button")
        page.wait("the former size", f"{field}.value === '4 x 3.5'")
        page.click(".pagehead .buttons button:nth-child(2)")
        page.wait("the other size again", f"{field}.value === '2 x 1.5'")
        # A press right after a size was typed gets through.
        for turn in range(2):
            page.run(f"{field}.select(); {field}.focus()")
            page.type("3 x 2")
            page.click_at(*page.middle(f"[aria-label={json.dumps('Remove ' + page.run(f'{floor}.rooms[5].name'))}]"))
            page.wait("the size, and a room less", f"{floor}.rooms.length === 7 && {field}.value === '3 x 2'", 5)
            for _ in range(2):
                page.click(".pagehead .buttons button")
            page.wait("all rooms and the former size", f"{floor}.rooms.length === 8 && {field}.value === '2 x 1.5'", 5)
        page.screenshot(rig.shots / f"sizes-{size}.png")
        page.click(".toolbar [data-tool=move]")
        page.focus_by_tab(f"[data-handle^=corner][aria-label*={json.dumps(name)}]", 120)
        page.key("Insert")
        page.wait("a fifth corner, with the focus", f"{floor}.rooms.at(-1).polygon_m.length === 5 && document.activeElement.dataset.handle === 'corner 7 1'")
        page.key("Backspace")
        page.wait("four corners", f"{floor}.rooms.at(-1).polygon_m.length === 4")
        # By button, as a touch screen has no such keys.
        for turn in range(2):
            page.run("document.querySelector('.canvas').scrollIntoView({ block: 'center' })")
            page.click("[data-handle='corner 7 0']")
            page.wait("the name of the corner", f"document.querySelector('.held').textContent.includes({json.dumps(f'Corner 1 of {name}')})")
            page.click(".held .small:not(.danger)")
            page.wait("a fifth corner, which is chosen", f"{floor}.rooms.at(-1).polygon_m.length === 5 && document.querySelector('.held').textContent.startsWith('Corner 2')")
            page.run("document.getElementById('toasts').replaceChildren()")
            page.screenshot(rig.shots / f"held-{size}.png")
            page.click(".held .danger")
            page.wait("four corners", f"{floor}.rooms.at(-1).polygon_m.length === 4")
        page.click("[aria-label^='Gateway living']")
        page.wait("no button for a corner", "document.querySelector('.held .small:not(.danger)').hidden")
        page.click(".held .danger")
        page.wait("no gateway, and no buttons", "!forgetmenot.editor.plan().gateways.some((one) => one.id === 'living') && document.querySelector('.held').hidden")
        page.run("(() => { const select = document.querySelector('#floor'); select.value = 'below'; select.dispatchEvent(new Event('change', { bubbles: true })); })()")
        page.wait("the basement", "document.querySelector('#floor').selectedOptions[0].textContent === 'Basement' && !document.querySelector('.canvas .room')")
        for name, shown in (("Vault", "Vault"), ("", "Basement")) * 2:
            page.run("document.querySelector('[aria-label=\"Name of the floor\"]').select()")
            page.type(name) if name else page.key("Backspace")
            page.key("Enter")
            page.wait(f"the floor's name {shown}", f"document.querySelector('#floor').selectedOptions[0].textContent === '{shown}'")
        page.click(".pagehead .discard")
        page.wait("the stored plan", f"{floor}.rooms.length === 5")
        if size == "light":
            # A basement is stored, shown, and removed again.
            plan = rig.api("plan")
            page.run("location.hash = '#/'")
            page.wait("the other view", "!document.querySelector('.canvas')")
            rig.change("PUT", "plan", {**plan, "floors": [{"floor": -1, "name": "Vault", "rooms": [{"name": "Cellar", "polygon_m": [[0, 0], [4, 0], [4, 3], [0, 3]]}]}, *plan["floors"]]})
            page.wait("the floor", "[...document.querySelectorAll('.floors button span')].map((one) => one.textContent).join() === 'Vault,Ground floor'")
            page.click(".floors button")
            page.wait("the cellar", "document.querySelectorAll('.planview .room').length === 1")
            page.screenshot(rig.shots / "basement-light.png")
            rig.change("PUT", "plan", plan)
            page.wait("the plan as before", "document.querySelectorAll('.planview .room').length === 5")
        rig.close(page)


def zooms(rig: Rig) -> None:
    """every plan zooms by wheel and by two fingers around the point between them, is moved then, and a drag opens no item; a button shows the whole plan"""
    width = "document.querySelector('{} .room').getBoundingClientRect().width"
    middle = "((box) => [box.left + box.width / 2, box.top + box.height / 2])(document.querySelector('{}').getBoundingClientRect())"
    plans = {"#/": ".planbox", "#/history": ".history .planbox", "#/plan": ".canvas"}
    for size in ("light", "phone"):
        for hash_, where in plans.items():
            page = rig.open(hash_, calm=True, **SIZES[size])
            page.wait("the plan", f"document.querySelectorAll('{where} .room').length === 5")
            page.run(f"document.querySelector('{where}').scrollIntoView({{ block: 'center' }})")
            x, y = page.run(middle.format(where))
            before = page.run(width.format(where))
            for turn in range(2):
                if size == "phone":
                    page.pinch((x, y), 60, 160)
                else:
                    page.wheel(x, y, -240)
                page.wait("a larger plan", f"{width.format(where)} > {before * (1.4 + 0.5 * turn)}")
            check(page.run("scrollX === 0 && (visualViewport?.scale ?? 1) === 1"), "the page itself is zoomed")
            if where == ".canvas":
                rig.close(page)
                continue
            left = page.run(f"document.querySelector('{where} .room').getBoundingClientRect().left")
            page.drag((x, y), (x + 50, y + 20))
            page.wait("the plan to be moved", f"document.querySelector('{where} .room').getBoundingClientRect().left > {left + 30}")
            check(page.run("location.hash") == hash_ and not page.run("document.querySelector('.choices select')?.value"), "a drag has opened an item, or chosen a room")
            page.screenshot(rig.shots / f"zoomed-{'now' if hash_ == '#/' else 'history'}-{size}.png")
            page.click(f"{where} .whole")
            page.wait("the whole plan", f"Math.abs({width.format(where)} - {before}) < 1 && document.querySelector('{where} .whole').hidden")
            rig.close(page)
    # Two fingers draw nothing.
    page = rig.open("#/plan", calm=True, **SIZES["phone"])
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    text = page.run("JSON.stringify(forgetmenot.editor.plan())")
    for tool in ("room", "door", "rectangle", "move"):
        page.click(f".toolbar [data-tool={tool}]")
        page.pinch(page.run(middle.format(".canvas")), 60, 120)
        check(page.run("JSON.stringify(forgetmenot.editor.plan())") == text and not page.run("!!document.querySelector('.canvas .draft')"), f"two fingers draw with the tool {tool}")
    rig.close(page)


def saves(rig: Rig) -> None:
    """a plan with a picture is saved by mouse, keyboard and touch, is refused in a sentence if it cannot be, and survives a restart"""
    def gateway() -> dict:
        return next(one for one in rig.api("plan")["gateways"] if one["id"] == "living")

    page = rig.open("#/plan")
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    page.run("""(async () => {
        const canvas = new OffscreenCanvas(800, 860);
        const context = canvas.getContext('2d');
        context.fillStyle = '#fff'; context.fillRect(0, 0, 800, 860);
        context.strokeStyle = '#444'; context.lineWidth = 6;
        for (let step = 0; step < 9; step++) context.strokeRect(30 + 84 * step, 40 + 84 * step, 50, 50);
        const chosen = new DataTransfer();
        chosen.items.add(new File([await canvas.convertToBlob()], 'floor.png', { type: 'image/png' }));
        const input = document.querySelector('#picture');
        input.files = chosen.files;
        input.dispatchEvent(new Event('change'));
    })()""")
    page.wait("the picture", "document.querySelector('.canvas image')")
    page.key("Escape")
    page.screenshot(rig.shots / "picture-light.png")
    page.click(".pagehead .main")
    page.wait("the plan with its picture", "location.hash === '#/' && document.querySelector('.planview image')")
    name = rig.api("plan")["pictures"][0]["name"]
    page.wait("the picture to be shown", "new Promise((done) => { const image = new Image(); image.onload = () => done(image.naturalWidth === 800); image.src = document.querySelector('.planview image').getAttribute('href'); })")
    page.screenshot(rig.shots / "pictured-light.png")
    # A room that covers another.
    page.run("location.hash = '#/plan'")
    page.wait("the picture, from the server", "document.querySelector('.canvas image')?.getAttribute('href').includes('api/v1/plan/pictures/')")
    page.expected.append("api/v1/plan")
    # At once: the editor, to which nothing was changed by hand, takes up the plan anew as soon as the aggregator has.
    page.run("forgetmenot.editor.plan().floors[0].rooms[0].polygon_m = [[0, 0], [5, 0], [5, 3], [0, 3]]; document.querySelector('.pagehead .main').click()")
    page.wait("the refusal", "document.querySelector('.toast[data-kind=problem]')?.textContent.includes('overlaps')")
    check(rig.api("plan")["pictures"][0]["name"] == name, "a plan that was refused is stored")
    rig.close(page)
    before = gateway()
    # The editor begins with the plan that the first view has drawn.
    page = rig.open()
    page.wait("the plan with its names", "document.querySelectorAll('.planview .roomname').length === 5")
    page.run("location.hash = '#/plan'")
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    page.focus_by_tab("[aria-label^='Gateway living']", 80)
    page.key("ArrowRight", "ArrowRight")
    page.focus_by_tab(".pagehead .main", 120)
    page.key("Enter")
    page.wait("the view of the plan", "location.hash === '#/'")
    wait_for("the gateway's new place", lambda: abs(gateway()["x_m"] - before["x_m"] - 0.1) < 0.001)
    rig.close(page)
    before = gateway()
    page = rig.open("#/plan", **SIZES["phone"])
    page.wait("the plan with its picture, which adds a tool", "document.querySelectorAll('.canvas .room').length === 5 && document.querySelector('.canvas image')")
    start = page.run("""(() => { const box = document.querySelector("[aria-label^='Gateway living'] .reach").getBoundingClientRect();
        return [box.left + box.width / 2, box.top + box.height / 2, box.width]; })()""")
    check(start[2] >= 24, f"a gateway is {start[2]} px wide to touch")
    page.drag(start[:2], (start[0] + 20, start[1]))
    page.wait("the gateway to move", f"forgetmenot.editor.plan().gateways.find((one) => one.id === 'living').x_m > {before['x_m'] + 0.1}")
    # At once: Chromium often swallows the tap after a drag.
    page.click(".pagehead .main")
    page.wait("the view of the plan", "location.hash === '#/'")
    wait_for("the gateway's new place", lambda: gateway()["x_m"] > before["x_m"] + 0.1)
    rig.close(page)
    stored = rig.api("plan")
    rig.site.aggregator.end()
    rig.start_aggregator()
    wait_for("the page", rig.is_up)
    check(rig.api("plan") == stored, "the plan differs after a restart")


def meets_another_editor(rig: Rig) -> None:
    """a plan that somebody else saved meanwhile is not overwritten: the editor offers to load it, each time"""
    page = rig.open("#/plan")
    page.expected.append("api/v1/plan")
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    place = "forgetmenot.editor.plan().gateways.find((one) => one.id === 'living').x_m"
    for turn in range(2):
        page.run(f"{place} += 0.2")
        mine = page.run(place)
        theirs = rig.api("plan")
        next(one for one in theirs["gateways"] if one["id"] == "living")["y_m"] += 0.1
        rig.change("PUT", "plan", theirs)
        page.wait("the other plan", f"forgetmenot.state.site.plan.gateways.find((one) => one.id === 'living').y_m > {next(one for one in theirs['gateways'] if one['id'] == 'living')['y_m'] - 0.01}")
        page.click(".pagehead .main")
        page.wait("the question", "document.querySelector('dialog h2')?.textContent.startsWith('Somebody else')")
        check(rig.api("plan") == theirs, "the other plan was overwritten")
        page.key("Enter")
        page.wait("the other plan", f"!document.querySelector('dialog') && {place} < {mine} - 0.1")
    # What was drawn is there to be saved, by somebody who knows of the other plan.
    page.run("[...document.querySelectorAll('.pagehead button')].find((one) => one.textContent === 'Undo').click()")
    page.wait("the own drawing", f"Math.abs({place} - {mine}) < 0.01")
    page.click(".pagehead .main")
    page.wait("the view of the plan", "location.hash === '#/'")
    rig.close(page)


def saves_again(rig: Rig) -> None:
    """who draws on while the plan is being saved saves that as well; a picture that another plan had deleted meanwhile is sent again"""
    page = rig.open("#/plan")
    page.expected.append("api/v1/plan")
    place = "forgetmenot.editor.plan().gateways.find((one) => one.id === 'living').x_m"
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    for _ in range(2):
        with rig.silence():
            page.run(f"{place} += 0.1")
            page.click(".pagehead .main")
            page.run(f"{place} += 0.1")
            drawn = page.run(place)
        page.wait("the word", "document.getElementById('toasts').textContent.includes('The plan is saved')")
        page.run("document.getElementById('toasts').replaceChildren()")
        page.run("location.hash = '#/plan'")
        page.wait("the drawing", f"document.querySelector('.pagehead .main') && {place} === {drawn}")
        page.click(".pagehead .main")
        page.wait("the view of the plan", "location.hash === '#/'")
        wait_for("the plan", lambda: abs(next(one for one in rig.api("plan")["gateways"] if one["id"] == "living")["x_m"] - drawn) < 0.01)
        page.run("document.getElementById('toasts').replaceChildren()")
        page.run("location.hash = '#/plan'")
        page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")

    def save_another() -> None:
        theirs = rig.api("plan")
        next(one for one in theirs["gateways"] if one["id"] == "living")["y_m"] += 0.1
        rig.change("PUT", "plan", theirs)
        page.wait("the other plan", f"Math.abs(forgetmenot.state.site.plan.gateways.find((one) => one.id === 'living').y_m - {next(one for one in rig.api('plan')['gateways'] if one['id'] == 'living')['y_m']}) < 0.001")

    stored = rig.api("plan").get("pictures") or []
    choose_picture(page, 40, 20, filled=20)
    page.wait("the picture", "document.querySelector('.canvas image')?.getAttribute('href')?.startsWith('blob:')")
    for key in ("Escape", "Enter"):
        # The refused save has stored the picture, and the next plan of somebody else has it deleted.
        save_another()
        page.click(".pagehead .main")
        page.wait("the question", "document.querySelector('dialog h2')?.textContent.startsWith('Somebody else')")
        page.key(key)
        page.wait("the answer", "!document.querySelector('dialog')")
        if key == "Escape":
            save_another()
    page.run("[...document.querySelectorAll('.pagehead button')].find((one) => one.textContent === 'Undo').click()")
    page.wait("the own drawing", "document.querySelector('.canvas image')?.getAttribute('href')?.startsWith('blob:')")
    page.click(".pagehead .main")
    page.wait("the view of the plan", "location.hash === '#/'")
    pictures = rig.api("plan")["pictures"]
    check(len(pictures) == 1 and pictures != stored, f"the plan has the pictures {pictures}")
    with urllib.request.urlopen(f"http://{rig.host}/api/v1/plan/pictures/{pictures[0]['name']}", timeout=20) as answer:
        check(answer.status == 200, "the picture is not stored")
    # Who goes elsewhere while the server is silent about what it made of the plan stays there.
    page.run("""((real) => { window.fetch = (address, options) => (String(address).endsWith('api/v1/site')
        ? new Promise((_, fail) => options.signal.addEventListener('abort', () => fail(options.signal.reason))) : real(address, options)); })(fetch)""")
    for _ in range(2):
        page.run("document.getElementById('toasts').replaceChildren(), location.hash = '#/plan'")
        page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
        page.run(f"{place} += 0.1")
        drawn = page.run(place)
        page.click(".pagehead .main")
        wait_for("the plan", lambda: abs(next(one for one in rig.api("plan")["gateways"] if one["id"] == "living")["x_m"] - drawn) < 0.01)
        page.run("location.hash = '#/gateways'")
        page.wait("the word", "document.getElementById('toasts').textContent.includes('The plan is saved')", 20)
        page.wait("the view of the gateways", "location.hash === '#/gateways' && document.body.dataset.view === 'gateways'", 5)
    rig.close(page)


def invites(rig: Rig) -> None:
    """the line that invites a gateway is made of its room, as a shell takes it, and copied; readers have no such button"""
    page = rig.open("#/gateways")
    button = ".pagehead button"
    line = "document.querySelector('dialog code').textContent"
    for room, words in (("Wine cellar", "'Wine cellar'"), ("Küche", "Küche"), ("Anna's; reboot", "'Anna'\\''s; reboot'"), ("Kitchen", "--another Kitchen"), ("kitchen!", "--another 'kitchen!'"), ("-1", "-- '-1'")):
        page.wait("the button", f"document.querySelector('{button}:not([hidden])')")
        page.click(button)
        check(page.run("document.querySelector('dialog code').hidden && document.querySelector('dialog .main').disabled"), "there is a line for no room")
        page.type(room)
        page.wait(f"the line for {room}", f"{line} === {json.dumps('sudo forgetmenot gateways invite ' + words)}")
        typed = subprocess.run(["sh", "-c", f"printf '%s\\n' {page.run(line)}"], capture_output=True, text=True, check=True).stdout.split("\n")
        check(typed[-2] == room, f"a shell reads {typed}")
        check(page.run("document.querySelector('dialog label:has(input[type=checkbox])').hidden") == ("another" not in words), "the question whether it replaces a gateway")
        page.send("Browser.grantPermissions", origin=f"http://{rig.host}", permissions=["clipboardReadWrite", "clipboardSanitizedWrite"])
        page.key("Enter")
        page.wait("that it is copied", "document.querySelector('dialog [role=status]').textContent === 'The line is copied.'")
        check(page.run("navigator.clipboard.readText()") == page.run(line), "the clipboard has another line")
        # As on another machine without HTTPS.
        page.run("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true })")
        page.click("dialog .main")
        page.wait("the selected line", f"String(getSelection()) === {line} && document.querySelector('dialog [role=status]').textContent.includes('selected')")
        page.run("delete navigator.clipboard")
        page.click("dialog button:not(.main)")
        page.wait("no dialog, and the focus", f"!document.querySelector('dialog') && document.activeElement === document.querySelector('{button}')")
    page.click(button)
    page.type("Hall")
    for shown in ("Hall", "--another Hall"):
        page.click("dialog input[type=checkbox]")
        page.wait(f"the line {shown}", f"{line} === {json.dumps('sudo forgetmenot gateways invite ' + shown)}")
    page.key("Escape")
    page.wait("no dialog after one press, as nothing is lost", "!document.querySelector('dialog')", 10)
    page.run("forgetmenot.apply('site', { ...forgetmenot.state.site, role: 'reader' })")
    page.wait("no button for a reader", f"document.querySelector('{button}').hidden")
    rig.close(page)


def removes_gateways(rig: Rig) -> None:
    """a gateway that is gone is removed, also the second time, and the page shows the line that revokes its password; for one that is alive, only the line"""
    page = rig.open("#/gateways")
    card = "document.querySelector('.gatewaycards li[data-id=office]')"
    button = ".gatewaycards li[data-id=office] > button"
    line = "document.querySelector('dialog code')?.textContent === 'sudo forgetmenot gateways remove office'"
    for _ in range(2):
        page.wait("the gateway", f"{card}?.dataset.state === 'well'", 60)
        page.click(button)
        page.wait("the line", line)
        check(page.run("document.querySelector('dialog .danger') === null"), "a gateway that is alive can be removed")
        page.click("dialog button:not(.main)")
        page.wait("no dialog", "!document.querySelector('dialog')")
        rig.site.gateways["office"].end(9)
        page.wait("a gateway that is gone", f"{card}?.dataset.state === 'down'", 60)
        page.click(button)
        page.wait("the question", f"document.querySelector('dialog .danger') && !({line})")
        page.click("dialog .danger")
        page.wait("the line", line)
        page.wait("no such gateway", f"!{card}")
        check(all(one["id"] != "office" for one in rig.api("gateways")["gateways"]), "the gateway is still there")
        page.click("dialog button:not(.main)")
        page.wait("no dialog", "!document.querySelector('dialog')")
        page.run("location.hash = '#/'")
        page.wait("a plan without it", "document.querySelectorAll('.planview .gateway').length === 4", 10)
        rig.site.gateways["office"].start()
        page.wait("a plan with it", "document.querySelectorAll('.planview .gateway:not(.down)').length === 5", 60)
        page.run("location.hash = '#/gateways'")
    page.wait("the gateway", f"{card}?.dataset.state === 'well'", 60)
    page.run("forgetmenot.apply('site', { ...forgetmenot.state.site, role: 'reader' })")
    page.wait("no button for a reader", f"document.querySelector('{button}').hidden")
    rig.close(page)


def offsets(rig: Rig) -> None:
    """receiver offsets of gateways are set by mouse and by keyboard, and by touch they are automatic again"""
    def gateway(id_: str) -> dict:
        return next(one for one in rig.api("gateways")["gateways"] if one["id"] == id_)

    row = ".gatewaycards li[data-id={}]"
    page = rig.open("#/gateways")
    # What arrives later moves the rows below it.
    page.wait("what is received", VIEWS["gateways"][1])
    page.click(f"{row.format('kitchen')} input")
    page.type("-3.5")
    page.click(f"{row.format('kitchen')} button")
    page.wait("the offset", f"document.querySelector('{row.format('kitchen')}').textContent.includes('−3.5 dB, set here')")
    check(gateway("kitchen")["rssi_offset_db"] == -3.5, "the page shows an offset that the server does not have")
    page.focus_by_tab(f"{row.format('hall')} input", 120)
    page.type("2")
    page.key("Enter")
    page.wait("the other offset", f"document.querySelector('{row.format('hall')}').textContent.includes('+2 dB, set here')")
    check(page.run("document.activeElement?.closest('li')?.dataset.id === 'hall'"), "the focus is lost")
    page.focus_by_tab(f"{row.format('bedroom')} input", 120)
    page.type("77")
    page.key("Enter")
    check(page.run(f"!document.querySelector('{row.format('bedroom')} input').checkValidity()"), "77 dB is an offset")
    rig.close(page)
    page = rig.open("#/gateways", **SIZES["phone"])
    for id_ in ("kitchen", "hall"):
        page.click(f"{row.format(id_)} .quiet")
        page.wait("no offset", f"document.querySelector('{row.format(id_)}').textContent.includes('Automatic') && !document.querySelector('{row.format(id_)} .quiet')")
        check("rssi_offset_db" not in gateway(id_), "the server has an offset that the page does not show")
    rig.close(page)


def agrees(rig: Rig) -> None:
    """the mark of an item is in the room that the list names, also if the middle of what is likely is behind a wall"""
    page = rig.open(calm=True)
    page.wait("marks", VIEWS["now"][1])
    seen = """[...forgetmenot.items.values()].filter((item) => item.presence === 'home' && item.room && item.x_m != null).map((item) => {
        const [mark, room] = [forgetmenot.plan.position(item.item), document.querySelector(`.planview .room[data-room="${item.room}"]`)];
        return !mark || !room || room.isPointInFill(new DOMPoint(mark.tx + mark.dx, mark.ty + mark.dy)); })"""
    page.wait("every mark in its room", f"((all) => all.length > 2 && all.every(Boolean))({seen})")
    # An item whose point is in another room than the one that is reported.
    page.run("""(() => { const item = [...forgetmenot.items.values()].find((one) => one.room && one.x_m != null);
        const other = [['Office', [7, 4.8]], ['Kitchen', [6, 1]]].find(([room]) => room !== item.room)[1];
        forgetmenot.apply('item', { ...item, item: 'behind-a-wall', name: 'Behind a wall', x_m: other[0], y_m: other[1] }); })()""")
    page.wait("its mark in the reported room", f"forgetmenot.plan.position('behind-a-wall') && {seen}.every(Boolean)")
    rig.close(page)


def settles(rig: Rig) -> None:
    """a doubtful move shows once it has lasted, a clear one at once, and the mark goes through the doors"""
    page = rig.open()
    page.wait("the plan", "document.querySelectorAll('.planview .door').length === 5")
    # An item that no gateway receives: only this case moves it.
    page.run("""window.put = (room, confidence, other, at) => forgetmenot.apply('item', { item: 'wobbly', name: 'Wobbly', presence: 'home', room, confidence,
        rooms: { [room]: confidence, [other]: 1 - confidence }, floor: 0, x_m: at[0], y_m: at[1], accuracy_m: 1, uuid: '', major: 1, minor: 1 })""")
    room = "forgetmenot.items.get('wobbly').room"
    kitchen, office = "'Kitchen', {}, 'Office', [5, -2]", "'Office', {}, 'Kitchen', [6, 4]"
    page.run(f"put({kitchen.format(0.9)})")
    page.run(f"put({office.format(0.6)})")
    check(page.run(room) == "Kitchen", "a doubtful move shows at once")
    page.run(f"put({kitchen.format(0.6)}); put({office.format(0.7)})")
    check(page.run(room) == "Kitchen", "an item that moves to and fro is shown to do so")
    page.wait("the doubtful move to have lasted", f"{room} === 'Office'", 30)
    page.wait("the mark to arrive", "((p) => p && Math.hypot(p.x - p.tx, p.y - p.ty) < 1)(forgetmenot.plan.position('wobbly'))")
    page.run("""(() => { window.track = []; const look = () => { const p = forgetmenot.plan.position('wobbly'); if (p) track.push([p.x, p.y]); if (track.length < 5000) requestAnimationFrame(look); }; look(); })()""")
    page.run(f"put({kitchen.format(0.9)})")
    check(page.run(room) == "Kitchen", "a clear move does not show at once")
    page.wait("the mark to arrive", """((p) => track.length && Math.hypot(p.x - track[0][0], p.y - track[0][1]) > 40 && Math.hypot(p.x - p.tx, p.y - p.ty) < 1)(forgetmenot.plan.position('wobbly'))""")
    # The doors from the hall to the office and to the kitchen.
    far = page.run("""[1, 4].map((index) => { const door = document.querySelectorAll('.planview .door')[index]; const [x, y] = ['x', 'y'].map((axis) => (+door.getAttribute(`${axis}1`) + +door.getAttribute(`${axis}2`)) / 2);
        return Math.min(...track.map(([a, b]) => Math.hypot(a - x, b - y))); })""")
    check(max(far) < 25, f"the mark passes its doors at {far} px")
    # Where a machine draws one frame a second, the way takes few frames: each is told that a second is over.
    page.run("""(() => { track.length = 5000; let [now, drawn, from] = [performance.now(), 0, forgetmenot.plan.position('wobbly')];
        window.requestAnimationFrame = (draw) => setTimeout(() => { draw(now += 1000); drawn += 1; const p = forgetmenot.plan.position('wobbly');
            if (p && Math.hypot(p.x - from.x, p.y - from.y) > 40 && Math.hypot(p.x - p.tx, p.y - p.ty) < 1) window.arrivedWith ??= drawn; }); })()""")
    page.run(f"put({office.format(0.9)})")
    page.wait("the mark to arrive once more", "window.arrivedWith")
    check(page.run("arrivedWith") < 20, f"the mark needs {page.run('arrivedWith')} slow frames")
    page.run("forgetmenot.apply('item_removed', { item: 'wobbly' })")
    rig.close(page)


def heats(rig: Rig) -> None:
    """the time per room of an item is shown on the plan as a heat map"""
    page = rig.open("#/items/cat")
    page.wait("the time per room", "document.querySelector('.spent .bars > *') && !document.querySelector('.spent button').hidden")
    page.click(".spent button")
    page.wait("a warm room", "document.querySelector('.planview.heated') && [...document.querySelectorAll('.planview .room')].some((room) => Number(room.style.getPropertyValue('--heat')) === 1)")
    page.screenshot(rig.shots / "heat-light.png")
    page.click(".spent button")
    page.wait("the plan as before", "!document.querySelector('.planview.heated')")
    # The plan arrives later than the time per room.
    page.run("location.hash = '#/items/umbrella'")
    page.wait("the other item", "document.querySelector('.detail h2').textContent === 'Umbrella'")
    page.run("window.siteSeen = structuredClone(forgetmenot.state.site); forgetmenot.apply('site', { ...siteSeen, plan: null }); location.hash = '#/items/cat'")
    page.wait("no button without a plan", "document.querySelector('.detail h2').textContent === 'Cat' && document.querySelector('.spent .bar-track') && document.querySelector('.spent button').hidden")
    page.run("forgetmenot.apply('site', siteSeen)")
    page.wait("the button", "!document.querySelector('.spent button').hidden", 10)
    # Another item does not inherit it.
    page.click(".spent button")
    page.wait("the plan with it", "document.querySelector('.planview.heated')")
    page.run("location.hash = '#/items/passport'")
    page.wait("the other item without it", "document.querySelector('.detail h2').textContent === 'Passport' && !document.querySelector('.planview.heated')", 10)
    rig.close(page)
    for size in ("phone", "dark"):
        page = rig.open("#/items/cat", calm=True, **SIZES[size])
        page.wait("the time per room", "document.querySelector('.spent .bars > *') && !document.querySelector('.spent button').hidden")
        for turn in range(2):
            # An item that is certain has the colour of the rooms; another one is at its place.
            page.click(".spent button")
            page.wait("a warm room", "document.querySelector('.planview.heated')")
            # The server may move the item meanwhile.
            page.wait("the item in view, on top, in another colour than the rooms", """(() => { for (const more of [{}, { item: 'zebra', name: 'Zebra' }])
                    forgetmenot.apply('item', { ...forgetmenot.items.get('cat'), presence: 'home', room: 'Kitchen', confidence: 1, x_m: 6, y_m: -1.5, floor: 0, ...more });
                const dot = document.querySelector('.mark.selected .dot'); const box = dot?.getBoundingClientRect();
                if (!box || box.top < 56 || box.bottom > innerHeight - 60) return false;
                const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
                return dot.parentNode.contains(top) && getComputedStyle(dot).fill !== getComputedStyle(document.querySelector('.spent .bar-track i')).backgroundColor; })()""", 10)
            page.screenshot(rig.shots / f"heat-{size}.png")
            page.click(".spent button")
            page.wait("the plan as before", "!document.querySelector('.planview.heated')")
        rig.close(page)


# Known work, which a processor that is slow or busy slows down just as much.
PLAIN = "data:text/html,<!doctype html><body><script>document.body.innerHTML='<p>A paragraph of a plain page</p>'.repeat(4000)</script>"


def is_quick(rig: Rig) -> None:
    """the first view takes less than twice the time of the page's thread that a plain page of 4,000 paragraphs takes"""
    def first_view() -> float:
        return thread_seconds(rig, f"http://{rig.host}/", "document.querySelector('.row .name') && document.body?.dataset.live === 'live'")
    # In turn, so that both meet the same machine; the least of five each, as others share the processor's caches.
    views, plain = zip(*((first_view(), thread_seconds(rig, PLAIN, "document.querySelectorAll('p').length === 4000")) for _ in range(5)))
    check(0 < min(views) < 2 * min(plain), f"the first view takes {min(views):.3f} s, the plain page {min(plain):.3f} s")


def thread_seconds(rig: Rig, address: str, is_there: str) -> float:
    """The seconds of the page's thread until a page is there."""
    page = rig.browser.page()
    rig.pages.append(page)
    page.emulate()
    page.send("Network.setCacheDisabled", cacheDisabled=True)
    page.send("Network.setBypassServiceWorker", bypass=True)
    page.send("Performance.disable")
    page.send("Performance.enable", timeDomain="threadTicks")
    page.send("Page.addScriptToEvaluateOnNewDocument", source=f"""(() => {{ const look = () => {{
        if ({is_there}) requestAnimationFrame(() => setTimeout(() => window.isThere = true)); else requestAnimationFrame(look); }};
        requestAnimationFrame(look); }})()""")
    page.open(address)
    page.wait("the page", "window.isThere")
    metrics = {one["name"]: one["value"] for one in page.send("Performance.getMetrics")["metrics"]}
    rig.close(page)
    print(f"# {metrics['TaskDuration']:.3f} s of the thread, {metrics['ScriptDuration']:.3f} s of them for scripts: {address[:30]}")
    return metrics["TaskDuration"]


# Has a page note the formatters that it makes before its first row, the sizes in which it draws the plan, and how often it asks in a frame whether something scrolls.
NOTED = """
    [window.made, window.sizes, window.asked] = [[], [], 0];
    for (const kind of ['DateTimeFormat', 'NumberFormat'])
        Intl[kind] = new Proxy(Intl[kind], { construct(real, words) { if (!document.querySelector('.row .name')) made.push(kind); return new real(...words); } });
    const watch = (type, name, note) => { const { get, set } = Object.getOwnPropertyDescriptor(type, name); Object.defineProperty(type, name, note(get, set)); };
    watch(HTMLCanvasElement.prototype, 'height', (get, set) => ({ get, set(value) { sizes.push(`${this.width} x ${value}`); set.call(this, value); } }));
    let isInFrame = false;
    watch(Element.prototype, 'scrollHeight', (get) => ({ get() { asked += isInFrame; return get.call(this); } }));
    ((real) => { window.requestAnimationFrame = (work) => real((at) => { isInFrame = true; try { work(at); } finally { isInFrame = false; } }); })(requestAnimationFrame);
"""
# Items that go from room to room every second, and how many attributes are written in a frame for each of them while they move.
MOVING = """((count) => {
    const { rooms } = forgetmenot.state.site.plan.floors[0];
    const middle = (polygon) => polygon.reduce(([x, y], [a, b]) => [x + a / polygon.length, y + b / polygon.length], [0, 0]);
    const boxes = (turn) => Array.from({ length: count }, (_, number) => {
        const { name, polygon_m } = rooms[(number + turn) % rooms.length], [x, y] = middle(polygon_m);
        return { item: `box-${number}`, name: `Box ${number}`, presence: 'home', room: name, confidence: .9, floor: 0, x_m: x + Math.sin(7 * number), y_m: y + Math.cos(3 * number), accuracy_m: 1, uuid: '', major: 1, minor: number };
    });
    forgetmenot.apply('items', [...forgetmenot.items.values(), ...boxes(0)]);
    return new Promise((done) => setTimeout(() => {
        const counts = [];
        let written = 0;
        new MutationObserver((records) => { written += records.length; }).observe(document.querySelector('.planview'), { attributes: true, subtree: true });
        for (const box of boxes(1)) forgetmenot.apply('item', box);
        const frame = () => { counts.push(written / count); written = 0; if (counts.length < 12) requestAnimationFrame(frame); else done(counts.slice(4).sort((a, b) => a - b)[4]); };
        requestAnimationFrame(frame);
    }, 1500));
})(200)"""


def spares_work(rig: Rig) -> None:
    """the first view makes no formatter of dates and numbers; while 200 items move, a frame writes one attribute for each, and nothing is there that nobody sees"""
    page = rig.browser.page()
    rig.pages.append(page)
    page.emulate()
    page.send("Page.addScriptToEvaluateOnNewDocument", source=NOTED)
    page.open(f"http://{rig.host}/")
    page.wait("the first view", f"document.querySelector('.row .name') && ({VIEWS['now'][1]})")
    check(page.run("made.length") == 0, f"before the first row, the page makes {page.run('made.join()')}")
    check(page.run("sizes.length && new Set(sizes).size === sizes.length"), f"the plan is drawn more than once in one size: {page.run('sizes')}")
    check(page.run("asked") == 0, "the page is laid out in the middle of a frame to know whether it scrolls")
    written = page.run(MOVING)
    check(0.9 < written < 1.1, f"{written} attributes are written in a frame for each item that moves")
    page.wait("the labels to be arranged", "document.querySelectorAll('.label.crowded').length > 100")
    shown = page.run("[...document.querySelectorAll('.over .label.crowded, .over .area')].filter((one) => one.getClientRects().length).map((one) => one.parentNode.outerHTML)")
    check(not shown, f"parts of marks are laid out that nobody sees: {shown[:2]}")

    def hover(x: float, y: float) -> None:
        page.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
    # The circle of an item comes with the pointer, and goes with it.
    for _ in range(2):
        # The mark may still move away under the pointer.
        wait_for("the circle", lambda: hover(*page.middle(".mark[data-id=box-7] .dot")) or page.run("document.querySelector('.over .area')?.getClientRects().length > 0"))
        hover(5, 5)
        page.wait("no circle", "!document.querySelector('.over .area')?.getClientRects().length")
    rig.close(page)


def refusal(rig: Rig, method: str, path: str, body=None) -> int:
    """The status of a request that is refused."""
    try:
        rig.change(method, path, body)
    except urllib.error.HTTPError as error:
        return error.code
    return 0


@contextlib.contextmanager
def push_service(rig: Rig):
    """A push service that the aggregator accepts, and Dora as a person who was there before."""
    service, file = PushService(), rig.site.folder / "aggregator.toml"
    plain = file.read_text()
    rig.site.aggregator.end()
    file.write_text(plain.replace("[page]\n", f'[page]\nurl = "https://home.example"\npush_services = ["{service.origin}"]\n'))
    rig.start_aggregator()
    try:
        rig.wait_for_dora()
        yield service
        check(not service.problems, f"the push service: {service.problems[:3]}")
    finally:
        service.end()
        rig.site.aggregator.end()
        file.write_text(plain)
        (rig.site.folder / "aggregator/subscriptions.json").unlink(missing_ok=True)
        rig.start_aggregator()
        wait_for("the page", rig.is_up)


def names(rig: Rig) -> list[str]:
    return [one["name"] for one in rig.api("people/dora/subscriptions")["subscriptions"]]


def tested(rig: Rig) -> list[dict] | None:
    """Sends Dora a test message; nothing while she has no channel."""
    try:
        return json.loads(rig.change("POST", "people/dora/test", None))["channels"]
    except urllib.error.HTTPError as error:
        if error.code != 404:
            raise
        return None


def pushes(rig: Rig) -> None:
    """a push service gets messages that independent libraries verify and decrypt: sent again after failures, replaced, withdrawn, and not sent to a browser that has ended; twice"""
    with push_service(rig) as service:
        key = rig.api("push-key")["key"]
        check(rig.api("push-key")["key"] == key, "the site has two keys")
        check(refusal(rig, "POST", "people/dora/subscriptions", Subscription(service, "x").body | {"endpoint": "https://127.0.0.1:1/x"}) == 400, "another push service is accepted")
        check(refusal(rig, "POST", "people/nobody/subscriptions", Subscription(service, "x").body) == 404, "nobody gets messages")
        for turn in range(2):
            phone, tablet = Subscription(service, f"phone{turn}"), Subscription(service, f"tablet{turn}")
            for one in (phone, tablet, phone):
                rig.change("POST", "people/dora/subscriptions", one.body)
            check(names(rig) == [tablet.name, phone.name], f"the subscriptions are {names(rig)}")
            def channels() -> list[dict] | None:
                rows = tested(rig)
                if not rows or len(rows) == 2:
                    return rows
                next(one for one in (phone, tablet) if rows[0]["name"].startswith(one.name)).take()
                return None
            # Both are channels without a restart, as soon as the aggregator has read them.
            for _ in range(2):
                rows = wait_for("the channels", channels)
                titles = [one.take().message.get("title") for one in (phone, tablet)]
                check([row.get("sent") for row in rows] == [True, True] and titles == ["A test", "A test"], f"a test: {rows}, {titles}")
            phone.planned = [(500, {}), (429, {"Retry-After": "4"})]
            rig.decide(text="You left without your keys.", urgent=True)
            came = [phone.take() for _ in range(3)]
            check([one.status for one in came] == [500, 429, 201] and len({one.text for one in came}) == 1, "the attempts differ")
            check(came[2].at - came[1].at >= 4, f"the pause that the service wanted was {came[2].at - came[1].at:.1f} s")
            first, other = came[2], tablet.take()
            check(first.message["text"] == "You left without your keys." and first.message["token"] == other.message["token"], f"{first.text}")
            check(first.urgency == "high" and first.contact == "https://home.example" and first.site == other.site == key, "the headers are wrong")
            check(first.topic != other.topic, "two browsers have one topic, so that two services could compare them")
            # What is replaced has the same topic and tag.
            rig.decide(text="You left without your bag.")
            second = phone.take()
            check(second.topic == first.topic and second.message["tag"] == first.message["tag"] and second.message["token"] != first.message["token"], "another message was not replaced")
            check(second.urgency == "normal" and second.size == first.size and tablet.take().text == second.text, "the second message is wrong")
            rig.acknowledge(second.message['token'])
            for one in (phone, tablet):
                gone = one.take()
                check(gone.message == {"tag": first.message["tag"]} and gone.size == first.size, f"a withdrawal is {gone.text}")
            # A browser that has ended leaves the list by itself; the other goes on.
            phone.planned = [(410 if turn else 404, {})]
            rig.decide(key="taken", text="Somebody took your keys.")
            check(phone.take().status != 201 and tablet.take().message["text"] == "Somebody took your keys.", "the other browser")
            wait_for("the list", lambda: names(rig) == [tablet.name])
            rig.decide(key="taken", text="Nothing for the phone.")
            rig.acknowledge(tablet.take().message["token"])
            # Nothing is left that the next browsers would get before their test.
            check("text" not in tablet.take().message, "what was acknowledged is not withdrawn")
            check(phone.received.empty(), "a browser that has ended got a message")
            one = rig.api("people/dora/subscriptions")["subscriptions"][0]["id"]
            # A lost phone gets nothing more, whatever is wrong with the configuration, and another one takes its place.
            file = rig.site.folder / "aggregator.toml"
            text = file.read_text()
            file.write_text(f"{text}\n[[itm]]\n")
            laptop = Subscription(service, f"laptop{turn}")
            rig.change("POST", "people/dora/subscriptions", laptop.body)
            wait_for("both channels", lambda: len(tested(rig) or []) == 2)
            rig.change("DELETE", f"people/dora/subscriptions/{one}", None)
            wait_for("one channel", lambda: [row["name"].split(" (")[0] for row in tested(rig) or []] == [laptop.name])
            check(rig.api("site")["problems"] != [], "the mistake is no problem")
            file.write_text(text)
            mine = rig.api("people/dora/subscriptions")["subscriptions"][0]["id"]
            rig.change("DELETE", f"people/dora/subscriptions/{mine}", None)
            wait_for("no channel", lambda: tested(rig) is None)
            for gone in (tablet, laptop):
                while not gone.received.empty():
                    gone.take()
            check(refusal(rig, "DELETE", f"people/dora/subscriptions/{one}") == 404 and not names(rig), "a subscription is removed twice")
        many = [Subscription(service, f"many{index}") for index in range(11)]
        for one in many[:10]:
            rig.change("POST", "people/dora/subscriptions", one.body)
        check(refusal(rig, "POST", "people/dora/subscriptions", many[10].body) == 409 and len(names(rig)) == 10, "more than ten browsers")
        state = rig.site.folder / "aggregator"
        secret = (state / "push.key").read_text().strip()
        for file in ("push.key", "subscriptions.json"):
            check((state / file).stat().st_mode & 0o777 == 0o600, f"{file} can be read by others")
        log = rig.site.aggregator.log.read_text()
        check(secret not in log and service.origin not in log, "the log has a secret")
        # Whoever reads the broker or the page finds neither.
        retained = subprocess.run(["mosquitto_sub", "-p", str(rig.site.port), "-v", "-t", "forgetmenot/#", "--retained-only", "-W", "2"], capture_output=True, text=True).stdout
        listed = json.dumps(rig.api("people/dora/subscriptions"))
        for text in (retained, listed):
            check("forgetmenot" in text or "many1" in text, "nothing was read")
            check(not any(word in text for word in (secret, service.origin, many[1].keys["auth"], many[1].keys["p256dh"])), "a secret is published")
        # Whoever is added under the id of somebody who was removed has none of that person's browsers.
        for _ in range(2):
            subprocess.run(["mosquitto_pub", "-p", str(rig.site.port), "-t", "forgetmenot/aggregator/request/people/remove", "-m", '{"name": "dora"}'], check=True)
            wait_for("the end of the subscriptions", lambda: "dora" not in (state / "subscriptions.json").read_text())
            rig.change("POST", "people", {"name": "Dora", "carries": ["cat"]})
            rig.wait_for_dora()
            check(not names(rig), "somebody else's browser")
            rig.change("POST", "people/dora/subscriptions", many[0].body)


def shows_messages(rig: Rig) -> None:
    """a browser subscribes by a button, shows a message with its button, shows one in place of the other, acknowledges, and closes what is over; twice"""
    with push_service(rig) as service:
        browser = Subscription(service, "chromium")
        page = rig.open("#/people/dora")
        page.send("Browser.grantPermissions", origin=f"http://{rig.host}", permissions=["notifications"])
        page.send("ServiceWorker.enable")
        # No push service can be reached from here. All else is Chromium's own.
        page.run(f"""(() => {{ let own = null;
            const [endpoint, keys] = {json.dumps([browser.endpoint, browser.keys])};
            PushManager.prototype.getSubscription = async () => own;
            PushManager.prototype.subscribe = async (options) => own = {{ endpoint, options: {{ applicationServerKey: options.applicationServerKey.buffer }}, toJSON: () => ({{ endpoint, expirationTime: null, keys }}) }}; }})()""")
        button = ".browsers ~ .buttons button"
        page.expected += ["ERR_", "api/v1/", "assets/"]
        for turn in range(2):
            page.click(button)
            page.wait("this browser in the list", "document.querySelector('.browsers li')?.textContent.startsWith('Chrome on Linux (this browser)') && document.querySelector('.browsers ~ .buttons button').hidden && document.activeElement.id === 'messages'")
            registration = wait_for("the registration", lambda: page.registrations.get(f"http://{rig.host}/"))

            shown = """navigator.serviceWorker.getRegistration('./').then((one) => one.getNotifications()).then((all) =>
                all.map((one) => [one.title, one.body, one.tag, one.silent, one.requireInteraction, one.actions.map((action) => action.action).join()]))"""

            def wait_for_shown(what: str, *rows, push: dict | None = None) -> None:
                found, wanted, due = None, [list(row) for row in rows], 0.0

                def is_shown() -> bool:
                    nonlocal found, due
                    # Chromium loses what comes before it has stored a new registration, and some more on a busy machine.
                    # A push service may deliver one twice as well: its tag makes it one.
                    if push and time.monotonic() > due:
                        page.send("ServiceWorker.deliverPushMessage", origin=f"http://{rig.host}/", registrationId=registration, data=json.dumps(push))
                        due = time.monotonic() + 3
                    found = page.run(shown)
                    return found == wanted
                try:
                    wait_for(what, is_shown)
                except Failed as failure:
                    raise Failed(f"{failure}: {found}") from None
            probe = {"tag": "probe", "title": "Probe", "text": "This is shown."}
            wait_for_shown("the registration to be stored", ("Probe", "This is shown.", "probe", False, False, ""), push=probe)
            wait_for_shown("nothing", push={"tag": "probe"})
            rig.decide(text="You left without your keys.", urgent=True)
            push = browser.take().message
            tag = push["tag"]
            wait_for_shown("the message", ("Forgotten: keys", "You left without your keys.", tag, False, True, "acknowledge"), push=push)
            rig.decide(text="You left without your bag.")
            wait_for_shown("the other message alone", ("Forgotten: keys", "You left without your bag.", tag, False, False, "acknowledge"), push=browser.take().message)
            worker = rig.browser.worker(f"http://{rig.host}/assets/")
            # A person presses the button in the notification: nobody but a person can, so the worker gets the same event from here.
            worker.run("""globalThis.dispatch = (event) => { let work; event.waitUntil = (promise) => { work = promise; }; dispatchEvent(event); return work; };
                globalThis.press = () => registration.getNotifications().then(([notification]) => dispatch(new NotificationEvent('notificationclick', { notification, action: 'acknowledge' })));
                globalThis.push = (message) => dispatch(new PushEvent('push', { data: JSON.stringify(message) })); 0""")
            rig.site.aggregator.end()
            worker.run("press().then(() => 0)")
            problem = "Not acknowledged, because the page cannot be reached from here. You left without your bag."
            wait_for_shown("the failure", ("Forgotten: keys", problem, tag, False, False, "acknowledge"))
            rig.start_aggregator()
            wait_for("the page", rig.is_up)
            wait_for("the aggregator", lambda: rig.api("site")["aggregator_alive"])
            worker.run("press().then(() => 0)")
            wait_for_shown("nothing")
            push = browser.take().message
            check(push == {"tag": tag}, "the message was not acknowledged")
            wait_for_shown("nothing", push=push)
            # A push service may deliver late: the button of what is over is no success.
            push = {"tag": tag, "title": "Forgotten: keys", "text": "Long ago.", "token": "0" * 32}
            wait_for_shown("the late message", ("Forgotten: keys", "Long ago.", tag, False, False, "acknowledge"), push=push)
            worker.run("press().then(() => 0)")
            problem = "Not acknowledged: this is over, or was acknowledged elsewhere. Long ago."
            wait_for_shown("that it is over", ("Forgotten: keys", problem, tag, False, False, ""))
            wait_for_shown("nothing", push={"tag": tag})
            # What is withdrawn closes the notification.
            rig.decide(key=f"taken{turn}", text="Somebody took your keys.")
            push = browser.take().message
            wait_for_shown("a message", ("Forgotten: keys", "Somebody took your keys.", push["tag"], False, False, "acknowledge"), push=push)
            rig.acknowledge(push["token"])
            wait_for_shown("nothing", push=browser.take().message)
            # What waited for a browser that was off comes at once: what is over closes nothing that came after it. Nor does a button that had no success.
            later = {"tag": tag, "title": "Forgotten: keys", "text": "You left again."}
            worker.run(f"Promise.all([push({json.dumps({'tag': tag})}), push({json.dumps(later)})]).then(() => 0)")
            wait_for_shown("the later message", ("Forgotten: keys", "You left again.", tag, False, False, ""))
            worker.run(f"{{ const ask = fetch; fetch = (...words) => {{ fetch = ask; return ask(...words).finally(() => push({json.dumps(later)})); }}; }} 0")
            worker.run(f"push({json.dumps(later | {'text': 'Long ago.', 'token': '0' * 32})}).then(press).then(() => 0)")
            wait_for_shown("the later message again", ("Forgotten: keys", "You left again.", tag, False, False, ""))
            wait_for_shown("nothing", push={"tag": tag})
            worker.socket.close()
            page.wait("the page to be live", "document.body.dataset.live === 'live'")
            page.click(".browsers li button")
            page.wait("an empty list", "!document.querySelector('.browsers li') && !document.querySelector('.browsers ~ .buttons button').hidden && document.activeElement.id === 'messages'")
        rig.close(page)


def logs_in(rig: Rig) -> None:
    """a page with a user asks for the password, refuses a wrong one in a sentence, and forgets the session at the end"""
    rig.site.aggregator.end()
    lines = subprocess.run([str(rig.site.programs / "forgetmenot"), "page", "password", "anna"], input="correct horse\n", capture_output=True, text=True, check=True).stdout
    with open(rig.site.folder / "aggregator.toml", "a") as file:
        file.write(f"\n{lines}\n")
    rig.start_aggregator()
    wait_for("the page", rig.is_up)
    for size, options in SIZES.items():
        page = rig.browser.page()
        rig.pages.append(page)
        page.emulate(calm=True, **options)
        page.expected.append("api/v1/")
        page.open(f"http://{rig.host}/")
        page.wait("the form", "document.activeElement?.id === 'user'")
        page.run(axe() + ";0")
        check(not violations(page), f"axe: {violations(page)}")
        page.screenshot(rig.shots / f"login-{size}.png")
        if size == "phone":
            page.speak("de")
            page.run("location.reload()")
            page.wait("the German form", "document.activeElement?.id === 'user' && document.querySelector('[for=password]').textContent === 'Passwort'")
            page.screenshot(rig.shots / f"german-login-{size}.png")
        if size == "light":
            for password in ("wrong", "correct horse"):
                page.run("document.querySelector('#user').value = 'anna'; document.querySelector('#password').focus(); document.querySelector('#password').select()")
                page.type(password)
                page.key("Enter")
                if password == "wrong":
                    page.wait("the refusal", "document.querySelector('.login .problem').textContent.includes('wrong')")
            page.wait("the items", "document.querySelectorAll('.row').length > 5")
            # A server that was started again knows no sessions. Whatever notices that first: one stream is all that the page has afterwards.
            page.run(LATER)
            page.run("location.hash = '#/gateways'")
            page.click(".pagehead button")
            page.wait("a dialog", "document.querySelector('dialog').contains(document.activeElement)")
            rig.site.aggregator.end()
            page.wait("the word", "forgetmenot.state.live === 'lost'")
            rig.start_aggregator()
            wait_for("the page", rig.is_up)
            page.run("import(document.querySelector('script[type=module]').src.replace('app.js', 'api.js')).then(({ get }) => get('items')).catch(() => 0)")
            page.wait("the form, which no dialog hides", "document.activeElement?.id === 'user' && !document.querySelector('dialog')")
            page.run("location.hash = '#/'")
            page.run("document.querySelector('#user').value = 'anna'; document.querySelector('#password').focus()")
            page.type("correct horse")
            page.key("Enter")
            page.wait("the items", "document.querySelectorAll('.row').length > 5 && document.body.dataset.live === 'live'")
            asked = sum(address.endswith("/api/v1/stream") for address in page.requests)
            page.run("dispatchEvent(new Event('online'))")
            page.run("fetch('api/v1/items').then((response) => response.text()).then(() => 0)")
            check(sum(address.endswith("/api/v1/stream") for address in page.requests) == asked, "a second stream began")
            page.click(".logout")
            page.wait("the form again", "document.querySelector('#user') && !document.querySelector('.row')")
        rig.close(page)


def is_measured(rig: Rig) -> None:
    """Prometheus' own tool finds nothing wrong with the metrics of a site with gateways and items"""
    if not shutil.which("promtool"):
        raise Skipped("promtool is not installed: Debian's package prometheus has it")
    with urllib.request.urlopen(f"http://{rig.host}/metrics", timeout=20) as answer:
        metrics = answer.read()
    check(b'forgetmenot_gateway_up{gateway="kitchen"} 1' in metrics, "the metrics have no gateway")
    told = subprocess.run(["promtool", "check", "metrics"], input=metrics, capture_output=True)
    words = (told.stdout + told.stderr).decode().strip()
    check(told.returncode == 0 and not words, f"promtool: {words}")
    known = set(re.findall(rb"^# TYPE (\w+)", metrics, re.M))
    dashboard = (here.parents[1] / "deploy/grafana.json").read_text()
    used = set(re.findall(r"\b((?:forgetmenot|process)_\w+)", dashboard))
    check(used <= {name.decode() for name in known}, f"the dashboard uses metrics that there are not: {used - {name.decode() for name in known}}")


def is_proxied(rig: Rig) -> None:
    """the page works by HTTPS: behind nginx and Caddy below a base path, with the lines of the reference, and with a certificate of its own"""
    folder = rig.site.folder
    run = subprocess.run
    run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=page", "-addext", "subjectAltName=IP:127.0.0.1",
         "-keyout", str(folder / "page.key"), "-out", str(folder / "page.crt")], check=True, capture_output=True)
    reference = (here.parents[1] / "Documentation/Forgetmenot.docc/HTTPInterface.md").read_text().replace("127.0.0.1:8124", rig.host)
    location = re.search(r"^location .*?^}$", reference, re.M | re.S)[0]
    caddy = re.search(r"^reverse_proxy .*$", reference, re.M)[0]
    file = folder / "aggregator.toml"
    plain = file.read_text()
    proxies = {"nginx": shutil.which("nginx") or "/usr/sbin/nginx", "caddy": shutil.which("caddy"), "own": None}
    missing = [name for name, path in proxies.items() if name != "own" and not (path and pathlib.Path(path).exists())]
    for name, program in proxies.items():
        if name in missing:
            continue
        rig.site.aggregator.end()
        port = free_port() if program else rig.port
        more = 'base_path = "/forgetmenot/"' if program else 'certificate_file = "page.crt"\nkey_file = "page.key"'
        file.write_text(plain.replace("[page]\n", f"[page]\n{more}\n"))
        rig.start_aggregator()
        server = None
        if name == "nginx":
            work = folder / "nginx"
            work.mkdir()
            temporary = "".join(f"{kind}_temp_path {work}/{kind};\n" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
            user = "user root;\n" if os.geteuid() == 0 else ""
            (work / "nginx.conf").write_text(
                f"{user}daemon off;\npid {work}/pid;\nerror_log {work}/log;\nevents {{}}\nhttp {{\naccess_log off;\n{temporary}server {{\n"
                f"listen 127.0.0.1:{port} ssl;\nssl_certificate {folder}/page.crt;\nssl_certificate_key {folder}/page.key;\n{location}\n}}\n}}\n")
            server = Process(name, [program, "-c", str(work / "nginx.conf"), "-e", str(work / "log")], work).start()
        elif name == "caddy":
            work = folder / "caddy"
            work.mkdir()
            (work / "Caddyfile").write_text(
                f"{{\nadmin off\ngrace_period 1s\nauto_https disable_redirects\nstorage file_system {work}\n}}\nhttps://127.0.0.1:{port} {{\ntls {folder}/page.crt {folder}/page.key\n{caddy}\n}}\n")
            server = Process(name, ["env", f"XDG_DATA_HOME={work}", f"XDG_CONFIG_HOME={work}", program, "run", "--config", str(work / "Caddyfile"), "--adapter", "caddyfile"], work).start()
        try:
            host = f"127.0.0.1:{port}"
            address = f"https://{host}/{'forgetmenot/' if program else ''}"
            trust = ssl.create_default_context(cafile=str(folder / "page.crt"))

            def answers() -> bool:
                try:
                    with urllib.request.urlopen(address, timeout=5, context=trust) as answer:
                        return answer.status == 200
                except OSError:
                    return False
            wait_for(f"the page of {name}", answers)
            page = rig.browser.page()
            rig.pages.append(page)
            page.emulate()
            page.send("Security.setIgnoreCertificateErrors", ignore=True)
            # Chromium loads no worker from a server with a certificate that it does not know, whatever a page may load.
            page.expected += ["api/v1/", "SSL certificate error occurred when fetching the script"]
            page.open(address)
            page.wait("the form", "document.activeElement?.id === 'user'")
            page.run("document.querySelector('#user').value = 'anna'; document.querySelector('#password').focus()")
            page.type("correct horse")
            page.key("Enter")
            page.wait("the items, live", "document.querySelectorAll('.row').length > 5 && document.body.dataset.live === 'live'")
            cookie = next(one for one in page.send("Network.getCookies")["cookies"] if one["name"] == "forgetmenot")
            check(cookie["secure"] and cookie["httpOnly"] and cookie["path"] == ("/forgetmenot/" if program else "/"), f"the cookie is {cookie}")
            # Events pass at once: nobody gathers them on the way.
            rig.site.ask("items", "add", f"Parcel of {name}", "--uuid", TAGS, "--major", "8", "--minor", str(port))
            page.wait("an item that was added", f"[...forgetmenot.items.values()].some((item) => item.name === 'Parcel of {name}')", 10)
            rig.pages.remove(page)
            foreign, errors = page.foreign(host), page.unexpected()
            page.close()
            check(not foreign and not errors, f"{name}: {foreign[:2]} {errors[:2]}")
        finally:
            if server:
                server.end()
    if missing:
        raise Skipped(f"the part with {' and '.join(missing)}, which Debian's packages of that name have")


def reconnects(rig: Rig) -> None:
    """a page whose server goes says so, shows its items as stale, and is live again by itself"""
    # A view that the browser has in its cache can be loaded without the server.
    page = rig.open(is_first=True)
    page.wait("rows", "document.querySelectorAll('.row').length > 5")
    page.expected.append("ERR_")
    page.expected.append("api/v1/")
    rig.site.aggregator.end()
    page.wait("the word", "document.getElementById('live').textContent.startsWith('Connection lost')")
    page.wait("stale rows", "[...document.querySelectorAll('.row')].every((row) => row.matches('.stale'))")
    page.wait("stale marks", "[...document.querySelectorAll('.mark')].every((mark) => mark.matches('.stale'))")
    page.screenshot(rig.shots / "lost-light.png")
    # A view that cannot be loaded: tab, address and what is shown stay together.
    for _ in range(2):
        page.click(".tabs [data-view=history]")
        page.wait("the word", "document.getElementById('toasts').textContent.includes('cannot be loaded')")
        page.wait("the former view under its own tab", "document.querySelector('.tabs [aria-current]').dataset.view === 'now' && document.body.dataset.view === 'now' && !location.hash.includes('history') && document.querySelector('.now')", 10)
        page.run("document.getElementById('toasts').replaceChildren()")
    rig.start_aggregator()
    page.wait("the page to be live", "document.body.dataset.live === 'live'")
    page.click(".tabs [data-view=history]")
    page.wait("the history under its tab", "document.querySelector('.history') && document.querySelector('.tabs [aria-current]').dataset.view === 'history'")
    page.click(".tabs [data-view=now]")
    page.wait("rows that are not stale", "document.querySelectorAll('.row').length > 5 && ![...document.querySelectorAll('.row')].some((row) => row.matches('.stale'))")
    check(page.run("window.isTheSamePage === true"), "the page was loaded again")
    rig.close(page)


def renews_its_token(rig: Rig) -> None:
    """a change is saved although the server was started again meanwhile, and the page is not connected again yet; twice"""
    page = rig.open()
    page.expected += ["api/v1/", "ERR_"]
    # The stream tries again much later.
    page.run(LATER)
    module = "import(document.querySelector('script[type=module]').src.replace('app.js', 'api.js'))"
    for carries in (["cat", "camera"], ["cat"]):
        rig.site.aggregator.end()
        page.wait("the word", "forgetmenot.state.live === 'lost'")
        rig.start_aggregator()
        rig.wait_for_dora()
        page.run(f"{module}.then(({{ call }}) => call('PATCH', 'people/dora', {{ carries: {json.dumps(carries)} }})).then(() => 0)")
        wait_for("the change", lambda: [sorted(one["carries"]) for one in rig.api("people") if one["id"] == "dora"] == [sorted(carries)], 20)
        check(page.run("forgetmenot.state.live") == "lost", "the page was connected again before")
        page.run("dispatchEvent(new Event('online'))")
        page.wait("the page to be live", "forgetmenot.state.live === 'live'")
    # Who may not change anything is refused, and asks once.
    asked = len(page.requests)
    answer = page.run(f"((real) => {{ window.fetch = (address, options) => (options.method === 'PATCH' ? real('api/v1/nothing', {{ method: 'GET' }}).then(() => new Response('{{}}', {{ status: 403 }})) : real(address, options)); }})(fetch), {module}.then(({{ call }}) => call('PATCH', 'people/dora', {{}})).catch((problem) => problem.status)")
    check(answer == 403 and len([one for one in page.requests[asked:] if one.endswith("nothing")]) == 1, f"the refusal is {answer}")
    rig.close(page)


def hide(page: Page, is_hidden: bool) -> None:
    """Has a page believe that nobody sees it, or that somebody sees it again."""
    page.run(f"Object.defineProperty(document, 'hidden', {{ value: {json.dumps(is_hidden)}, configurable: true }}), document.dispatchEvent(new Event('visibilitychange'))")


def wakes(rig: Rig) -> None:
    """a page that nobody sees ends its streams; in the foreground again, and after the machine slept, it calls nothing live before it is, and says soon that the server is silent; twice"""
    page = rig.open("#/manage")
    page.expected.append("api/v1/")
    page.run("((now) => { window.asleep = 0; window.realTime = now; Date.now = () => now() + window.asleep; })(Date.now.bind(Date))")
    # A minute is over at once.
    page.run("((real) => { window.setTimeout = (work, after, ...more) => real(work, after === 60000 ? 20 : after, ...more); })(setTimeout)")
    for _ in range(2):
        wait_for("the streams of the site and of the beacons", lambda: rig.streams() == 2)
        hide(page, True)
        wait_for("no stream", lambda: rig.streams() == 0)
        page.wait("a page that is not live", "forgetmenot.state.live === 'connecting'")
        with rig.silence():
            hide(page, False)
            page.wait("the word", "document.getElementById('live').textContent === 'Connecting'", 5)
            page.wait("the word", "document.getElementById('live').textContent.startsWith('Connection lost')", 20)
        page.wait("the page to be live", "document.body.dataset.live === 'live'", 30)
        wait_for("the streams of the site and of the beacons", lambda: rig.streams() == 2)
        # An hour in which no timer ran.
        with rig.silence():
            page.run("window.asleep += 3600000; document.dispatchEvent(new Event('visibilitychange'))")
            page.wait("the word", "document.getElementById('live').textContent === 'Connecting'", 5)
            page.wait("the word", "document.getElementById('live').textContent.startsWith('Connection lost')", 20)
            late = page.run("forgetmenot.state.liveSince - window.realTime()")
            check(abs(late) < 120_000, f"what is shown is {late / 1000} s newer than what the server sent")
        page.wait("the page to be live", "document.body.dataset.live === 'live'", 30)
    rig.close(page)


def ends_when_left(rig: Rig) -> None:
    """a page that somebody leaves for another one keeps no stream, and is live again on the way back; twice"""
    page = rig.open("#/manage")
    for _ in range(2):
        wait_for("the streams of the site and of the beacons", lambda: rig.streams() == 2)
        page.open("about:blank")
        # A hidden page keeps them for a minute.
        wait_for("no stream", lambda: rig.streams() == 0, 20)
        page.run("history.back()")
        page.wait("the page to be live", "document.body.dataset.live === 'live' && !document.hidden")
    rig.close(page)


def catches_up(rig: Rig) -> None:
    """strips, timeline and the time per room of an open item follow the item, and have what happened while there was no connection; what was gone for a moment is whole again"""
    now = datetime.datetime.now()
    if now.hour == 0:
        raise Skipped("what was minutes ago was yesterday")
    hours = (now - datetime.datetime.combine(now.date() - datetime.timedelta(days=1), datetime.time())).total_seconds() / 3600
    rig.change("POST", "items", {"name": "Trunk", "uuid": TAGS, "major": 102, "minor": 1})
    wait_for("the item", lambda: any(item["item"] == "trunk" for item in rig.api("items")["items"]))
    page = rig.open("#/items/trunk")
    page.expected += ["api/v1/", "ERR_"]
    module = "import(document.querySelector('script[type=module]').src.replace('app.js', 'store.js'))"

    def has_strip(item: str, room: str | None = None) -> bool:
        is_there = "!!stays" if room is None else f"!!stays?.some((stay) => stay.room === '{room}')"
        return page.run(f"{module}.then(({{ strips }}) => ((stays) => {is_there})(strips.get('{item}')))")

    wait_for("the strip", lambda: has_strip("trunk"), 30)
    for room, since in (("Cellar", 19), ("Attic", 11)):
        rig.remember([("trunk", hours - since / 60, "home", room), ("trunk", hours - (since - 7) / 60, "away", None)])
        page.wait("the page to be live", "document.body.dataset.live === 'live' && forgetmenot.items.has('trunk')", 90)
        wait_for("the strip of what happened meanwhile", lambda: has_strip("trunk", room), 30)
        page.wait("its stay in the timeline", f"[...document.querySelectorAll('.stays li')].some((stay) => stay.textContent.includes('{room}'))", 30)
        page.wait("its time", f"[...document.querySelectorAll('.spent .bar-row')].some((row) => row.textContent.startsWith('{room}'))", 30)
    page.run("location.hash = '#/items/ukulele'")
    rig.hear("living", m7=-38, m8=-40)
    page.wait("the room", "forgetmenot.items.get('ukulele')?.room === 'Living room'", 120)
    for gateway, room in (("office", "Office"), ("living", "Living room")):
        rig.hear(gateway, m7=-38, m8=-40)
        page.wait("the room", f"forgetmenot.items.get('ukulele')?.room === '{room}'", 120)
        page.wait("the room in the timeline", f"document.querySelector('.stays li').textContent.includes('{room}')", 60)
    # Another day stays.
    page.click(".timeline [aria-label='Previous day']")
    page.wait("yesterday", "document.querySelector('.timeline .day').textContent === 'Yesterday'")
    for _ in range(2):
        page.run("window.gone = forgetmenot.items.get('ukulele')")
        page.wait("no item", "(forgetmenot.apply('item_removed', { item: 'ukulele' }), document.querySelector('.detail h2').textContent === 'There is no such item' && !document.querySelector('.manage').childElementCount)")
        page.run("forgetmenot.apply('item', window.gone)")
        page.wait("the rules and buttons", "document.querySelector('.manage .notify') && document.querySelector('.manage .danger')", 10)
        wait_for("the strip", lambda: has_strip("ukulele"), 30)
    check(page.run("document.querySelector('.timeline .day').textContent") == "Yesterday", "the timeline left the day that was chosen")
    # A history that is gone for a while, as while the server starts: what is shown stays, and what is not is shown later.
    page.click(".timeline [aria-label='Next day']")
    stays = "[...document.querySelectorAll('.stays .time')].length > 0 && [...document.querySelectorAll('.spent .bar-row')].length > 0"
    page.wait("the stays", stays)
    page.run("""((real) => { window.fetch = (address, options) => {
        if (!window.isGone || !String(address).includes('api/v1/history')) return real(address, options);
        window.refused.add(String(address).includes('history/rooms') ? 'times' : String(address).includes('item=') ? 'stays' : 'strips');
        return Promise.resolve(new Response('{"error": "There is no history."}', { status: 404 }));
    }; })(fetch); window.refused = new Set()""")
    # Changes the item at each look: the server's own messages about it would undo a single change before the page sees it.
    change = "{ const item = forgetmenot.items.get('ukulele'); forgetmenot.apply('item', { ...item, presence: item.presence === 'unknown' ? 'home' : 'unknown' }); }"
    for _ in range(2):
        page.run("window.isGone = true; window.refused.clear(); forgetmenot.apply('items', [...forgetmenot.items.values()])")
        page.wait("the refusals of strips, stays and times", f"(() => {{ {change} return window.refused.size === 3; }})()", 30)
        check(page.run(stays), "a refusal took the place of what was shown")
        page.run("window.isGone = false")
        wait_for("the strip", lambda: has_strip("ukulele"), 50)
    # An item that is opened without a connection.
    page.run("window.isGone = true; location.hash = '#/'")
    hide(page, True)
    page.wait("a page that is not live", "forgetmenot.state.live === 'connecting'")
    page.run("location.hash = '#/items/ukulele'")
    page.wait("the refusal", "document.querySelector('.stays')?.textContent.includes('There is no history') && document.querySelector('.spent')?.textContent.includes('There is no history')", 20)
    page.run("window.isGone = false")
    hide(page, False)
    page.wait("the stays", stays, 20)
    rig.close(page)
    rig.change("DELETE", "items/trunk?past=true", None)


def trusts_the_servers_clock(rig: Rig) -> None:
    """in a browser whose clock is an hour slow, or fast, what was minutes ago was minutes ago"""
    for hours in (-1, 1):
        page = rig.open()
        page.send("Page.addScriptToEvaluateOnNewDocument", source=f"((now) => {{ Date.now = () => now() + {hours} * 3600000; }})(Date.now.bind(Date))")
        page.run("location.reload()")
        page.wait("the page to be live", "!window.isTheSamePage && document.body.dataset.live === 'live' && forgetmenot.items.has('ukulele')")
        # The list has rows only for what is in view: the item alone, whichever others there are and however they are sorted.
        page.run("(() => { const field = document.querySelector('.finder [type=search]'); field.value = 'ukulele'; field.dispatchEvent(new Event('input')); })()")
        page.wait("its row", "document.querySelectorAll('.rows [data-id]').length === 1")

        def wait_for_words(seconds: int, words: str) -> None:
            shown = []

            def is_shown() -> bool:
                at = (datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")
                # What the server says about the item meanwhile would take the place of this: it is read in the same frame.
                shown[:] = [page.run(f"""(forgetmenot.apply('item', {{ ...forgetmenot.items.get('ukulele'), presence: 'home', room: 'Kitchen', confidence: 1, gateway: null, received: false, last_seen_at: '{at}' }}),
                    new Promise((done) => requestAnimationFrame(() => done(document.querySelector('.rows [data-id=ukulele] .seen')?.textContent))))""")]
                return shown == [words]

            try:
                wait_for("how long ago that was", is_shown, 60)
            except Failed as failure:
                raise Failed(f"{failure}: the row says {shown}, the item is {page.run(name_of('ukulele'))}")

        wait_for_words(20 * 60, "20 min ago")
        # The clock is corrected.
        page.run(f"((now) => {{ Date.now = () => now() - {hours} * 3600000; }})(Date.now)")
        wait_for_words(39 * 60 + 55, "40 min ago")
        rig.close(page)


def outlasts_a_session_of_home_assistant(rig: Rig) -> None:
    """where nobody logs in at the page, a proxy that refuses for a while is a lost connection: no form, and the page is live again by itself; twice"""
    page = rig.open()
    page.expected += ["api/v1/", "ERR_"]
    page.run("""((real) => { window.fetch = (address, options) => (window.isOver && String(address).includes('api/v1/')
        ? (window.refusals++, Promise.resolve(new Response('401: Unauthorized', { status: 401 }))) : real(address, options)); })(fetch); window.refusals = 0""")
    for _ in range(2):
        page.run("window.isOver = true")
        page.run("location.hash = '#/history'")
        page.wait("a refusal in the view", "document.querySelector('.history .problem')?.textContent")
        rig.site.aggregator.end()
        page.wait("the word", "document.getElementById('live').textContent.startsWith('Connection lost')")
        rig.start_aggregator()
        wait_for("the page", rig.is_up)
        # The stream, and the question whether one has to log in here.
        page.run("window.refusals = 0; dispatchEvent(new Event('online'))")
        page.wait("two refusals", "window.refusals > 1", 20)
        check(page.run("!document.querySelector('.login') && forgetmenot.state.live === 'lost'"), "the page gave up")
        page.run("window.isOver = false")
        page.wait("the page to be live", "document.body.dataset.live === 'live'", 40)
        page.run("location.hash = '#/'")
        page.wait("rows", "document.querySelectorAll('.row').length > 5")
    rig.close(page)


def opens_without_its_server(rig: Rig) -> None:
    """a page that was open once opens without its server and says so, shows no items that it cannot know, opens every view, and is live again by itself; twice"""
    page = rig.open()
    # The last one is the worker's: the browser looks for a newer one while the server ends.
    page.expected += ["ERR_", "api/v1/", "assets/", "fetching the script"]
    page.wait("the worker", "navigator.serviceWorker.ready.then(() => !!navigator.serviceWorker.controller)")
    manifest = page.send("Page.getAppManifest")
    check(not manifest["errors"], f"the manifest: {manifest['errors']}")
    unable = [one["errorId"] for one in page.send("Page.getInstallabilityErrors")["installabilityErrors"]]
    check(not unable, f"the page cannot be installed: {unable}")
    for _ in range(2):
        rig.site.aggregator.end()
        page.run("window.isFormer = true")
        page.send("Page.reload")
        page.wait("the word", "!window.isFormer && document.getElementById('live').textContent === 'No connection, trying again'")
        page.wait("a sentence", "document.querySelector('.now .empty:not([hidden])')?.textContent.includes('as soon as the server')")
        check(page.run("document.querySelectorAll('.row').length + document.querySelector('.segments').textContent.replace(/\\D/g, '').length") == 0, "a page without a server counts items")
        page.screenshot(rig.shots / "offline-light.png")
        # Another view waits for the server under its own address.
        page.run("location.hash = '#/history'")
        page.wait("the word", "document.querySelector('main > .empty')?.textContent.includes('as soon as the server') && document.querySelector('.tabs [aria-current]').dataset.view === 'history'", 10)
        rig.start_aggregator()
        page.wait("the history", "document.querySelectorAll('.dayrow').length > 5 && location.hash === '#/history'")
        # A view that was never open opens without the server.
        rig.site.aggregator.end()
        page.wait("the word", "document.getElementById('live').textContent.startsWith('Connection lost')")
        for view in ("gateways", "manage", "people/dora", "plan"):
            page.run(f"location.hash = '#/{view}'")
            page.wait(f"the view {view}", f"location.hash === '#/{view}' && document.body.dataset.view === '{view.split('/')[0]}' && document.querySelector('main h1')", 10)
        page.run("location.hash = '#/'")
        rig.start_aggregator()
        page.wait("the page to be live", "document.body.dataset.live === 'live' && document.querySelectorAll('.row').length > 5")
    # A server that is silent is no better.
    with rig.silence():
        page.run("window.isFormer = true")
        page.post("Page.reload")
        page.wait("the page", "!window.isFormer && document.getElementById('live-text')?.textContent === 'No connection, trying again'", 40)
        check(page.run("!!document.querySelector('.now .empty:not([hidden])')"), "the page is blank")
    page.wait("the page to be live", "document.body.dataset.live === 'live' && document.querySelectorAll('.row').length > 5")
    # A browser that refuses the storage.
    worker = rig.browser.worker(f"http://{rig.host}/assets/")
    worker.run("caches.match = caches.open = () => Promise.reject(new Error('no storage'))")
    for _ in range(2):
        page.run("window.isFormer = true")
        page.send("Page.reload")
        page.wait("the page to be live", "!window.isFormer && document.body.dataset.live === 'live' && document.querySelectorAll('.row').length > 5")
    worker.close()
    # A new worker deletes what earlier versions kept, and nothing of other apps of the host.
    page.run("""Promise.all(['an-app', '0123456789abcdef', 'fedcba9876543210'].map(async (name, number) => (await caches.open(name)).put(number === 1 ? new URL('./', location).href : '/other', new Response(''))))
        .then(() => navigator.serviceWorker.getRegistration()).then((one) => one.unregister())""")
    page.send("Page.reload")
    page.wait("another worker", "window.forgetmenot && !window.isTheSamePage && navigator.serviceWorker.ready.then((one) => one.active.state === 'activated')")
    names = page.run("caches.keys()")
    check("0123456789abcdef" not in names and {"an-app", "fedcba9876543210"} < set(names), f"the caches are {names}")
    page.run("Promise.all(['an-app', 'fedcba9876543210'].map((name) => caches.delete(name)))")
    kept = page.run("caches.keys().then((names) => Promise.all(names.map(async (name) => (await (await caches.open(name)).keys()).map((one) => one.url)))).then((all) => all.flat())")
    check(kept and not [url for url in kept if "/api/" in url], f"the browser keeps {kept}")
    rig.close(page)


def is_accessible(rig: Rig) -> None:
    """axe-core finds nothing against WCAG 2 AA in any view, light, dark and on a phone"""
    found = []
    for size, options in SIZES.items():
        # Without motion, colours are not measured in the middle of a fade.
        page = rig.open(calm=True, **options)
        page.run(axe() + ";0")
        views = {**VIEWS, "dialog": ("#/items/ukulele", "document.querySelector('.manage .danger')")}
        for view, (hash_, ready) in views.items():
            page.run(f"location.hash = {json.dumps(hash_)}")
            page.wait(f"the view {view}", f"!!({ready})")
            if view == "dialog":
                page.run("document.querySelector('.manage .danger').click()")
                page.wait("the dialog", "document.querySelector('dialog')")
            found += [f"{view}, {size}: {violation}" for violation in violations(page)]
            if size == "light" and view != "dialog":
                page.run("document.querySelector('.skip').focus()")
                page.key("Enter")
                if page.run("new Promise((done) => setTimeout(() => done([location.hash, document.activeElement.id]), 100))") != [hash_, "main"]:
                    found.append(f"{view}: the link to the content leads to {page.run('location.hash')}")
        rig.close(page)
    check(not found, "; ".join(found[:6]))


def is_calm(rig: Rig) -> None:
    """with reduced motion, nothing on the page is animated, and marks jump"""
    page = rig.open(calm=True)
    page.wait("marks", VIEWS["now"][1])
    check(page.run("document.getAnimations().length === 0"), "something is animated")
    check(page.run("[...forgetmenot.items.keys()].map((id) => forgetmenot.plan.position(id)).filter(Boolean).every((p) => p.x === p.tx && p.y === p.ty)"), "a mark glides")
    rig.close(page)


def holds_a_crowd(rig: Rig) -> None:
    """with 300 more items the page has rows only for what is in view, scrolls to the last one, and finds any"""
    page = rig.open()
    crowd = [{"id": f"crate-{number:04}", "name": f"Crate {number:04}", "uuid": TAGS, "major": 100, "minor": number} for number in range(300)]
    # A busy machine may need a second try; what was added is then known.
    page.expected.append("api/v1/items/import")
    script = f"""fetch('api/v1/items/import', {{ method: 'POST', headers: {{ 'Content-Type': 'application/json', 'X-Forgetmenot-CSRF': forgetmenot.state.site.csrf }}, body: {json.dumps(json.dumps(crowd))} }})
        .then((answer) => answer.json()).then((answer) => answer.added + answer.known === 300)"""
    page.wait("the import", script, 120)
    page.wait("the items", "forgetmenot.items.size > 300")
    rows = page.wait("rows", "document.querySelectorAll('.row').length")
    check(rows < 60, f"{rows} rows for what is in view")
    page.wait("the first row to take the focus", "(document.querySelector('.row a').focus(), document.activeElement?.closest('li') != null)")
    page.key("End")
    page.wait("the last row", "document.activeElement?.closest('li')?.getAttribute('aria-posinset') === String(forgetmenot.items.size)")
    page.key("/")
    page.wait("the focus", "document.activeElement?.id === 'search'")
    page.type("crate 0277")
    page.wait("the row", "document.querySelectorAll('.row').length === 1 && document.querySelector('.row .name').textContent === 'Crate 0277'")
    rig.close(page)


def paints_a_crowd(rig: Rig) -> None:
    """a crowd that is there in the first second of the page has the page's colour, and lies under the names of the rooms"""
    for size in ("light", "dark"):
        page = rig.open(**SIZES[size])
        # Colours are read again after a second: the page's clock stands still in its first one.
        page.send("Page.addScriptToEvaluateOnNewDocument", source="""performance.now = () => 500; (() => { const look = () => {
            if (!window.forgetmenot?.state.loaded || !document.querySelector('.planview .roomname')) return requestAnimationFrame(look);
            const box = (number) => ({ item: `box-${number}`, name: `Box ${number}`, presence: 'home', room: 'Office', confidence: .9, floor: 0, x_m: 5 + number % 20 / 10, y_m: 4 + Math.floor(number / 20) / 10, accuracy_m: 1, uuid: '', major: 1, minor: number });
            forgetmenot.apply('items', [...forgetmenot.items.values(), ...Array.from({ length: 400 }, (_, number) => box(number))]);
            requestAnimationFrame(() => setTimeout(() => window.isCrowded = true)); }; requestAnimationFrame(look); })()""")
        page.send("Page.reload")
        colours = page.wait("the crowd", """window.isCrowded && (() => { const canvas = document.querySelector('.planview canvas'); const all = {};
            const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
            for (let i = 0; i < data.length; i += 4) if (data[i + 3] > 150) { const key = [...data.slice(i, i + 3)].join(); all[key] = (all[key] ?? 0) + 1; }
            return Object.entries(all).sort((a, b) => b[1] - a[1]).map(([key]) => key.split(',').map(Number)); })()""")
        accent = page.run("getComputedStyle(document.querySelector('.planview')).getPropertyValue('--accent')")
        wanted = [int(accent[at:at + 2], 16) for at in (1, 3, 5)]
        check(colours and max(abs(a - b) for a, b in zip(colours[0], wanted)) < 4, f"in {size} the dots are {colours[:2]} instead of {wanted}")
        check(page.run("document.querySelector('.planview canvas').compareDocumentPosition(document.querySelector('.planview .roomname')) & Node.DOCUMENT_POSITION_FOLLOWING"), "the dots cover the names of the rooms")
        page.screenshot(rig.shots / f"crowd-{size}.png")
        rig.close(page)


def chooses_of_very_many(rig: Rig) -> None:
    """what a person carries, and what a survey is walked with, is found by typing among 20,000 items, and stays chosen; of many beacons nearby, it is said how many more there are"""
    page = rig.open("#/people/")
    crowd = """forgetmenot.apply('items', [...forgetmenot.items.values(), ...Array.from({ length: 20000 }, (_, number) => (
        { item: `box-${number}`, name: `Box ${number}`, presence: 'home', room: 'Office', confidence: 1, notification: null }))])"""
    page.run("forgetmenot.apply('items', [...forgetmenot.items.values()].filter((one) => !one.item.startsWith('crate')))")
    page.wait("the few items", "document.querySelectorAll('.checks input').length > 8 && !document.querySelector('#carry').offsetParent")
    page.run(crowd)
    page.wait("some of the items, and how many more there are", "(document.querySelectorAll('.checks input').length === 50) && /^\\d+ more/.test(document.querySelector('.checks ~ .none').textContent)", 20)

    def seek(field: str, text: str) -> None:
        page.run(f"document.querySelector('{field}').select(); document.querySelector('{field}').focus()")
        page.type(text)

    page.click("#person-name")
    page.type("Crowd")
    for text, id_ in (("cat", "cat"), ("box 7777", "box-7777")):
        seek("#carry", text)
        page.wait("what was sought", f"document.querySelector('#carry-{id_}') && document.querySelectorAll('.checks input').length < 5", 10)
        page.click(f"label[for=carry-{id_}]")
    page.key("Escape")
    seek("#carry", "box 12")
    page.wait("what is chosen", "document.querySelectorAll('.checks input:checked').length === 2 && document.querySelector('#carry-box-12')", 10)
    page.click("label[for=carry-box-7777]")
    seek("#carry", "nothing like it")
    page.wait("only what was changed", "[...document.querySelectorAll('.checks input')].map((one) => one.value).join() === 'cat'", 10)
    # The field that seeks is no change, and Enter in it saves nothing.
    page.key("Enter")
    check(page.run("location.hash") == "#/people/", "Enter in the field that seeks saves the form")
    page.click(".person form .main")
    page.wait("the person", "location.hash === '#/people/crowd' && document.querySelector('.things a')?.textContent === 'Cat'")
    # Like /nearby where very many beacons are in range.
    beacons = json.dumps([{"uuid": TAGS, "major": 9, "minor": number, "gateway": "office", "rssi_dbm": -60, "item": None} for number in range(47)])
    page.run(f"""((real) => {{ window.fetch = (address, options) => (!/nearby/.test(address) ? real(address, options) : Promise.resolve(new Response(
        (window.asked = address) && `event: nearby\ndata: ${{JSON.stringify({{ beacons: {beacons}, more: window.more ??= 3 }})}}\n\n`))); }})(fetch)""")
    page.run("location.hash = '#/manage'")
    page.wait("how many more beacons there are", "[...document.querySelectorAll('.nearby ~ .none')].some((one) => one.textContent === 'and 10 other beacons') && document.querySelectorAll('.nearby li').length === 40", 20)
    # All are searched, at the server.
    for text in ("46", "9 46"):
        seek("#nearby-find", text)
        page.wait("the search", f"window.asked.endsWith('nearby?find={text.replace(' ', '+')}')", 10)
    page.run("document.querySelector('#nearby-find').value = ''; document.querySelector('#nearby-find').dispatchEvent(new Event('input'))")
    page.wait("all beacons", "window.asked.endsWith('nearby')", 10)
    page.run("location.hash = '#/gateways'")
    page.wait("that no card has all beacons", "document.querySelectorAll('.gatewaycards li.card').length >= 5 && [...document.querySelectorAll('.received + .none')].every((one) => one.textContent.includes('only the strongest'))", 20)
    page.run("window.more = 0; location.hash = '#/manage'")
    page.wait("how many more beacons there are", "[...document.querySelectorAll('.nearby ~ .none')].some((one) => one.textContent === 'and 7 other beacons')", 20)
    page.run(crowd)
    page.wait("some of the items, and how many more there are", "document.querySelectorAll('#survey-item option').length === 51", 20)
    for text, id_ in (("box 7777", "box-7777"), ("box 12", "box-12")):
        seek("#survey-find", text)
        page.wait("what was sought", f"document.querySelector('#survey-item option[value={id_}]')", 10)
        page.run(f"document.querySelector('#survey-item').value = '{id_}'")
    seek("#survey-find", "nothing like it")
    page.wait("only what is chosen", "document.querySelectorAll('#survey-item option').length === 2 && document.querySelector('#survey-item').value === 'box-12'", 10)
    rig.change("DELETE", "people/crowd", None)
    rig.close(page)


def shows(rig: Rig) -> None:
    """every view is written as a picture in light, dark and phone width, for a person to look at"""
    for size, options in SIZES.items():
        for view, (hash_, ready) in VIEWS.items():
            page = rig.open(hash_, calm=True, **options)
            page.wait(f"the view {view}", f"!!({ready})")
            page.screenshot(rig.shots / f"{view}-{size}.png")
            rig.close(page)
    check(len(list(rig.shots.glob("*.png"))) >= len(SIZES) * len(VIEWS), "a picture is missing")


# Names that are long, and names that a page may take for something else.
LONG = {
    "words": "Grandmother’s silver flute in its long black leather case (2)", "word": ("Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunte" * 4)[:200],
    "signs": "🧳👩‍👩‍👧‍👦" * 8, "right": "המפתחות של סבתא רבתא ליד הדלת הכחולה (2)", "tags": "<b>Bold</b> & \"quoted\" <img src=x onerror=alert(1)> <script>",
}
# Empty if the first row of the list is in view, right under the search field, and nothing covers it; otherwise where it is.
FIRST_ROW = """(() => {
    const row = document.querySelector('.row[aria-posinset="1"]');
    if (!row) return 'there is no first row';
    const [box, finder, tabs] = [row, document.querySelector('.finder'), document.querySelector('.tabs')].map((one) => one.getBoundingClientRect());
    const top = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
    return box.top > finder.bottom - 2 && box.top < finder.bottom + 20 && box.bottom < tabs.top && row.contains(top) ? ''
        : `the first row is at ${Math.round(box.top)}, the field ends at ${Math.round(finder.bottom)}`;
})()"""


def wait_for_first_row(page: Page) -> None:
    """Waits until the first row stands under the search field."""
    try:
        page.wait("the first row", f"{FIRST_ROW} === ''", 5)
    except Failed:
        raise Failed(page.run(FIRST_ROW)) from None


def finds_on_a_phone(rig: Rig) -> None:
    """on a phone, only the list stands under the search field while one searches or filters; the plan is back afterwards"""
    page = rig.open(calm=True, **SIZES["phone"])
    # Rows stand below the plan: few are in view.
    page.wait("rows and the plan", "document.querySelectorAll('.row').length > 1 && document.querySelectorAll('.planview .room').length === 5")
    plan = "document.querySelector('.planview').offsetHeight > 0"
    for turn in range(2):
        page.run(f"scrollTo(0, {700 * turn})")
        page.click("#search")
        wait_for_first_row(page)
        page.type("guit")
        page.wait("one row", "document.querySelectorAll('.row').length === 1")
        wait_for_first_row(page)
        page.screenshot(rig.shots / "search-phone.png")
        # The tap ends the focus of the field: the row must not move away from under it.
        page.click(".row a")
        page.wait("the item, with the plan", f"location.hash === '#/items/ukulele' && {plan}")
        page.run("location.hash = '#/'")
        page.wait("the list", "!document.querySelector('.listing').hidden")
        wait_for_first_row(page)
        page.click("#search")
        page.key(*["Backspace"] * 4)
        page.wait("all rows", "document.querySelectorAll('.row').length > 5")
        wait_for_first_row(page)
        page.run("document.activeElement.blur()")
        page.wait("the plan", plan)
        page.click("[data-filter=home]")
        wait_for_first_row(page)
        page.click("[data-filter=all]")
        page.wait("the plan again", plan)
    # Without a plan, the rooms of a thousand items are many screens high.
    page.run("""forgetmenot.apply('site', { ...forgetmenot.state.site, plan: null });
        forgetmenot.apply('items', [...Array(1020).keys()].map((n) => ({ item: `c${n}`, name: `Crate ${n}`, presence: 'home', room: `Room ${n % 60}`, confidence: 1 })))""")
    page.wait("tiles", "document.querySelectorAll('.tile').length >= 60")
    for turn in range(2):
        page.click("#search")
        page.type("crate 77")
        page.wait("the row", "document.querySelector('.row .name')?.textContent.startsWith('Crate 77')", 10)
        wait_for_first_row(page)
        page.key(*["Backspace"] * 8)
        page.run("document.activeElement.blur()")
        page.wait("tiles", "document.querySelector('.tiles').offsetHeight > 0")
    rig.close(page)


def keeps_drawings(rig: Rig) -> None:
    """a drawing that is not saved is there again after one left the editor, by tab or by the back button; a reload asks first; Escape can be undone"""
    gateway = "forgetmenot.editor.plan().gateways.find((one) => one.id === 'living')"
    drawn = "document.querySelectorAll('.canvas .room').length === 5"
    undo = ".pagehead .buttons button"
    page = rig.open("#/manage")

    def visit(hash_: str, leave: str | None = None) -> None:
        page.run(leave or f"location.hash = '{hash_}'")
        page.wait("the plan" if hash_ == "#/plan" else "another view", drawn if hash_ == "#/plan" else "!document.querySelector('.canvas')")

    visit("#/plan")
    stored = page.run(f"{gateway}.x_m")
    for turn, leave in enumerate(("document.querySelector('.tabs [data-view=now]').click()", "history.back()", "document.querySelector('.tabs [data-view=history]').click()")):
        page.focus_by_tab("[aria-label^='Gateway living']", 120)
        page.key("ArrowRight")
        moved = page.run(f"{gateway}.x_m")
        check(abs(moved - stored - 0.05 * (turn + 1)) < 0.001, f"the gateway is at {moved}, not {turn + 1} steps from {stored}")
        visit("", leave)
        visit("#/plan")
        check(page.run(f"{gateway}.x_m") == moved, f"the drawing is lost after {leave}")
        check("not saved" in page.run("document.getElementById('toasts').textContent"), "the page does not mention that the drawing is not saved")
    check(next(one for one in rig.api("plan")["gateways"] if one["id"] == "living")["x_m"] == stored, "the drawing was stored")
    # The corners of a room that is not closed.
    left, top = page.run("(() => { const box = document.querySelector('.canvas svg').getBoundingClientRect(); return [box.left, box.top]; })()")
    for turn in range(2):
        page.click(".toolbar [data-tool=room]")
        for x, y in ((20, 20), (60, 20), (60, 60)):
            page.click_at(left + x, top + y)
        three = "document.querySelectorAll('.canvas circle.handle').length === 3 && document.querySelector('.canvas .draft') !== null"
        page.wait("three corners", three)
        page.key("Escape")
        page.wait("no corner", "!document.querySelector('.canvas .draft')")
        page.click(undo)
        page.wait("the corners again", three, 10)
        visit("#/")
        visit("#/plan")
        page.wait("the corners after the other view", three, 10)
        page.run("document.getElementById('toasts').replaceChildren()")
        page.click(".pagehead .main")
        page.wait("the refusal to save half a room", "document.getElementById('toasts').textContent.includes('not closed')", 10)
        for _ in range(3):
            page.click(undo)
        page.wait("no corner", "!document.querySelector('.canvas .draft')")
    # From another view as well, a reload asks.
    visit("#/")
    page.send("Page.reload")
    wait_for("the question of the browser", lambda: "beforeunload" in page.asked, 10)
    page.wait("the page", "document.body?.dataset.live === 'live' && !window.isTheSamePage")
    page.asked.clear()
    for turn in range(2):
        visit("#/plan")
        page.focus_by_tab("[aria-label^='Gateway living']", 120)
        page.key("ArrowRight")
        page.wait("the button", "!document.querySelector('.pagehead .discard').ariaDisabled")
        page.click(".pagehead .discard")
        page.wait("the stored plan", f"{gateway}.x_m === {stored} && document.querySelector('.pagehead .discard').ariaDisabled")
        visit("#/")
    page.run("window.isTheSamePage = true")
    page.send("Page.reload")
    page.wait("the page", "document.body?.dataset.live === 'live' && !window.isTheSamePage")
    check(not page.asked, "the page asks although nothing is lost")
    rig.close(page)


def places_gateways(rig: Rig) -> None:
    """gateways that are placed one after the other do not lie on each other, and are in their rooms"""
    page = rig.open("#/plan")
    page.wait("the plan", "document.querySelectorAll('.canvas .room').length === 5")
    page.run("for (const [id, room] of [['n1', null], ['n2', null], ['n3', null], ['k1', 'Kitchen'], ['k2', 'Kitchen']]) forgetmenot.apply('gateway', { id, room, alive: true, problems: [] })")
    page.wait("the gateways", "document.querySelectorAll('[aria-label=Gateways] button').length === 5")
    for _ in range(5):
        page.click("[aria-label=Gateways] button")
    near = page.run("""(() => { const all = forgetmenot.editor.plan().gateways; const near = [];
        all.forEach((one, index) => { for (const other of all.slice(0, index)) {
            const [a, b] = [one, other].map((at) => forgetmenot.editor.pixel([at.x_m, at.y_m]));
            if (Math.hypot(a[0] - b[0], a[1] - b[1]) < 24) near.push(`${one.id} ${other.id}`); } });
        return near; })()""")
    check(not near, f"gateways lie on each other: {near}")
    is_inside = page.run("""(async () => { const { inside } = await import('./assets/geometry.js'); const plan = forgetmenot.editor.plan();
        return plan.gateways.filter((one) => one.id.startsWith('k')).every((one) => inside([one.x_m, one.y_m], plan.floors[0].rooms.find((room) => room.name === 'Kitchen').polygon_m)); })()""")
    check(is_inside, "a gateway is placed outside its room")
    rig.close(page)


def keeps_rules(rig: Rig) -> None:
    """half a window of hours is refused at its field and by the API; rules, names and offsets that are not saved survive tabs, Escape and a click beside the dialog"""
    def stored() -> dict:
        return next(item for item in rig.api("items")["items"] if item["item"] == "ukulele")["notify"]

    page = rig.open("#/items/ukulele")
    page.expected.append("api/v1/items/ukulele")
    page.wait("the rules", "document.querySelector('#r-from') && document.querySelector('.stays li') && document.querySelector('.spent .bars > *')")

    def enter(key: str, time: str) -> None:
        page.run(f"(() => {{ const field = document.querySelector('#r-{key}'); field.value = '{time}'; field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")

    for one, other, time, more in (("from", "to", "22:00", "07:00"), ("to", "from", "06:30", "21:00")):
        page.run("document.getElementById('toasts').replaceChildren()")
        enter(one, time)
        enter(other, "")
        page.click(".notify button.main")
        page.wait("the refusal, at the field", f"document.querySelector('.notify .problem')?.textContent.includes('both') && document.activeElement.id === 'r-{other}'", 10)
        check("are saved" not in page.run("document.getElementById('toasts').textContent"), "the page says that half a window is saved")
        check(stored().get(one) != time, "half a window is stored")
        # Escape, a tab and another item lose nothing.
        for leave in ("Escape", "document.querySelector('.tabs [data-view=history]').click()", "location.hash = '#/items/cat'"):
            page.run("document.querySelector('#r-left').focus()")
            if leave == "Escape":
                page.key(leave)
            else:
                page.run(leave)
            page.wait("the item to be left", "document.querySelector('.detail h2')?.textContent !== 'Guitar'")
            page.run("location.hash = '#/items/ukulele'")
            # What arrives later moves the buttons below it.
            page.wait("the rules", "document.querySelector('.detail h2')?.textContent === 'Guitar' && document.querySelector('#r-from') && document.querySelector('.stays li') && document.querySelector('.spent .bars > *')")
            check(page.run(f"document.querySelector('#r-{one}').value") == time, f"what was entered is lost after {leave}")
        enter(other, more)
        page.run("document.getElementById('toasts').replaceChildren()")
        page.click(".notify button.main")
        wait_for("the window", lambda: (stored().get(one), stored().get(other)) == (time, more), 10)
        page.wait("the word", "document.getElementById('toasts').textContent.includes('are saved')")
    # What somebody else saves meanwhile stays, and a change that is taken back is none.
    page.run(SENT)
    for turn, after in enumerate((900, 60)):
        page.run(f"(() => {{ const field = document.querySelector('#r-text'); field.value = 'Mine {turn}'; field.dispatchEvent(new Event('input', {{ bubbles: true }})); }})()")
        rig.change("PATCH", "items/ukulele", {"notify": {**stored(), "after_s": after, "returned": True, "returned_text": f"Theirs {turn}"}})
        page.wait("the other rules", f"forgetmenot.items.get('ukulele').notify.after_s === {after}")
        page.click(".notify button.main")
        wait_for("both", lambda: [stored().get(key) for key in ("after_s", "returned_text", "left_text")] == [after, f"Theirs {turn}", f"Mine {turn}"], 10)
        check(page.run("sent.at(-1)") == {"notify": {"left_text": f"Mine {turn}"}}, f"the page sends {page.run('sent.at(-1)')}")
        page.wait("a form with both", f"document.querySelector('#r-after').value === '{after}' && document.querySelector('.notify button.main').disabled")
        page.click("label[for=r-left]")
        page.wait("a draft", "!document.querySelector('.notify [type=reset]').hidden")
        page.click("label[for=r-left]" if turn else ".notify [type=reset]")
        page.wait("no draft", "document.querySelector('.notify [type=reset]').hidden && document.querySelector('#r-left').checked")
    for notify in ({"from": None}, {"to": None}, {"from": "07:00", "to": "07:00"}):
        try:
            rig.change("PATCH", "items/ukulele", {"notify": notify})
        except urllib.error.HTTPError as refusal:
            sentence = json.load(refusal)["error"]
            check(refusal.code == 400 and "notify." in sentence, f"{notify}: {refusal.code} {sentence}")
        else:
            raise Failed(f"the API takes {notify}")
    # A name that is being typed.
    rename = ".manage section:last-child button:not(.danger)"
    page.click(rename)
    page.wait("the old name, selected", "document.activeElement?.id === 'new-name' && document.activeElement.selectionEnd > 0")
    page.type("Half a na")
    page.click_at(5, 400)
    page.key("Escape")
    page.wait("the dialog with what was typed", "document.querySelector('dialog .problem')?.textContent.includes('again') && document.querySelector('#new-name').value === 'Half a na'", 10)
    page.key("Escape")
    page.wait("no dialog", "!document.querySelector('dialog')")
    page.click(rename)
    page.wait("the dialog", "document.activeElement?.id === 'new-name'")
    page.click_at(5, 400)
    page.wait("no dialog, because nothing was typed", "!document.querySelector('dialog')")
    # A receiver offset that is not set yet.
    page.run("location.hash = '#/gateways'")
    for turn in range(2):
        page.click(".gatewaycards li[data-id=kitchen] input")
        page.type("7")
        page.run(f"document.activeElement.blur(); forgetmenot.apply('gateway', {{ id: 'other', room: 'Attic', alive: true, problems: [], rssi_offset_db: {turn + 1}, rssi_offset_from: 'page' }})")
        page.wait("another gateway's new offset", f"document.querySelector('.gatewaycards li[data-id=other]')?.textContent.includes('+{turn + 1} dB')")
        check(page.run("document.querySelector('.gatewaycards li[data-id=kitchen] input').value") == "7" * (turn + 1), "what was typed is lost when another gateway changes")
        page.run("location.hash = '#/'")
        page.wait("another view", "!document.querySelector('.gatewaycards')")
        page.run("location.hash = '#/gateways'")
        page.wait("what was typed", f"document.querySelector('.gatewaycards li[data-id=kitchen] input')?.value === '{'7' * (turn + 1)}'", 10)
    rig.close(page)


def reports_a_dead_gateway(rig: Rig) -> None:
    """a gateway that dies is reported in the header, at its items and, on a phone, above them; also the second time"""
    rig.hear("office", m8=-40)
    page = rig.open(calm=True)
    header = "((live) => `${live.textContent} ${live.dataset.state}`)(document.getElementById('live'))"
    down = "document.querySelector('.health li[data-state=down]')"
    for size in ("light", "phone"):
        page.emulate(calm=True, **SIZES[size])
        page.wait("the item at the gateway", "((item) => item?.room === 'Office' && item.presence === 'home')(forgetmenot.items.get('ukulele'))", 120)
        page.wait("the header", f"{header} === 'Live live'")
        rig.site.gateways["office"].end(9)
        page.wait("the gateway to be reported", down)
        page.wait("the header", f"{header} === 'Office’s gateway is offline stale'", 10)
        text = page.run(f"{down}.querySelector('p').textContent")
        check(re.fullmatch(r"Offline\. Last message at \d\d:\d\d\.", text), f"the gateway's row says: {text}")
        # Only rows in view are drawn, and which items stand before this one depends on the time of day in the simulated house.
        page.wait("the item's row", """(scrollTo(0, scrollY + innerHeight < document.documentElement.scrollHeight ? scrollY + innerHeight / 2 : 0),
            [...document.querySelectorAll('.row')].some((row) => row.textContent.includes('Guitar') && row.textContent.includes('Office’s gateway is offline')))""", 30)
        page.run("scrollTo(0, 0)")
        page.screenshot(rig.shots / f"dead-{size}.png")
        if size == "phone":
            bottom = page.run(f"{down}.getBoundingClientRect().bottom - innerHeight")
            check(bottom < 0, f"on a phone the gateway is {bottom} px below the view")
        rig.site.gateways["office"].start()
        page.wait("the header", f"{header} === 'Live live'")
    rig.close(page)


def holds_long_names(rig: Rig) -> None:
    """names of up to 200 letters, of emoji, from right to left and with tags make no view wider than a phone, stay in their rooms on the plan, and run nothing"""
    rig.change("POST", "items/import", [{"id": f"long-{id_}", "name": name, "uuid": TAGS, "major": 101, "minor": number} for number, (id_, name) in enumerate(LONG.items())])
    # The second name is shorter than where the person is.
    people = {json.loads(rig.change("POST", "people", {"name": name, "carries": [f"long-{id_}"]}))["id"]: name for id_, name in (("word", LONG["word"]), ("right", "אמא"))}
    plan = rig.api("plan")
    names = {room["name"]: f"{room['name']} {name}" for room, name in zip(plan["floors"][0]["rooms"], LONG.values())}
    for room in plan["floors"][0]["rooms"]:
        room["name"] = names[room["name"]]
    for door in plan["doors"]:
        door["between"] = [names[name] for name in door["between"]]
    # Gateways are named after their rooms, and items are in rooms with long names.
    lengthen = f"""(() => {{ const names = {json.dumps(names)}; const rooms = Object.values(names);
        for (const one of ['kitchen', 'hall', 'bedroom', 'living', 'office']) forgetmenot.apply('gateway', {{ id: one, room: rooms.find((room) => room.toLowerCase().startsWith(one)), alive: true, radio: {{ state: 'powered_on' }}, problems: [] }});
        [...forgetmenot.items.values()].forEach((one, number) => forgetmenot.apply('item', {{ ...one, presence: 'home', room: rooms[number % 5], rooms: {{ [rooms[number % 5]]: 0.6, [rooms[(number + 1) % 5]]: 0.4 }}, confidence: 0.6,
            gateway: 'hall', proximity: 'far', notification: number % 2 ? {{ message: `${{one.name}} has left ${{rooms[0]}}.`, since: new Date().toISOString(), count: 1 }} : null }})); }})()"""
    wide = """(() => { const width = document.documentElement.scrollWidth; return width <= 390 ? '' : `${width} px: ${[...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > 391 && !one.closest('svg'))
        .map((one) => `${one.tagName}.${one.className} ${Math.round(one.getBoundingClientRect().right)}`).slice(0, 4)}`; })()"""

    def outside(where: str) -> list[str]:
        return page.run(f"""(() => {{ const rooms = [...document.querySelectorAll('{where} .room')].map((one) => one.getBoundingClientRect());
            return [...document.querySelectorAll('{where} .roomname')].filter((name, index) => {{ const text = name.getBoundingClientRect(); return text.left < rooms[index].left || text.right > rooms[index].right; }}).map((name) => name.textContent); }})()""")

    for size in ("phone", "light"):
        found = []
        page = rig.open(calm=True, **SIZES[size])
        page.expected.append("api/v1/")

        def look(what: str) -> None:
            page.run(f"{lengthen}; new Promise((done) => setTimeout(done, 300))")
            if size == "phone" and page.run(wide):
                found.append(f"{what}: {page.run(wide)}")
            page.screenshot(rig.shots / f"long-{what}-{size}.png")

        page.wait("rows", "document.querySelectorAll('.row').length > 1")
        page.run("forgetmenot.apply('site', { ...forgetmenot.state.site, plan: null })")
        page.wait("tiles", "document.querySelectorAll('.tile .chip').length > 5")
        look("tiles")
        page.run(f"forgetmenot.apply('site', {{ ...forgetmenot.state.site, plan: {json.dumps(plan)} }})")
        page.wait("the plan", "document.querySelectorAll('.planview .roomname').length === 5")
        look("now")
        gaps = page.run("""[...document.querySelectorAll('.people li a')].map((one) => { const text = new Range(); text.selectNodeContents(one.querySelector('strong'));
            return Math.round(text.getBoundingClientRect().left - one.querySelector('i').getBoundingClientRect().right); })""")
        if max(gaps) > 12:
            found.append(f"names of people are {gaps} px from their circles")
        if outside(".planview"):
            found.append(f"names leave their rooms: {outside('.planview')}")
        labels = page.run("""[...document.querySelectorAll('.mark .label:not(.crowded)')].filter((label) => { const [text, box] = [label, document.querySelector('.planbox')].map((one) => one.getBoundingClientRect());
            return text.width > 180 || text.left < box.left || text.right > box.right; }).map((label) => label.textContent)""")
        if labels:
            found.append(f"labels cross the plan: {labels}")
        for id_ in [*LONG, "words"]:
            page.run(f"location.hash = '#/items/long-{id_}'")
            page.wait("the item", f"document.querySelector('.detail h2')?.textContent === {json.dumps(LONG[id_])}")
            look(f"item-{id_}")
        for number, (id_, name) in enumerate(people.items()):
            page.run(f"location.hash = '#/people/{id_}'")
            page.wait("the person", f"document.querySelector('.person h1')?.textContent === {json.dumps(name)} && document.querySelector('#person-name')")
            look(f"person-{number}")
        page.run("location.hash = '#/items/long-words'")
        page.wait("the item", "document.querySelector('.manage .danger')")
        page.run("document.querySelector('.manage .danger').click()")
        page.wait("the dialog", "document.querySelector('dialog')")
        look("dialog")
        page.key("Escape")
        page.wait("no dialog", "!document.querySelector('dialog')")
        page.run(f"import('./assets/dom.js').then((dom) => dom.toast({json.dumps(LONG['word'] + ' is removed.')}))")
        for view in ("history", "gateways", "manage", "plan"):
            page.run(f"location.hash = '#/{view}'")
            page.wait(f"the view {view}", f"document.body.dataset.view === '{view}' && {VIEWS[view][1]}")
            look(view)
            if view == "history" and size == "phone" and page.run("document.querySelector('#at').getBoundingClientRect().width < 300"):
                found.append("the date field is cut on a phone")
        if outside(".canvas"):
            found.append(f"names leave their rooms in the editor: {outside('.canvas')}")
        check(page.run("!document.querySelector('.name b, .row img, .detail img, h2 b:not(.number), .chip b')"), "a name is taken for tags")
        check(not found, "; ".join(found))
        rig.close(page)
    for id_ in people:
        rig.change("DELETE", f"people/{id_}", None)
    for id_ in LONG:
        rig.change("DELETE", f"items/long-{id_}", None)


def fits_narrow_screens(rig: Rig) -> None:
    """each view, and the pages of an item and of a person, is no wider than a screen of 280, 320 and 360 px, in English and in German"""
    found = []
    for language in ("en-GB", "de-DE"):
        page = rig.browser.page()
        rig.pages.append(page)
        page.expected += rig.missing
        page.speak(language)
        page.emulate(calm=True, **SIZES["phone"])
        page.open(f"http://{rig.host}/")
        page.wait("the page to be live", "document.body.dataset.live === 'live' && forgetmenot.state.loaded")
        for width in (360, 320, 280):
            page.emulate(calm=True, **{**SIZES["phone"], "width": width})
            for view, (hash_, ready) in VIEWS.items():
                page.run(f"location.hash = '{hash_}'")
                page.wait(f"the view {view}", f"!!({ready})")
                page.run("new Promise((done) => setTimeout(done, 300))")
                page.screenshot(rig.shots / f"narrow-{view}-{language[:2]}-{width}.png")
                if view == "manage" and page.run("document.querySelector('.card .people').offsetTop > document.querySelector('#household ~ .buttons').offsetTop"):
                    found.append("the people stand below the button that adds one")
                found += [f"{view} {language} {width}: {one}" for one in page.run(NARROW.format(width=width))]
        rig.close(page)
    check(not found, "; ".join(found))


# How much wider than the screen the page is, and what sticks out.
NARROW = """(() => {{ const wide = document.documentElement.scrollWidth; return wide <= {width} ? [] : [`${{wide}} px: ` +
    [...document.querySelectorAll('body *')].filter((one) => one.getBoundingClientRect().right > {width} + 1 && !one.closest('svg')).map((one) => `${{one.tagName}}.${{one.className}} ${{Math.round(one.getBoundingClientRect().right)}}`).slice(0, 6)]; }})()"""


# Texts and labels that stand in English although the file of the language has another sentence for them; but names of items, and messages of the aggregator, are as they are.
ENGLISH = r"""(async () => {
    const part = async (name) => (await fetch(document.querySelector('script[src]').src.replace('app.js', name))).json();
    const table = { ...await part('language-de.json'), ...await part('language-de-more.json') };
    const names = new Set([...forgetmenot.items.values()].map((one) => one.name));
    // What the site has notified is in the site's language.
    const messages = [...forgetmenot.items.values()].flatMap((one) => one.notification?.message ?? []);
    const bare = (sentence) => sentence.replace(/\{\w+\}/g, '').trim();
    const pattern = (sentence) => new RegExp(`^${sentence.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('.+')}$`);
    const foreign = Object.entries(table).filter(([english, own]) => english !== own && bare(english).length > 2).map(([english]) => pattern(english.trim()));
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) texts.push(walker.currentNode.data);
    for (const one of document.querySelectorAll('[aria-label], [placeholder], [title]')) texts.push(...['aria-label', 'placeholder', 'title'].map((name) => one.getAttribute(name) ?? ''));
    return texts.map((text) => text.trim()).filter((text) => text && !names.has(text) && !messages.some((one) => text.includes(one)) && foreign.some((one) => one.test(text)));
})()"""
# What is wider than the screen, and buttons and links of the bar whose text does not fit.
OVERFLOWING = """(() => {
    const width = document.documentElement.clientWidth;
    const cut = [...document.querySelectorAll('button, .button, .tabs a, h1, h2, h3, dt, label, legend')].filter((one) => !one.closest('.hidden') && one.clientWidth && one.scrollWidth > one.clientWidth + 1);
    return [...(document.documentElement.scrollWidth > width ? [`the page is ${document.documentElement.scrollWidth} px wide`] : []), ...cut.map((one) => `${one.tagName} ${one.textContent}`)];
})()"""


def speaks_german(rig: Rig) -> None:
    """in a German browser each view is in German, fits a screen and a phone, and loads with fewer than 60 kB; who chooses English gets English"""
    found = []
    for size, options in {"light": {"width": 1400, "height": 900}, "phone": SIZES["phone"]}.items():
        page = rig.browser.page()
        rig.pages.append(page)
        page.expected += rig.missing
        page.speak("de-DE")
        page.emulate(calm=True, **options)
        page.send("Network.setBypassServiceWorker", bypass=True)
        page.send("Network.setCacheDisabled", cacheDisabled=size == "light")
        page.open(f"http://{rig.host}/")
        page.wait("the page to be live", "document.body.dataset.live === 'live' && forgetmenot.state.loaded")
        for view, (hash_, ready) in VIEWS.items():
            page.run(f"location.hash = '{hash_}'")
            page.wait(f"the view {view}", f"!!({ready})")
            if view == "now" and size == "light":
                # What the site has by now, a past and a picture, is not the page.
                sent = sum(count for request, count in page.received.items() if "/api/v1/" not in page.addresses[request]) + rig.first_of_the_stream()
                print(f"# {sent} bytes for the first view in German")
                check(sent < BUDGET, f"the first view in German takes {sent} bytes")
            page.run("new Promise((done) => setTimeout(done, 500))")
            page.screenshot(rig.shots / f"german-{view}-{size}.png")
            found += [f"{view} {size}: {one}" for one in page.run(ENGLISH) + page.run(OVERFLOWING)]
        check(page.run("document.documentElement.lang") == "de", "the page does not name its language")
        page.run("location.hash = '#/manage'")
        page.wait("the choice of the language", "document.querySelector('#language')")
        for language, heading in (("en", "Manage"), ("", "Verwalten")):
            page.run(f"window.isFormer = true; document.querySelector('#language').value = '{language}'; document.querySelector('#language').dispatchEvent(new Event('change'))")
            page.wait(f"the heading {heading}", f"!window.isFormer && document.querySelector('h1')?.textContent === '{heading}' && document.querySelector('#language').value === '{language}'")
        rig.close(page)
    check(not found, "; ".join(found))


class Quiet(http.server.SimpleHTTPRequestHandler):
    """A server of static files that logs nothing."""

    def log_message(self, *words) -> None:
        pass


def replays(rig: Rig) -> None:
    """a recorded day is replayed from static files below any address: items move, the past opens, nothing can be changed, and no request leaves the folder"""
    if not shutil.which("faketime"):
        raise Skipped("faketime is not installed")
    root = rig.site.folder / "static"
    folder = root / "some/where"
    # At 60 times the speed, as `make demo` has it, the programs would need the machine for themselves.
    recorder = subprocess.run([here.parents[1] / "deploy/demo/record.sh", folder, "0.2"], capture_output=True, text=True,
                              env={**os.environ, "FORGETMENOT_PROGRAMS": str(rig.site.programs), "DEMO_SPEED": "8"})
    check(recorder.returncode == 0 and sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) < 1 << 20, f"{recorder}")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=root))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/some/where/"
    places = "JSON.stringify([...document.querySelectorAll('.mark')].map((mark) => mark.getAttribute('transform')))"
    for size in ("light", "phone"):
        page = rig.browser.page()
        rig.pages.append(page)
        page.emulate(**SIZES[size])
        page.open(address)
        page.wait("items on the plan", "document.body.dataset.live === 'live' && document.querySelectorAll('.mark').length > 2")
        page.wait("the time of the recording", "/recorded day .* it is \\d\\d:\\d\\d/.test(document.body.textContent)")
        before = page.run(places)
        page.wait("an item to move", f"{places} !== {json.dumps(before)}")
        # A reader returns after a second, which is a minute of the recording.
        live = page.run("""(() => { for (const end = performance.now() + 1000; performance.now() < end;); document.dispatchEvent(new Event('visibilitychange'));
            return new Promise((done) => setTimeout(() => done(forgetmenot.state.live), 100)); })()""")
        check(live == "live", f"the recording is {live}")
        page.screenshot(rig.shots / f"replay-{size}.png")
        for view, (hash_, is_there) in VIEWS.items():
            if view in ("item", "person", "gateways"):
                continue
            page.run(f"location.hash = {json.dumps(hash_)}")
            page.wait(view, is_there)
        page.run("location.hash = '#/history'")
        page.wait("the past", "[...document.querySelectorAll('.dayrow .place')].some((place) => place.textContent === 'Bedroom')")
        page.screenshot(rig.shots / f"replay-history-{size}.png")
        # A change is refused in a sentence, each time.
        page.expected.append("403")
        for method, path in [("POST", "items/violin/acknowledge"), ("DELETE", "items/violin"), ("PUT", "plan")]:
            answer = page.run(f"fetch('api/v1/{path}', {{ method: '{method}' }}).then(async (response) => [response.status, (await response.json()).error])")
            check(answer == [403, "This is a recording: nothing can be changed here."], f"{answer}")
        check(page.run("fetch('api/v1/nothing').then((response) => response.status)") == 404, "what was not recorded is there")
        outside = [url for url in page.requests if not url.startswith((address, "data:", "about:", "blob:"))]
        check(not outside and not page.unexpected(), f"requests outside of the folder: {outside}; errors: {page.unexpected()}")
        check(not any("/api/" in url for url in page.requests), "a request went to the server instead of the recording")
        rig.pages.remove(page)
        page.close()
    server.shutdown()


def begins_with_places(rig: Rig) -> None:
    """`make run` begins with places: when it names its page, the items there and in its first lines are known"""
    run = subprocess.Popen([here.parents[1] / "deploy/demo/run.sh"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                           env={**os.environ, "FORGETMENOT_PROGRAMS": str(rig.site.programs)})
    try:
        address = next((found[1] for line in run.stderr if (found := re.match(r"Open (http://\S+) in a browser", line))), None)
        check(address, "make run ends before it names its page")
        with urllib.request.urlopen(f"{address}api/v1/items", timeout=20) as answer:
            items = json.load(answer)["items"]
        # The first line of each item: "14:02:05  Cat: Kitchen".
        first: dict[str, str] = {}
        for line in run.stdout:
            name, place = line.split("  ", 1)[1].strip().split(": ", 1)
            first.setdefault(name, place)
            if all(item["name"] in first for item in items):
                break
        for where, places in (("on the page", [item["presence"] for item in items]), ("in the first lines", [first.get(item["name"], "unknown") for item in items])):
            check(len(places) == 12 and sum(place.lower().startswith("unknown") for place in places) < 3, f"{where} the items are {places}")
    finally:
        run.terminate()
        run.communicate(timeout=60)


CASES = [
    shows_tiles, loads, leads, adds_by_mouse, tells_what_came, appears, moves, searches, renames_by_keyboard, goes_back, renames_by_touch, notifies, acknowledges_otherwise, updates_notifications, remembers, fills_strips, loads_the_past_of_a_busy_site, shows_the_past, keeps_people, forgets, surveys, advises, shows_gateways, invites, removes_gateways, offsets, sorts, agrees, settles, heats, zooms, draws, draws_by_size,
    keeps_drawings, places_gateways, saves, meets_another_editor, saves_again, keeps_rules, keeps_names, removes, adds_by_keyboard, finds_on_a_phone, reports_a_dead_gateway, holds_long_names, fits_narrow_screens, is_accessible, is_calm, shows, speaks_german, is_quick, spares_work,
    is_measured, reconnects, renews_its_token, wakes, ends_when_left, catches_up, trusts_the_servers_clock, outlasts_a_session_of_home_assistant, opens_without_its_server, holds_a_crowd, paints_a_crowd, chooses_of_very_many, pushes, shows_messages, logs_in, is_proxied, replays, begins_with_places,
]


def main() -> int:
    programs, base = map(pathlib.Path, sys.argv[1:3])
    only = sys.argv[3:]
    unknown = set(only) - {case.__name__ for case in CASES}
    if unknown:
        sys.exit(f"Tests/page/run: no case {', '.join(sorted(unknown))}: write one of {', '.join(c.__name__ for c in CASES)}")
    base.mkdir(parents=True, exist_ok=True)
    for old in base.glob("*.png"):
        old.unlink()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="page-"))
    failed = 0
    rig = None
    try:
        rig = Rig(folder, programs, base)
        rig.start()
        for number, case in enumerate(CASES, 1):
            if only and case.__name__ not in only:
                continue
            sentence = re.sub(r"\s+", " ", case.__doc__)
            try:
                case(rig)
                print(f"ok {number} - {sentence}", flush=True)
            except Skipped as reason:
                print(f"ok {number} - {sentence} # skipped: {reason}", flush=True)
            except Exception as failure:
                failed += 1
                for page in rig.pages:
                    page.screenshot(base / f"failed-{case.__name__}.png")
                rig.tidy()
                print(f"not ok {number} - {sentence}\n    {failure}", flush=True)
                if not isinstance(failure, Failed):
                    traceback.print_exc(file=sys.stdout)
    finally:
        if rig:
            rig.end()
        if failed:
            print(f"# logs: {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
