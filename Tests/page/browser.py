"""A headless Chromium, driven through its own protocol: mouse, touch and keyboard events as people make them, and what a page requests and logs."""

import base64
import itertools
import json
import os
import pathlib
import queue
import subprocess
import threading
import time
import urllib.parse
import urllib.request

import websocket

from processes import Failed, wait_for

KEYS = {
    "Enter": (13, "\r"), "Escape": (27, ""), "Tab": (9, ""), "ArrowDown": (40, ""), "ArrowUp": (38, ""), "Backspace": (8, ""), " ": (32, " "),
    "ArrowLeft": (37, ""), "ArrowRight": (39, ""), "Home": (36, ""), "End": (35, ""), "Insert": (45, ""),
}


class Browser:
    """One Chromium process with a profile of its own, on the loopback interface only."""

    def __init__(self, folder: pathlib.Path):
        self.profile = folder / "chromium"
        self.profile.mkdir()
        words = [
            "chromium", "--headless=new", "--remote-debugging-port=0", f"--user-data-dir={self.profile}", "--no-first-run", "--disable-gpu",
            "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-extensions", "--disable-default-apps",
            "--disable-dev-shm-usage", "--hide-scrollbars", "--force-color-profile=srgb", "--lang=en-GB", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
            "about:blank",
        ]
        # Chromium's own sandbox does not work for root.
        if os.geteuid() == 0:
            words.insert(1, "--no-sandbox")
        self.log = open(folder / "chromium.log", "wb")
        self.child = subprocess.Popen(words, stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, env={**os.environ, "LANG": "C.UTF-8"})
        mark = self.profile / "DevToolsActivePort"
        wait_for("Chromium", lambda: mark.exists() and mark.read_text().count("\n") >= 1 or self.child.poll() is not None, 60)
        if self.child.poll() is not None:
            raise Failed(f"Chromium ended with {self.child.returncode}: see {folder / 'chromium.log'}")
        self.port = int(mark.read_text().split("\n")[0])

    def page(self) -> "Page":
        request = urllib.request.Request(f"http://127.0.0.1:{self.port}/json/new?about:blank", method="PUT")
        with urllib.request.urlopen(request, timeout=30) as answer:
            return Page(json.load(answer)["webSocketDebuggerUrl"])

    def worker(self, address: str) -> "Page":
        """The service worker of an address, in which scripts can run."""
        def find():
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/json/list", timeout=30) as answer:
                return [one["webSocketDebuggerUrl"] for one in json.load(answer) if one["type"] == "service_worker" and one["url"].startswith(address)]
        return Page(wait_for("the worker", find)[-1], ("Runtime",))

    def end(self) -> None:
        self.child.terminate()
        try:
            self.child.wait(20)
        except subprocess.TimeoutExpired:
            self.child.kill()
            self.child.wait()
        self.log.close()


