"""deploy/lighttpd/policy.jq: what it makes of the operator's settings for the page, and what it refuses."""

import json
import subprocess
import tempfile
import unittest
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]
MAP = {"name": "Streets", "tiles": "https://tile.example.org/{z}/{x}/{y}.png", "attribution": "© Somebody"}
PROVIDER = {"provider": "school", "label": "School", "client_id": "vitals", "authorization": "https://id.example.org/ask",
            "token": "https://api.example.org:8443/token"}
#: Each with a part of what is said about it.
WRONG = [
    ("", "has 0 values"),
    ("{} {}", "has 2 values"),
    ("[]", "is not an object"),
    ('{ "maps": [ }', "parse error"),
    ({"map": []}, 'has no setting "map": there are maps, providers'),
    ({"maps": None}, "maps is not a list"),
    ({"maps": ["https://tile.example.org"]}, "maps[0] is not an object"),
    ({"maps": [MAP, MAP | {"tile": ""}]}, 'maps[1] has no setting "tile"'),
    ({"maps": [MAP | {"attribution": " "}]}, "maps[0].attribution is not there, or is not a text"),
    ({"maps": [MAP | {"closest": 18.5}]}, "not a whole number"),
    ({"maps": [MAP | {"closest": None}]}, "not a whole number"),
    ({"providers": [{"provider": "school"}]}, "providers[0].label is not there"),
]
#: Where the page may not go.
ELSEWHERE = [
    "http://tile.example.org/", "//tile.example.org/", "tile.example.org", "data:image/png;base64,", "javascript:alert(1)", "https:", "https://",
    "https://*.example.org/", "https://{s}.example.org/", "https://somebody@example.org/", "https://example.org:port/", "https://EXAMPLE.org/",
    "https://example.org; script-src *", "https://example.org/ *", "https://example.org/\n*", "https://example.org\n/", "https://example.org\"/",
    "https://example.org.'/", "https://-example.org/", "https://[::1]/", "http://127.0.0.1.example.org/", "http://127.0.0.1@example.org/", "http://127.0.0.2/",
    "HTTPS://example.org/", " https://example.org/",
]


def policy(settings):
    """The directives that are made of the settings; or the exit code, and what is said."""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        file.write(settings if isinstance(settings, str) else json.dumps(settings))
        file.flush()
        made = subprocess.run(["jq", "-srf", PROJECT / "deploy/lighttpd/policy.jq", file.name], capture_output=True, text=True)
    if made.returncode:
        return made.returncode, made.stderr
    name, text = made.stdout.rstrip("\n").split(" = ", 1)
    if name != "var.policy" or text[0] != '"' or text[-1] != '"' or '"' in text[1:-1] or "\n" in text:
        raise AssertionError(f"lighttpd does not read this: {made.stdout}")
    return dict(directive.split(" ", 1) for directive in text[1:-1].split("; "))


class PolicyTest(unittest.TestCase):
    def test_nothing_is_set(self):
        made = policy("{}")
        self.assertEqual(made, policy((PROJECT / "Sources/page/settings.json").read_text()))
        self.assertEqual((made["default-src"], made["script-src"], made["connect-src"]), ("'none'", "'self'", "'self'"))
        self.assertNotIn("http", str(made))

    def test_maps_and_providers(self):
        here = MAP | {"tiles": "http://127.0.0.1:8090/{z}/{x}/{y}.png", "closest": 12}
        bare, made = policy("{}"), policy({"maps": [MAP, here, MAP], "providers": [PROVIDER]})
        self.assertEqual(made["img-src"], f"{bare['img-src']} http://127.0.0.1:8090 https://tile.example.org")
        self.assertEqual(made["connect-src"], "'self' https://api.example.org:8443")
        without = {name: value for name, value in PROVIDER.items() if name != "token"}
        self.assertEqual(policy({"providers": [without]}), bare)
        self.assertEqual({name for name in made if made[name] != bare[name]}, {"img-src", "connect-src"})

    def test_what_is_wrong_is_said(self):
        for settings, said in WRONG:
            with self.subTest(settings=settings):
                code, text = policy(settings)
                self.assertNotEqual(code, 0)
                self.assertIn(said, text)

    def test_hosts(self):
        for settings in [{"providers": [PROVIDER | {"token": None}]}, *({"maps": [MAP | {"tiles": address}]} for address in ELSEWHERE),
                         *({"providers": [PROVIDER | {place: "javascript:alert(1)"}]} for place in ("authorization", "token"))]:
            with self.subTest(settings=settings):
                code, text = policy(settings)
                self.assertEqual(code, 78)
                self.assertIn("where the page may not go: write https://", text)


if __name__ == "__main__":
    unittest.main()
