"""Somebody at the broker: sees what passes on the topics it asks for, keeps all of it, and publishes what it likes."""

import collections
import dataclasses
import threading
import time

import paho.mqtt.client as mqtt


@dataclasses.dataclass(frozen=True)
class Heard:
    topic: str
    payload: bytes
    retained: bool


class Eavesdropper:
    """A client with a program's name and password at the broker, and so with that program's rights. For a `with`."""

    #: How many messages wait for the broker's acknowledgements; its own queues for others hold ten times as many.
    CHUNK = 1000

    def __init__(self, household, user, filters, hears=None):
        #: All that was heard, in order; and how often each payload was, on which topic.
        self.heard: list[Heard] = []
        self.counts = collections.Counter()
        self._hears, self._filters = hears, filters
        self._arrived, self._subscribed = threading.Condition(), threading.Event()
        # paho-mqtt 2 asks for it, 1.6 does not know it.
        version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
        self._client = mqtt.Client(*version, client_id=f"rig-{user}-{time.monotonic_ns()}", protocol=mqtt.MQTTv5)
        self._client.username_pw_set(user, household.password_file(user).read_text().strip())
        self._client.max_inflight_messages_set(self.CHUNK)
        self._client.on_connect = self._connected
        self._client.on_subscribe = lambda *_: self._subscribed.set()
        self._client.on_message = self._heard
        self._port = household.port

    def __enter__(self):
        self._client.connect("127.0.0.1", self._port)
        self._client.loop_start()
        if not self._subscribed.wait(10):
            raise RuntimeError("the broker did not take the rig's subscription within 10 s")
        return self

    def __exit__(self, *_):
        self._client.disconnect()
        self._client.loop_stop()

    def _connected(self, client, *_):
        client.subscribe([(topic, mqtt.SubscribeOptions(qos=1, retainAsPublished=True)) for topic in self._filters])

    def _heard(self, _client, _data, message):
        heard = Heard(message.topic, message.payload, bool(message.retain))
        with self._arrived:
            if self._hears:
                self._hears(heard)
            self.heard.append(heard)
            self.counts[heard.topic, heard.payload] += 1
            self._arrived.notify_all()

    def publish(self, messages, retain=False):
        """Publishes (topic, payload) one after the other; returns when the broker has all of them."""
        for start in range(0, len(messages), self.CHUNK):
            sent = [self._client.publish(topic, payload, qos=1, retain=retain)
                    for topic, payload in messages[start : start + self.CHUNK]]
            for one in sent:
                one.wait_for_publish(60)
                if not one.is_published():
                    raise RuntimeError("the broker did not take a message within 60 s")

    def wait(self, what, is_so, limit=30):
        """Waits for something that is brought about by what is heard."""
        with self._arrived:
            if not self._arrived.wait_for(is_so, limit):
                raise TimeoutError(f"not within {limit} s: {what}")
