"""A push service on the loopback, as independent libraries see it: py_vapid checks who sends, http_ece decrypts as a browser does."""

import base64
import http.server
import json
import queue
import threading
import time

import http_ece
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid02

from processes import Failed


def base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Subscription:
    """A browser that takes messages: its keys, and what its push service responds next; 201 if nothing is planned."""

    def __init__(self, service: "PushService", name: str):
        self.key, self.secret, self.name = ec.generate_private_key(ec.SECP256R1()), name.encode().ljust(16, b".")[:16], name
        self.service, self.endpoint = service, f"{service.origin}/{name}"
        self.planned: list[tuple[int, dict]] = []
        self.received: queue.Queue = queue.Queue()
        service.subscriptions[f"/{name}"] = self

    @property
    def keys(self) -> dict:
        point = self.key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return {"p256dh": base64url(point), "auth": base64url(self.secret)}

    @property
    def body(self) -> dict:
        """What the page sends of it."""
        return {"name": self.name, "endpoint": self.endpoint, "expirationTime": None, "keys": self.keys}

    def take(self, seconds: float = 60) -> "Push":
        """The next message that came, whatever the response was."""
        try:
            return self.received.get(timeout=seconds)
        except queue.Empty:
            raise Failed(f"no message for {self.name}") from None


class Push:
    """A request that passed all checks, decrypted."""

    def __init__(self, headers, body: bytes, subscription: Subscription):
        assert Vapid02.verify(headers["Authorization"]), "the signature is wrong"
        parts = dict(part.split("=", 1) for part in headers["Authorization"].removeprefix("vapid ").split(","))
        claims = json.loads(base64.urlsafe_b64decode(parts["t"].split(".")[1] + "=="))
        assert claims["aud"] == subscription.service.origin, claims
        assert 0 < claims["exp"] - time.time() <= 24 * 3600, claims
        assert headers["Content-Encoding"] == "aes128gcm" and 60 <= int(headers["TTL"]) <= 6 * 3600, headers.items()
        assert len(headers["Topic"]) <= 32 and len(body) <= 4096, headers.items()
        self.at, self.size, self.topic, self.urgency, self.contact, self.site = time.monotonic(), len(body), headers["Topic"], headers["Urgency"], claims.get("sub"), parts["k"]
        self.text = http_ece.decrypt(body, private_key=subscription.key, auth_secret=subscription.secret, version="aes128gcm").decode()
        self.message = json.loads(self.text)


class PushService:
    """The server. What is wrong with a request is an exception in `problems`, and gets 400."""

    def __init__(self):
        self.subscriptions: dict[str, Subscription] = {}
        self.problems: list[str] = []
        service = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                status, more = 400, {}
                try:
                    subscription = service.subscriptions[self.path]
                    push = Push(self.headers, body, subscription)
                    status, more = subscription.planned.pop(0) if subscription.planned else (201, {})
                    push.status = status
                    subscription.received.put(push)
                except Exception as problem:
                    service.problems.append(f"{type(problem).__name__}: {problem}")
                self.send_response(status)
                for name, value in more.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.origin = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def end(self) -> None:
        self.server.shutdown()
        self.server.server_close()
