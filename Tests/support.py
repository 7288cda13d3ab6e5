"""What the tests with real programs and brokers share: processes that end with the test, an MQTT client, simulated gateways, recordings."""
import collections
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from datetime import datetime, timezone

UUID = "daf246ce-8363-11e4-b116-123b93f75cba"
children, failures = [], []


def check(condition, sentence):
    """Print what was found, and note it if it is a failure."""
    print(("passed: " if condition else "FAILED: ") + sentence, flush=True)
    if not condition:
        failures.append(sentence)


def run(name, test):
    """Run a test in a folder of its own; the folder stays if something failed."""
    folder = tempfile.mkdtemp(prefix=f"forgetmenot-{name.lower().replace(' ', '-')}-")
    # PostgreSQL runs as another user.
    os.chmod(folder, 0o755)
    try:
        test(folder)
    finally:
        stop_all()
    if failures:
        print(f"The files are in {folder}")
        sys.exit(1)
    shutil.rmtree(folder)
    print(f"{name} test: passed")


def free_port(addresses=("127.0.0.1",)):
    """Return a port that is free at all of these addresses."""
    while True:
        with socket.socket() as first:
            first.bind((addresses[0], 0))
            port = first.getsockname()[1]
            try:
                for address in addresses[1:]:
                    with socket.socket() as other:
                        other.bind((address, port))
                return port
            except OSError:
                continue


def wait_for_port(port, address="127.0.0.1", seconds=30):
    """Wait until a server listens."""
    deadline = time.monotonic() + seconds
    while True:
        try:
            return socket.create_connection((address, port), timeout=1).close()
        except OSError:
            assert time.monotonic() < deadline, f"no server listens at {address}:{port}"
            time.sleep(0.1)


def write_files(folder, files):
    """Write texts by name."""
    for name, text in files.items():
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)


def start_mosquitto(folder, port, more=""):
    """Start mosquitto with queues that hold everything, and wait until it listens; return the process."""
    write_files(folder, {"mosquitto.conf": f"listener {port} 127.0.0.1\nallow_anonymous true\npersistence false\nsys_interval 1\n"
                                           f"max_queued_messages 0\nmax_queued_bytes {256 << 20}\n{more}"})
    broker = start(["/usr/sbin/mosquitto", "-c", f"{folder}/mosquitto.conf"], f"{folder}/mosquitto.log")
    wait_for_port(port)
    return broker


def message(port, topic, *options):
    """Return the retained or else the next message on a topic; an empty text if there is none within a minute."""
    return subprocess.run(["mosquitto_sub", "-p", str(port), "-t", topic, "-C", "1", "-W", "60", *options],
                          capture_output=True, text=True).stdout


def dropped_by_mosquitto(port):
    """Return how many messages mosquitto has dropped, as it reports next."""
    message(port, "$SYS/broker/uptime", "-R")
    return int(message(port, "$SYS/broker/publish/messages/dropped") or 0)


def start_epmd(folder):
    """Start the port mapper that RabbitMQ servers need, and return its port."""
    port = free_port()
    start(["epmd", "-address", "127.0.0.1", "-port", str(port)], f"{folder}/epmd.log")
    return port


def start_rabbitmq(folder, name, address, ports, map_port, more=""):
    """Start a RabbitMQ server with its MQTT plugin; `ports`: AMQP, MQTT, and between servers."""
    write_files(folder, {f"{name}.conf": f"""listeners.tcp.1 = {address}:{ports[0]}
mqtt.listeners.tcp.1 = {address}:{ports[1]}
mqtt.allow_anonymous = true
mqtt.subscription_ttl = 86400000
mqtt.retained_message_store = rabbit_mqtt_retained_msg_store_dets
loopback_users = none
{more}""", "plugins": "[rabbitmq_mqtt].\n", ".erlang.cookie": "forgetmenot"})
    os.chmod(f"{folder}/.erlang.cookie", 0o600)
    for path in (f"{folder}/{name}", f"{folder}/log-{name}"):
        os.makedirs(path, exist_ok=True)
    environment = {
        "HOME": folder, "ERL_EPMD_PORT": str(map_port), "RABBITMQ_NODENAME": f"{name}@localhost",
        "RABBITMQ_CONFIG_FILE": f"{folder}/{name}", "RABBITMQ_MNESIA_BASE": f"{folder}/{name}",
        "RABBITMQ_LOG_BASE": f"{folder}/log-{name}", "RABBITMQ_ENABLED_PLUGINS_FILE": f"{folder}/plugins",
        "RABBITMQ_DIST_PORT": str(ports[2]), "RABBITMQ_SERVER_ERL_ARGS": "+S 1:1 +sbwt none", "RABBITMQ_LOGS": "-"}
    return start(["/usr/lib/rabbitmq/bin/rabbitmq-server"], f"{folder}/{name}.log", group=True, environment=environment)


