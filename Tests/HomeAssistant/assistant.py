"""A real Home Assistant that knows nothing but one broker, asked by its own REST API. `machine` installs and runs it."""

import json
import shutil
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Rigs"))

from household import PROJECT, free_port  # noqa: E402

MACHINE = PROJECT / "Tests/HomeAssistant/machine"
# What warnings and errors may come from: everything that reads our messages.
OURS = ("components.mqtt", "components.sensor", "components.binary_sensor", "components.button", "helpers.template", "helpers.entity")
# What it says when the broker is stopped.
LOST = "components.mqtt.client] Error returned from MQTT server: The connection was lost"


class Assistant:
    """Home Assistant in a household, with a configuration of its own, which is removed at the end."""

    def __init__(self, household, user, password):
        self._household, self._user, self._password = household, user, password
        self._port, self._token = free_port(), None
        self.folder = PROJECT / f".build/home-assistant/run-{self._port}"
        self.folder.mkdir()
        household.callback(shutil.rmtree, self.folder)
        (self.folder / "configuration.yaml").write_text(
            "homeassistant: {name: Test, time_zone: UTC, unit_system: metric, country: DE}\n"
            f"http: {{server_host: 127.0.0.1, server_port: {self._port}}}\n"
            "logger: {default: warning, logs: {homeassistant.components.mqtt: debug}}\n")
        self._births = 0
        self._start()
        self._sign_up()
        self._connect()
        self.await_birth()

    def _start(self):
        self._program = self._household.start("assistant", [MACHINE, "run", self.folder])
        self._household.wait(self._program, "Home Assistant answers", self._answers, limit=180)

    def _answers(self):
        try:
            return bool(self._call("onboarding"))
        except (urllib.error.URLError, ConnectionError):
            return False

    def _call(self, path, fields=None, form=None):
        headers = {"Content-Type": "application/json"} if form is None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        data = urllib.parse.urlencode(form).encode() if form else json.dumps(fields).encode() if fields is not None else None
        base = f"http://127.0.0.1:{self._port}/"
        request = urllib.request.Request(base + ("" if path.startswith("auth/") else "api/") + path, data, headers)
        with urllib.request.urlopen(request, timeout=30) as answer:
            text = answer.read().decode()
        return json.loads(text) if answer.headers.get_content_type() == "application/json" else text

    def _sign_up(self):
        """As the first person, in a browser: the token is good for half an hour."""
        client = f"http://127.0.0.1:{self._port}/"
        code = self._call("onboarding/users", dict(name="Test", username="test", password="test", client_id=client, language="en"))
        self._token = self._call(
            "auth/token", form=dict(grant_type="authorization_code", code=code["auth_code"], client_id=client))["access_token"]

    def _connect(self):
        """By the form of the integration, which tries the broker before it accepts it."""
        flow = self._call("config/config_entries/flow", dict(handler="mqtt"))
        broker = dict(broker="127.0.0.1", port=self._household.port, username=self._user, password=self._password)
        done = self._call(f"config/config_entries/flow/{flow['flow_id']}", broker)
        assert done["type"] == "create_entry", done

    def await_birth(self):
        """Waits until it has said that it is there: it comes some seconds after its last subscription."""
        self._births += 1
        self._household.wait(self._program, "it is born", lambda: self._log().count("birth message sent") >= self._births, limit=60)

    def restart(self):
        """As a person would; it ends with a status that asks for a new start."""
        self._call("services/homeassistant/restart", {})
        assert self._program.wait(60) == 100, self._program.returncode
        self._start()
        self.await_birth()

    def _log(self):
        return (self._household.folder / "assistant.log").read_text(errors="replace")

    def complaints(self):
        """Warnings and errors about what it was told."""
        return [x for x in self._log().splitlines()
                if (" WARNING " in x or " ERROR " in x) and any(part in x for part in OURS) and LOST not in x]

    def entity(self, name):
        """State and attributes; None if there is no such entity."""
        try:
            return self._call(f"states/{name}")
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None

    def entities(self):
        """The names of all that came by MQTT: these have nothing else in common."""
        kinds = ("sensor.", "binary_sensor.", "button.")
        return sorted(x["entity_id"] for x in self._call("states") if x["entity_id"].startswith(kinds))

    def becomes(self, name, state, limit=25):
        """Waits until an entity has a state; None: until it is gone."""
        end = time.monotonic() + limit
        while (found := (self.entity(name) or {}).get("state")) != state:
            if time.monotonic() > end:
                return f"{name} is {found}, not {state}"
            time.sleep(0.1)
        return None

    def press(self, name):
        self._call("services/button/press", dict(entity_id=name))

    def device(self, entity, attribute):
        """An attribute of the device that an entity belongs to."""
        return self.template(f"{{{{ device_attr('{entity}', '{attribute}') }}}}")

    def template(self, text):
        return self._call("template", dict(template=text))
