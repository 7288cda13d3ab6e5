"""Starts what the test needs, and ends it by its process id: each on a free port, in a folder of its own, with a bounded wait for the thing itself."""

import os
import pathlib
import signal
import socket
import subprocess
import time


class Failed(Exception):
    """What was waited for did not come, or something is not as it must be."""


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(what: str, is_so, seconds: float = 60, every: float = 0.1):
    """The first true answer of `is_so`; fails with the last answer once `seconds` are over."""
    end = time.monotonic() + seconds
    while True:
        answer = is_so()
        if answer:
            return answer
        if time.monotonic() > end:
            raise Failed(f"waited {seconds:g} s in vain for {what} (last: {answer!r})")
        time.sleep(every)


def answers(port: int) -> bool:
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex(("127.0.0.1", port)) == 0


class Process:
    """One process; what it prints is in `log`."""

    def __init__(self, name: str, words: list[str], folder: pathlib.Path):
        self.name, self.words, self.log = name, words, folder / f"{name}.log"
        self.child: subprocess.Popen | None = None

    def start(self) -> "Process":
        with open(self.log, "ab") as out:
            self.child = subprocess.Popen(
                self.words, stdout=out, stderr=out, stdin=subprocess.DEVNULL, start_new_session=True
            )
        return self

    @property
    def is_running(self) -> bool:
        return self.child is not None and self.child.poll() is None

    def end(self, number: int = signal.SIGTERM, seconds: float = 60) -> int | None:
        """Ends it, and gives its status; one that does not go is killed."""
        if self.child is None:
            return None
        if self.child.poll() is None:
            self.child.send_signal(number)
            try:
                self.child.wait(seconds)
            except subprocess.TimeoutExpired:
                self.child.kill()
                self.child.wait()
                raise Failed(f"{self.name} did not end within {seconds:g} s of signal {number}")
        return self.child.returncode


def btsnoop(packets) -> bytes:
    """A recording of HCI packets (H4), each with its time in microseconds since 1970."""
    epoch = 0x00DCDDB30F2F8000  # microseconds from year 0 to 1970
    records = b"btsnoop\0" + (1).to_bytes(4, "big") + (1002).to_bytes(4, "big")
    for at, packet in packets:
        length = len(packet).to_bytes(4, "big")
        records += length + length + (3).to_bytes(4, "big") + (0).to_bytes(4, "big") + (epoch + at).to_bytes(8, "big") + packet
    return records


class SteeredRadio:
    """A recording of a second that a gateway plays again and again, and that is written over while it does.

    The tag is heard as strongly as is wanted, and a stranger always, weakly. If `reports_batteries`, tags may report their charge.
    """

    UUID = bytes.fromhex("e2c56db5dffb48d2b060d0f5a71096e0")

    def __init__(self, path: pathlib.Path, minors: list[int], turns: int = 10, reports_batteries: bool = False):
        self.path, self.minors, self.turns = path, minors, turns
        # The charge in per cent by the minor; what is written is as long without one, as of a stranger.
        self.charges: dict[int, int] | None = {} if reports_batteries else None
        path.write_bytes(self.recording({}))

    def hear(self, **levels: int | None) -> None:
        """From the next turn on: `m7=-40` hears minor 7 at -40 dBm."""
        with open(self.path, "r+b") as file:
            file.write(self.recording({int(name[1:]): rssi for name, rssi in levels.items() if rssi is not None}))

    def recording(self, levels: dict[int, int]) -> bytes:
        packets = []
        for turn in range(self.turns):
            heard = [(99, -90)] + [(minor if minor in levels else 99, levels.get(minor, -90)) for minor in self.minors]
            for minor, rssi in heard:
                packets.append((turn * (1_000_000 // self.turns), self.report(minor, rssi)))
                if self.charges is not None:
                    charged = minor if minor in self.charges else 98
                    packets.append((turn * (1_000_000 // self.turns), self.telemetry(charged, self.charges.get(minor, 50), rssi)))
        return btsnoop(packets)

    @classmethod
    def report(cls, minor: int, rssi: int) -> bytes:
        """04 3E length 02 reports { eventType addressType address[6] dataLength data[] rssi }"""
        frame = bytes.fromhex("0201061aff4c000215") + cls.UUID
        frame += (7).to_bytes(2, "big") + minor.to_bytes(2, "big") + (-59).to_bytes(1, "big", signed=True)
        return cls.advertisement(minor, frame, rssi)

    @classmethod
    def telemetry(cls, minor: int, percent: int, rssi: int) -> bytes:
        """The charge in the form of BTHome, from the address of the tag."""
        return cls.advertisement(minor, bytes.fromhex("0201060616d2fc4001") + bytes([percent]), rssi)

    @staticmethod
    def advertisement(minor: int, frame: bytes, rssi: int) -> bytes:
        address = bytes([minor & 0xFF, 2, 3, 4, 5, 0xC6])
        body = bytes([0x02, 0x01, 0x03, 0x01]) + address + bytes([len(frame)]) + frame + rssi.to_bytes(1, "big", signed=True)
        return bytes([0x04, 0x3E, len(body)]) + body


class Site:
    """A broker, gateways and the aggregator, as people run them."""

    def __init__(self, folder: pathlib.Path, programs: pathlib.Path):
        self.folder, self.programs, self.port = folder, programs, free_port()
        (folder / "mosquitto.conf").write_text(
            ("user root\n" if os.geteuid() == 0 else "")
            + f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n"
        )
        mosquitto = "/usr/sbin/mosquitto" if os.path.exists("/usr/sbin/mosquitto") else "mosquitto"
        self.broker = Process("mosquitto", [mosquitto, "-c", str(folder / "mosquitto.conf")], folder).start()
        wait_for("mosquitto", lambda: answers(self.port))
        self.gateways: dict[str, Process] = {}
        self.aggregator: Process | None = None

    def start_gateway(self, gateway: str, room: str, radio: SteeredRadio, more: str = "", exit_after: str = "4s") -> Process:
        file = self.folder / f"{gateway}.toml"
        file.write_text(
            f'id = "{gateway}"\nroom = "{room}"\nstate_directory = "{gateway}"\n[mqtt]\nport = {self.port}\n'
            f'[radio]\nsource = "capture:{radio.path}"\nat_end = "loop"\n[monitoring]\nexit_after = "{exit_after}"\n{more}'
        )
        words = [str(self.programs / "forgetmenot-gateway"), "run", "--config", str(file)]
        self.gateways[gateway] = Process(gateway, words, self.folder).start()
        return self.gateways[gateway]

    def start_aggregator(self, more: str = "", language: str = "en") -> Process:
        file = self.folder / "aggregator.toml"
        file.write_text(f'state_directory = "aggregator"\nlanguage = "{language}"\n[mqtt]\nport = {self.port}\n'
                        f'[page]\nenabled = false\nurl = "https://house.example"\n{more}')
        words = [str(self.programs / "forgetmenot"), "run", "--config", str(file)]
        self.aggregator = Process("aggregator", words, self.folder).start()
        return self.aggregator

    def ask(self, *words: str, status: int = 0) -> str:
        """A command of people's, which has to end with this status."""
        done = subprocess.run(
            [str(self.programs / "forgetmenot"), *words, "--config", str(self.folder / "aggregator.toml")],
            capture_output=True, text=True, timeout=60,
        )
        if done.returncode != status:
            raise Failed(f"forgetmenot {' '.join(words)}: {done.returncode} {done.stderr}")
        return done.stdout

    def end(self) -> None:
        for process in [*self.gateways.values(), self.aggregator, self.broker]:
            if process is not None:
                process.end()