class Page:
    """One tab."""

    def __init__(self, address: str, domains: tuple[str, ...] = ("Page", "Runtime", "Network", "Log", "DOM", "Performance")):
        self.socket = websocket.create_connection(address, timeout=None, suppress_origin=True)
        self.numbers = itertools.count(1)
        # The commands that wait for an answer. The queue is made before the command is sent: both threads making it at once would lose the answer.
        self.answers: dict[int, queue.SimpleQueue] = {}
        # What went wrong in the page: errors on the console, exceptions, refusals by the content security policy.
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.received: dict[str, int] = {}
        self.addresses: dict[str, str] = {}
        # Errors that a test provokes on purpose.
        self.expected: list[str] = []
        # The questions of the browser itself, which were all answered with yes.
        self.asked: list[str] = []
        # The registrations of service workers, by the addresses that they are for.
        self.registrations: dict[str, str] = {}
        self.touch = False
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        for domain in domains:
            self.send(f"{domain}.enable")

    def _read(self) -> None:
        try:
            while True:
                message = json.loads(self.socket.recv())
                if "id" in message:
                    if waiting := self.answers.get(message["id"]):
                        waiting.put(message)
                else:
                    self._note(message["method"], message["params"])
        except (websocket.WebSocketException, OSError, ValueError):
            return

    def _note(self, method: str, params: dict) -> None:
        if method == "Page.javascriptDialogOpening":
            # A page with unsaved changes asks before it goes.
            self.asked.append(params["type"])
            self.post("Page.handleJavaScriptDialog", accept=True)
        elif method == "Runtime.exceptionThrown":
            details = params["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description") or details["text"])
        elif method == "Runtime.consoleAPICalled" and params["type"] in ("error", "assert"):
            self.errors.append(" ".join(str(part.get("value", part.get("description"))) for part in params["args"]))
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "ServiceWorker.workerRegistrationUpdated":
            self.registrations |= {one["scopeURL"]: one["registrationId"] for one in params["registrations"] if not one["isDeleted"]}
        elif method == "Network.requestWillBeSent":
            self.requests.append(params["request"]["url"])
            self.addresses[params["requestId"]] = params["request"]["url"]
        elif method == "Network.loadingFinished":
            self.received[params["requestId"]] = int(params["encodedDataLength"])
        elif method == "Network.dataReceived":
            # A stream never finishes; what arrived counts.
            self.received[params["requestId"]] = self.received.get(params["requestId"], 0) + int(params["encodedDataLength"])

    def post(self, method: str, **params) -> None:
        """Sends a command whose answer nobody waits for."""
        self._send(next(self.numbers), method, params)

    def _send(self, number: int, method: str, params: dict) -> None:
        self.socket.send(json.dumps({"id": number, "method": method, "params": params}))

    def close(self) -> None:
        """Closes the tab; the connection ends with it, often before the answer."""
        self.post("Page.close")
        self.reader.join(30)

    def send(self, method: str, **params):
        number = next(self.numbers)
        waiting = self.answers[number] = queue.SimpleQueue()
        self._send(number, method, params)
        try:
            answer = waiting.get(timeout=60)
        except queue.Empty:
            raise Failed(f"Chromium does not answer {method}") from None
        finally:
            del self.answers[number]
        if "error" in answer:
            raise Failed(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def run(self, script: str):
        """The value of an expression in the page; a promise is awaited."""
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True)
        if "exceptionDetails" in answer:
            details = answer["exceptionDetails"]
            raise Failed(f"{script[:120]}: {details.get('exception', {}).get('description') or details['text']}")
        return answer["result"].get("value")

    def wait(self, what: str, script: str, seconds: float = 60):
        """Waits until an expression is true in the page."""
        def now():
            try:
                # An element has no value of its own.
                return self.run(f"((value) => (value instanceof Node ? true : value))({script})")
            except Failed as failure:
                # While a page loads, there is nothing to ask yet.
                if any(word in str(failure) for word in ("null", "undefined", "context", "navigated")):
                    return None
                raise
        try:
            return wait_for(what, now, seconds, 0.05)
        except Failed as failure:
            raise Failed(f"{failure}; {self._state()}") from None

    def _state(self) -> str:
        """What may explain that something does not happen in the page."""
        try:
            frames = self.run("""new Promise((done) => { let count = 0; const next = () => { count += 1; requestAnimationFrame(next); };
                requestAnimationFrame(next); setTimeout(() => done(count), 300); })""")
            return f"the page is {self.run('document.visibilityState')}, with {frames} frames in 300 ms, and errors: {self.errors[-3:]}"
        except Failed as failure:
            return f"the page does not respond: {failure}"

    def open(self, address: str) -> None:
        self.send("Page.navigate", url=address)

    def speak(self, language: str) -> None:
        """Has pages that are opened from now on find another language in the browser's settings."""
        self.send("Network.setUserAgentOverride", userAgent=self.run("navigator.userAgent"), acceptLanguage=language)

    def emulate(self, width: int = 1280, height: int = 820, dark: bool = False, phone: bool = False, calm: bool = False, scale: int = 1) -> None:
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=phone)
        self.send("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.touch = phone
        self.send("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"},
        ])

    def screenshot(self, path: pathlib.Path) -> None:
        # Two frames, so that what just changed is drawn.
        self.run("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")
        data = self.send("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))

    def middle(self, selector: str) -> tuple[float, float]:
        """The middle of an element that is in view and that nothing covers."""
        place = f"""(() => {{
            const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{ block: 'nearest' }});
            const box = element.getBoundingClientRect();
            if (!box.width) return null;
            const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
            const top = document.elementFromPoint(x, y);
            return top && (element.contains(top) || top.contains(element)) ? [x, y] : null;
        }})()"""
        return tuple(self.wait(f"{selector} to be in view", place, 30))

    def click(self, selector: str) -> None:
        """A click of the mouse; on a touch screen, a tap. Where the page moved the element away under the pointer, another one."""
        element = json.dumps(selector)
        for _ in range(3):
            place = self.middle(selector)
            self.run(f"(window.aim = document.querySelector({element}))?.addEventListener('click', () => {{ window.aim = null; }}, {{ once: true, capture: true }})")
            self.click_at(*place)
            try:
                if self.run(f"new Promise((done) => setTimeout(() => done(!window.aim || window.aim !== document.querySelector({element})), window.aim ? 300 : 0))"):
                    return
            except Failed:
                # The click has led to another page.
                return

    def click_at(self, x: float, y: float) -> None:
        if self.touch:
            self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
            self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def drag(self, start: tuple[float, float], end: tuple[float, float], steps: int = 6) -> None:
        if self.touch:
            self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": start[0], "y": start[1]}])
            for step in range(1, steps + 1):
                x, y = (start[axis] + (end[axis] - start[axis]) * step / steps for axis in (0, 1))
                self.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y}])
            self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])
            return
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=start[0], y=start[1])
        self.send("Input.dispatchMouseEvent", type="mousePressed", x=start[0], y=start[1], button="left", clickCount=1)
        for step in range(1, steps + 1):
            x, y = (start[axis] + (end[axis] - start[axis]) * step / steps for axis in (0, 1))
            self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y, button="left", buttons=1)
        self.send("Input.dispatchMouseEvent", type="mouseReleased", x=end[0], y=end[1], button="left", clickCount=1)

    def pinch(self, middle: tuple[float, float], start: float, end: float, steps: int = 6) -> None:
        """Two fingers beside a point, which move apart or together."""
        def fingers(reach: float) -> list[dict]:
            return [{"x": middle[0] + side * reach / 2, "y": middle[1], "id": number} for number, side in enumerate((-1, 1))]
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=fingers(start)[:1])
        self.send("Input.dispatchTouchEvent", type="touchStart", touchPoints=fingers(start))
        for step in range(1, steps + 1):
            self.send("Input.dispatchTouchEvent", type="touchMove", touchPoints=fingers(start + (end - start) * step / steps))
        self.send("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def wheel(self, x: float, y: float, by: float) -> None:
        self.send("Input.dispatchMouseEvent", type="mouseWheel", x=x, y=y, deltaX=0, deltaY=by)

    def key(self, *names: str, shift: bool = False) -> None:
        for name in names:
            code, text = KEYS[name] if name in KEYS else (ord(name.upper()), name)
            common = {"key": name, "windowsVirtualKeyCode": code, "code": name if len(name) > 1 else "", "modifiers": 8 if shift else 0}
            self.send("Input.dispatchKeyEvent", type="keyDown", text=text, **common)
            self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def type(self, text: str) -> None:
        for letter in text:
            self.send("Input.dispatchKeyEvent", type="keyDown", key=letter, text=letter)
            self.send("Input.dispatchKeyEvent", type="keyUp", key=letter)

    def focus_by_tab(self, selector: str, limit: int = 60) -> None:
        """Presses Tab until an element has the focus, as somebody without a mouse does."""
        for _ in range(limit):
            if self.run(f"document.activeElement?.matches({json.dumps(selector)}) ?? false"):
                return
            self.key("Tab")
        raise Failed(f"Tab does not reach {selector} within {limit} steps")

    def foreign(self, host: str) -> list[str]:
        """Requests to any other host."""
        def is_own(url: str) -> bool:
            parts = urllib.parse.urlsplit(url)
            return parts.scheme in ("data", "blob", "about") or parts.netloc == host
        return [url for url in self.requests if not is_own(url)]

    def unexpected(self) -> list[str]:
        return [error for error in self.errors if not any(part in error for part in self.expected)]
