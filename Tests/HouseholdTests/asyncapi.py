"""Whether messages are what deploy/asyncapi.json says.

    asyncapi.py PROJECT FILE [--people]

Each line of FILE is a message: whether it is retained (0 or 1), its QoS, its topic, its payload in hexadecimal digits. With `--people` only
what the consumer publishes to people is looked at, and what it tells Home Assistant of them. It prints how many messages of which channels were looked at, or says what is wrong
and ends with 1. A field that the document does not have is wrong, too: only readers ignore those.
"""

import collections
import json
import pathlib
import re
import sys

import jsonschema

OF_PEOPLE = r"vitals/v1/(home-assistant/|users/[^/]+/(?!requests/|responses/|phone/))|homeassistant/device/"
project, path, people = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), "--people" in sys.argv[3:]
document = json.loads((project / "deploy/asyncapi.json").read_text())
problems: collections.Counter[str] = collections.Counter()


def resolved(node):
    """What a reference leads to; a KeyError if it leads nowhere."""
    while isinstance(node, dict) and "$ref" in node:
        target = document
        for step in node["$ref"].removeprefix("#/").split("/"):
            target = target[step]
        node = target
    return node


def strict(schema):
    """The schema with no other fields than those that it has."""
    if isinstance(schema, list):
        return [strict(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: strict(value) for key, value in schema.items()}
    if schema.get("type") == "object" and isinstance(schema.get("properties"), dict):
        made.setdefault("additionalProperties", False)
    return made


def references(node):
    if isinstance(node, dict):
        if "$ref" in node:
            yield node
        for value in node.values():
            yield from references(value)
    elif isinstance(node, list):
        for value in node:
            yield from references(value)


for reference in references(document):
    resolved(reference)
for schema in document["components"]["schemas"].values():
    jsonschema.Draft7Validator.check_schema(schema)

schemas = strict(document["components"]["schemas"])
#: How a topic is recognised, its channel's name, the operation there (none for replies), and what its message is.
known = []
operations = {resolved(operation["channel"])["address"]: operation for operation in document["operations"].values()}
for name, channel in document["channels"].items():
    if channel["address"]:
        pattern = re.compile("/".join("[^/]+" if level.startswith("{") else re.escape(level) for level in channel["address"].split("/")))
        message = resolved(next(iter(channel["messages"].values())))
        known.append((pattern, name, operations.get(channel["address"]), message))
# The most particular one first. Replies come at any topic below `responses`; what they are about is not known there.
known.sort(key=lambda one: one[0].pattern.count("[^/]+"))
done = {"properties": {"status": {"const": "ok"}, "data": {}, "id": {}}, "required": ["status", "data"], "additionalProperties": False}
schemas["Reply"] = {"oneOf": [done, {"$ref": "#/components/schemas/ReplyRefused"}]}
reply = {"contentType": "application/json", "payload": {"$ref": "#/components/schemas/Reply"}}
known.append((re.compile(r".*/responses/.+"), "a reply", None, reply))
seen: collections.Counter[str] = collections.Counter()
for line in path.read_text().splitlines():
    retained, qos, topic, digits = (line.split(" ") + [""])[:4]
    payload = bytes.fromhex(digits)
    if people and not re.match(OF_PEOPLE, topic):
        continue
    # Tests plant this where the consumer has to remove what is retained.
    if people and payload == b"{}":
        continue
    found = next((one for one in known if one[0].fullmatch(topic)), None)
    if found is None:
        problems[f"{topic}: no channel is like that"] += 1
        continue
    _, name, operation, message = found
    if operation and operation["action"] == "send":
        binding = operation["bindings"]["mqtt"]
        if retained == "0" and binding["retain"] and not people:
            problems[f"{name}: a message is not retained"] += 1
        if retained == "1" and not binding["retain"]:
            problems[f"{name}: a message is retained"] += 1
        if int(qos) > binding["qos"] and payload:
            problems[f"{name}: a message has QoS {qos}"] += 1
    # An empty message takes a retained one back, and an empty request has no fields.
    if "payload" not in message or not payload:
        continue
    seen[name] += 1
    value = payload.decode() if message["contentType"] == "text/plain" else json.loads(payload)
    validator = jsonschema.Draft7Validator({"components": {"schemas": schemas}, **message["payload"]})
    for error in validator.iter_errors(value):
        problems[f"{name}: {error.json_path}: {error.message}"] += 1

for problem, count in problems.items():
    print(f"{problem} ({count} times)")
if not problems:
    print(f"{seen.total()} messages of {len(seen)} channels: {', '.join(sorted(seen))}")
sys.exit(bool(problems))
