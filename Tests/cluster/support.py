"""What the tests with real programs and brokers share: processes that end with the test, an MQTT client, and recordings."""
import os
import random
import signal
import socket
import struct
import subprocess
import threading
import time

UUID = "daf246ce-8363-11e4-b116-123b93f75cba"
children = []


def start(arguments, log, group=False):
    """Start a process that ends with this one; as the leader of a group of processes if it starts others."""
    child = subprocess.Popen(arguments, stdout=open(log, "ab"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
                             start_new_session=group)
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


def recording(path, number, items, rssi=None):
    """Write a btsnoop file of ten minutes in which each item is there for 8 s and away for 16 s, one after the other.

    rssi(tenth, item): what the gateway receives; `None`: about as much as every other gateway.
    """
    chance = random.Random(number)
    start_at = 0x00DCDDB30F2F8000 + 1_795_239_600 * 1_000_000
    with open(path, "wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for tenth in range(6000):
            for item in range(items):
                if (tenth // 10 + item * 2) % 24 >= 8 or tenth % 5 != item % 5:
                    continue
                data = (b"\x02\x01\x06\x1a\xff\x4c\x00\x02\x15" + bytes.fromhex(UUID.replace("-", ""))
                        + struct.pack(">HHb", 1, item, -59))
                report = bytes([0, 1]) + bytes([item, 0, 0, 0, 0, 0xC0]) + bytes([len(data)]) + data
                level = rssi(tenth, item) if rssi else -60 - number
                report += struct.pack("b", level - chance.randint(0, 6))
                packet = bytes([4, 0x3E, 2 + len(report), 2, 1]) + report
                at = start_at + tenth * 100_000 + item * 1000
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
