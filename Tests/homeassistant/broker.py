"""Watches what passes through the broker."""

import collections
import json

import paho.mqtt.client as mqtt

from processes import wait_for


class Observer:
    """What the broker keeps (`retained`), and every topic on which anything came (`seen`)."""

    def __init__(self, port: int):
        self.retained: dict[str, bytes] = {}
        self.seen: dict[str, bytes] = {}
        self.count = 0
        # How often each event was told: `moved`, `notification_left` …
        self.told: collections.Counter[str] = collections.Counter()
        self.client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, protocol=mqtt.MQTTv5)
        self.client.on_connect = lambda client, *_: client.subscribe(
            "#", options=mqtt.SubscribeOptions(qos=1, retainAsPublished=True)
        )
        self.client.on_message = self.take
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def take(self, _client, _data, message) -> None:
        self.count += 1
        self.seen[message.topic] = message.payload
        if message.topic.startswith("forgetmenot/items/") and message.topic.endswith("/event"):
            kind = "notification_" if message.topic.endswith("/notification/event") else ""
            self.told[kind + json.loads(message.payload)["event_type"]] += 1
        if message.retain and message.payload:
            self.retained[message.topic] = message.payload
        elif message.retain:
            self.retained.pop(message.topic, None)

    def wait(self, what: str, is_so, seconds: float = 60):
        return wait_for(what, is_so, seconds)

    def end(self) -> None:
        self.client.loop_stop()
        self.client.disconnect()
