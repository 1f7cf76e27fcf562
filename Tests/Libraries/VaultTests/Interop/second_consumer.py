#!/usr/bin/env python3
"""A consumer that knows only the public pages: it grants, says that it is there, opens what comes, and acknowledges it.

    second_consumer.py PAGE KEYS_DB ROOT_KEY PORT USER PASSWORD_FILE GATEWAY IDENTITY SENSOR COUNT

It does what the page's numbered list says; open_stream.py opens the blocks. It signs with the consumer's key in KEYS_DB, because
the gateway knows that one, and draws everything else: a store, a stream, a person's key.

It ignores key blocks until it has asked for one, as if it had been restored from a backup. When it has COUNT readings and has
acknowledged all that came, it prints them as one JSON object, with the names of what it received.
"""
import base64
import json
import os
import queue
import sys
import time
from pathlib import Path

import paho.mqtt.client as mqtt

import open_stream
from open_stream import KEY, LOOSE, READINGS, Ed25519PublicKey, Keys, Stream, X25519PrivateKey, public

ROOT = "vitals/v1"
ACKNOWLEDGEMENT, KEY_REQUEST, GRANT = 1, 3, 4
LIMIT = 60


def varint(value):
    groups = []
    while value > 0x7F:
        groups.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(groups + [value])


def name(text):
    return bytes([len(text)]) + text.encode("ascii")


class Consumer:
    def __init__(self, texts, keys, gateway, sensor):
        self.texts, self.keys, self.gateway, self.sensor = texts, keys, gateway, sensor
        self.store, self.stream, self.person = os.urandom(16), os.urandom(16), X25519PrivateKey.generate()
        keys.person[public(self.person)] = self.person

    def message(self, purpose, body):
        unsigned = bytes([1, purpose]) + self.store + name(self.gateway) + body
        return unsigned + self.keys.signing.sign(self.texts["control signature"] + unsigned)

    def grant(self):
        now = time.time_ns() // 1_000_000
        fields = [now.to_bytes(8, "big"), name(self.sensor), self.stream, now.to_bytes(8, "big"), bytes(8)]
        return self.message(GRANT, b"".join(fields) + public(self.person) + bytes([0b111]))

    def acknowledgement(self, identity):
        return self.message(ACKNOWLEDGEMENT, varint(1) + identity)

    def key_request(self, session):
        return self.message(KEY_REQUEST, self.stream + session)

    def presence(self, state):
        return json.dumps({"state": state, "instance": "a-second-one"})


def connected(port, user, password_file, consumer, heard):
    """A client with a will, subscribed before anybody can know that it is there."""
    version = [mqtt.CallbackAPIVersion.VERSION2] if hasattr(mqtt, "CallbackAPIVersion") else []
    client = mqtt.Client(*version, protocol=mqtt.MQTTv5)
    client.username_pw_set(user, Path(password_file).read_text().strip())
    topic = f"{ROOT}/stores/{consumer.store.hex()}/consumers/main"
    client.will_set(topic, consumer.presence("offline"), qos=1, retain=True)
    client.on_message = lambda _client, _data, message: heard.put((message.topic, message.payload))
    client.on_subscribe = lambda *_: heard.put(("subscribed", b""))
    filters = [f"{ROOT}/gateways/+/blocks", f"{ROOT}/gateways/+/grants"]
    client.on_connect = lambda client, *_: client.subscribe([(each, 1) for each in filters])
    client.connect("127.0.0.1", port)
    client.loop_start()
    if heard.get(timeout=LIMIT)[0] != "subscribed":
        raise RuntimeError("a message before the subscription")
    gateway = f"{ROOT}/gateways/{consumer.gateway}"
    client.publish(f"{gateway}/sensors/{consumer.sensor}/grant", consumer.grant(), qos=1, retain=True).wait_for_publish(LIMIT)
    client.publish(topic, consumer.presence("online"), qos=1, retain=True).wait_for_publish(LIMIT)
    return client


def main():
    page, database, root_key_file, port, user, password_file, gateway, identity, sensor, count = sys.argv[1:]
    texts = open_stream.texts_of(Path(page).read_text())
    consumer = Consumer(texts, Keys(texts, database, root_key_file, "nobody"), gateway, sensor)
    gateways = {gateway: Ed25519PublicKey.from_public_bytes(base64.b64decode(identity))}
    heard, received, waiting, known, has_asked = queue.Queue(), [], {}, {}, False
    client = connected(int(port), user, password_file, consumer, heard)
    control = f"{ROOT}/gateways/{gateway}/control"
    readings = []
    while len(readings) < int(count) or waiting:
        topic, payload = heard.get(timeout=LIMIT)
        if topic.endswith("/grants"):
            received.append("grant")
            continue
        identity, kind = payload[4:36], payload[2]
        if kind == KEY and not has_asked:
            received.append("ignored key")
            continue
        received.append({KEY: "key", READINGS: "readings", LOOSE: "loose"}.get(kind, "other"))
        session = identity[16:24]
        if kind == KEY:
            known[session] = payload
        waiting[identity] = payload
        if session not in known:
            client.publish(control, consumer.key_request(session), qos=1)
            has_asked = True
            continue
        for identity in [each for each in waiting if each[16:24] == session]:
            block = waiting.pop(identity)
            if block[2] != KEY:
                # The grants that come back are our own: Stream checks their signature and reads whose stream it is.
                stream = Stream(texts, consumer.keys, gateways)
                stream.heard(f"{ROOT}/gateways/{gateway}/grants", consumer.grant())
                for each in (known[session], block):
                    stream.heard(f"{ROOT}/gateways/{gateway}/blocks", each)
                readings += [{"kind": kind, "time": wall} | fields for kind, wall, fields in stream.open()]
            client.publish(control, consumer.acknowledgement(identity), qos=1).wait_for_publish(LIMIT)
    print(json.dumps({"readings": readings, "received": received}))
    client.disconnect()
    client.loop_stop()


if __name__ == "__main__":
    main()