def use(process):
    """Return the largest size of a process in MB, and its processor time and that of its ended children in seconds."""
    with open(f"/proc/{process.pid}/status") as file:
        largest = int(re.search(r"VmHWM:\s+(\d+)", file.read()).group(1)) / 1024
    with open(f"/proc/{process.pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return largest, sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def warnings(path):
    """Return the lines of a program's log that are warnings or errors."""
    with open(path, encoding="utf-8", errors="replace") as log:
        return [line.strip() for line in log if " warning:" in line or " error:" in line]


def start(arguments, log, group=False, environment=None):
    """Start a process that ends with this one; as the leader of a group of processes if it starts others."""
    child = subprocess.Popen(arguments, stdout=open(log, "ab"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                             start_new_session=group, env={**os.environ, **(environment or {})})
    child.isGroup = group
    children.append(child)
    return child


class Client(threading.Thread):
    """A reader with MQTT 3.1.1 that reconnects to one server, and notes when each message came."""

    def __init__(self, address, port, name, filters, qos=1):
        super().__init__(daemon=True)
        self.qos = qos
        self.address, self.port, self.name_, self.filters = address, port, name, filters
        self.messages, self.isOver, self.isSubscribed = [], False, threading.Event()
        self.start()

    def run(self):
        while not self.isOver:
            try:
                self.session()
            except OSError:
                self.isSubscribed.clear()
                time.sleep(0.3)

    def session(self):
        with socket.create_connection((self.address, self.port), timeout=5) as link:
            link.settimeout(1)
            self.link, self.buffer = link, b""
            name = self.name_.encode()
            self.send(0x10, struct.pack(">H4sBBH", 4, b"MQTT", 4, 2, 30) + struct.pack(">H", len(name)) + name)
            body = struct.pack(">H", 1)
            for text in self.filters:
                body += struct.pack(">H", len(text)) + text.encode() + bytes([self.qos])
            pinged = time.monotonic()
            while not self.isOver:
                kind, payload = self.packet()
                if kind == 0x20:
                    self.send(0x82, body)
                elif kind == 0x90:
                    self.isSubscribed.set()
                elif kind & 0xF0 == 0x30:
                    length = struct.unpack(">H", payload[:2])[0]
                    topic, rest = payload[2:2 + length].decode(), payload[2 + length:]
                    if kind & 0x06:
                        self.send(0x40, rest[:2])
                        rest = rest[2:]
                    self.messages.append((time.monotonic(), topic, rest, bool(kind & 1)))
                if time.monotonic() - pinged > 10:
                    pinged = time.monotonic()
                    self.send(0xC0, b"")

    def send(self, kind, body):
        length, size = len(body), b""
        while True:
            byte, length = length % 128, length // 128
            size += bytes([byte | (128 if length else 0)])
            if not length:
                break
        self.link.sendall(bytes([kind]) + size + body)

    def packet(self):
        """Return the next packet, or (0, b"") after a second without one."""
        while True:
            size, place, shift = 0, 1, 0
            while place < len(self.buffer):
                byte = self.buffer[place]
                size |= (byte & 127) << shift
                place, shift = place + 1, shift + 7
                if not byte & 128:
                    if len(self.buffer) < place + size:
                        break
                    kind, payload = self.buffer[0], self.buffer[place:place + size]
                    self.buffer = self.buffer[place + size:]
                    return kind, payload
            try:
                piece = self.link.recv(65536)
            except socket.timeout:
                return 0, b""
            if not piece:
                raise OSError("closed")
            self.buffer += piece


class Publisher(Client):
    """A client with MQTT 3.1.1 that publishes many messages, and counts which of them the server acknowledged."""

    def __init__(self, address, port, name):
        self.isConnected, self.sent, self.acknowledged, self.lock = threading.Event(), 0, 0, threading.Lock()
        super().__init__(address, port, name, [])
        assert self.isConnected.wait(30), "a publisher could not connect"

    def publish(self, topic, payload, qos=1, retain=False):
        name, number = topic.encode(), b""
        if qos:
            self.sent += 1
            number = struct.pack(">H", self.sent % 65535 + 1)
        self.send(0x30 | qos << 1 | (1 if retain else 0), struct.pack(">H", len(name)) + name + number + payload.encode())

    def send(self, kind, body):
        with self.lock:
            super().send(kind, body)

    def session(self):
        with socket.create_connection((self.address, self.port), timeout=5) as link:
            link.settimeout(None)
            self.link, self.buffer = link, b""
            name = self.name_.encode()
            self.send(0x10, struct.pack(">H", 4) + b"MQTT" + bytes([4, 2]) + struct.pack(">H", 0) + struct.pack(">H", len(name)) + name)
            while not self.isOver:
                kind, _ = self.packet()
                if kind == 0x20:
                    self.isConnected.set()
                elif kind == 0x40:
                    self.acknowledged += 1


class Gateways:
    """Simulated gateways that publish over one connection, as real ones do; `rooms`: by their ids."""

    def __init__(self, port, rooms, prefix="forgetmenot"):
        self.publisher = Publisher("127.0.0.1", port, "gateways")
        self.rooms, self.prefix = rooms, prefix
        self.boot, self.began = f"{int(time.time())}.load", time.monotonic()
        self.seqs = collections.Counter()

    def stamp(self):
        """Return the time, and the keys of a payload that say it."""
        at = datetime.now(timezone.utc).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        return at, f'"boot":"{self.boot}","uptime_ms":{int((time.monotonic() - self.began) * 1000)},"at":"{at}"'

    def infos(self):
        _, stamp = self.stamp()
        for name, room in self.rooms.items():
            topic = f"{self.prefix}/gateways/{name}"
            self.publisher.publish(f"{topic}/availability", "online", retain=True)
            self.publisher.publish(f"{topic}/info", (
                f'{{"v":1,"gateway":"{name}","room":"{room}","version":"1",{stamp},"clock_synchronised":true,"valid_for_s":75,'
                '"radio":{"source":"simulation","state":"powered_on"},"log":[],"problems":[],"regions":1}'), retain=True)

    def event(self, name, uuid, major, minor, isEnter):
        self.seqs[name] += 1
        seq = self.seqs[name]
        at, stamp = self.stamp()
        more = "" if isEnter else f',"inside_for_s":9.0,"last_seen_at":"{at}"'
        self.publisher.publish(f"{self.prefix}/beacons/{uuid}/{major}/{minor}/{name}/event", (
            f'{{"v":1,"event_type":"{"enter" if isEnter else "exit"}","id":"{self.boot}-{seq}","seq":{seq},{stamp},"gateway":"{name}",'
            f'"room":"{self.rooms[name]}","uuid":"{uuid}","major":{major},"minor":{minor},"regions":[]{more}}}'))

    def ranged(self, name, uuid, major, minor, rssi=-60.5, valid_for=25):
        _, stamp = self.stamp()
        self.publisher.publish(f"{self.prefix}/beacons/{uuid}/{major}/{minor}/{name}/proximity", (
            f'{{"v":1,"gateway":"{name}","room":"{self.rooms[name]}","proximity":"near","accuracy_m":1.8,"rssi_dbm":{rssi},'
            f'"sightings":9,"measured_power_dbm":-59,"addresses":1,{stamp},"valid_for_s":{valid_for}}}'), qos=0, retain=True)


def recording(path, number, items, rssi=None, seconds=600):
    """Write a btsnoop file in which each item is there for 8 s and away for 16 s, one after the other.

    rssi(tenth, item): what the gateway receives; `None`: about as much as every other gateway.
    """
    chance = random.Random(number)
    with open(path, "wb") as file:
        begin_recording(file)
        for tenth in range(seconds * 10):
            for item in range(items):
                if (tenth // 10 + item * 2) % 24 >= 8 or tenth % 5 != item % 5:
                    continue
                level = rssi(tenth, item) if rssi else -60 - number
                record(file, tenth * 100_000 + item * 1000, item, 1, item, level - chance.randint(0, 6))


def begin_recording(file):
    """Write the header of a btsnoop file."""
    file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))


def record(file, microseconds, address, major, minor, rssi):
    """Write an advertisement of a beacon into a btsnoop file, so long after its beginning."""
    data = b"\x02\x01\x06\x1a\xff\x4c\x00\x02\x15" + bytes.fromhex(UUID.replace("-", "")) + struct.pack(">HHb", major, minor, -59)
    report = bytes([0, 1]) + struct.pack("<IBB", address, 0, 0xC0) + bytes([len(data)]) + data + struct.pack("b", rssi)
    packet = bytes([4, 0x3E, 2 + len(report), 2, 1]) + report
    at = 0x00DCDDB30F2F8000 + 1_795_239_600 * 1_000_000 + microseconds
    file.write(struct.pack(">IIIIQ", len(packet), len(packet), 1, 0, at) + packet)


def stop_all():
    """End every process that was started."""
    for child in children:
        if child.poll() is None:
            if child.isGroup:
                os.killpg(child.pid, signal.SIGKILL)
            else:
                child.kill()
            child.wait()
