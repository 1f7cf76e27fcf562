"""Whether messages are what deploy/asyncapi.json says.

    asyncapi.py PROJECT FILE [--people]

Each line of FILE is a message: whether it is retained (0 or 1), its QoS, its topic, its payload in hexadecimal digits. Or it is what somebody
has asked the consumer: the word `asked`, `users` or `accounts`, the request's name, its payload and that of the reply in hexadecimal digits.
Every reply is looked at, and those requests that were carried out: tests ask much that is refused. With `--people` only what was asked is
looked at, what the consumer publishes to people, and what it tells Home Assistant of them. It prints how many messages of which channels
were looked at, or says what is wrong and ends with 1. A field that the document does not have is wrong, too: only readers ignore those.
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
#: The validators of messages, by what their payload refers to.
validators: dict[str, jsonschema.Draft7Validator] = {}


def check(name, message, value):
    """Looks at a message; `name` is what a problem calls it."""
    seen[name] += 1
    reference = message["payload"]["$ref"]
    if reference not in validators:
        validators[reference] = jsonschema.Draft7Validator({"components": {"schemas": schemas}, "$ref": reference})
    for error in validators[reference].iter_errors(value):
        # What is wrong inside a choice is more than that nothing fits.
        inner = jsonschema.exceptions.best_match([error])
        problems[f"{name}: {inner.json_path}: {inner.message[:400]}"] += 1


def check_asked(place, name, asked, replied):
    """Looks at what somebody has asked, and at the reply."""
    level = "users/{user}/requests" if place == "users" else "accounts"
    operation = operations.get(f"vitals/v1/{level}/{name}")
    if operation is None:
        problems[f"{place}: nothing is said about the request {name}"] += 1
        return
    reply = json.loads(replied)
    check(f"reply to {name}", resolved(operation["reply"]["messages"][0]), reply)
    if reply["status"] == "ok":
        check(name, resolved(operation["messages"][0]), json.loads(asked))


for line in dict.fromkeys(path.read_text().splitlines()):
    if line.startswith("asked "):
        _, place, name, asked, replied = line.split(" ")
        check_asked(place, name, bytes.fromhex(asked), bytes.fromhex(replied))
        continue
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
        # A home without accounts, as that of `MessagesTests`, keeps nothing about people.
        is_kept = binding["retain"] and (people or not topic.startswith("vitals/v1/users/"))
        if retained == "0" and is_kept and not people:
            problems[f"{name}: a message is not retained"] += 1
        if retained == "1" and not is_kept:
            problems[f"{name}: a message is retained"] += 1
        if int(qos) > binding["qos"] and payload:
            problems[f"{name}: a message has QoS {qos}"] += 1
    # An empty message takes a retained one back, and an empty request has no fields.
    if "payload" not in message or not payload:
        continue
    check(name, message, payload.decode() if message["contentType"] == "text/plain" else json.loads(payload))

for problem, count in problems.items():
    print(f"{problem} ({count} times)")
if not problems:
    print(f"{seen.total()} messages of {len(seen)} channels: {', '.join(sorted(seen))}")
sys.exit(bool(problems))
