"""How the page is served: with the operator's settings, behind TLS, and to people who want what is not theirs."""

import contextlib
import json
import re
import ssl
import subprocess

from home import PROJECT, Client, can_connect, certify, free_port, stop
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties
from playing import PASSWORD, fetched, knocks

SETTINGS = {
    "maps": [{"name": "Streets", "tiles": "https://tile.example.org/{z}/{x}/{y}.png", "attribution": "© Somebody"}],
    "providers": [{"provider": "school", "label": "School", "client_id": "vitals", "authorization": "https://id.example.org/ask",
                   "token": "https://id.example.org/token"}],
}


def has_the_operators_settings(trial):
    folder = trial.home.folder / "another page"
    folder.mkdir()
    port = free_port()
    command = [PROJECT / "deploy/page", folder, str(port), str(trial.home.port)]
    (folder / "settings.json").write_text('{ "map": [] }')
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert refused.returncode == 78 and 'has no setting "map"' in refused.stderr, refused
    (folder / "settings.json").write_text(json.dumps(SETTINGS))
    (folder / "settings.json.new").write_text("{}")
    server = trial.home.start("another page", command)
    trial.home.wait(server, "the page is served", lambda: can_connect(port))
    page = fetched("/", port)
    assert "img-src 'self' blob: https://tile.example.org;" in page.headers["Content-Security-Policy"], page.headers.items()
    assert "connect-src 'self' https://id.example.org;" in page.headers["Content-Security-Policy"], page.headers.items()
    assert page.headers["Strict-Transport-Security"] is None, "without TLS, browsers are told to insist on it"
    assert json.loads(fetched("/settings.json", port).text) == SETTINGS
    assert fetched("/settings.json.new", port).status == 404
    stop(server)


@contextlib.contextmanager
def behind_tls(home):
    """A web server with the package's own settings, on ports of its own. Gives both, and what trusts its certificate."""
    folder = home.folder / "tls"
    (folder / "certs").mkdir(parents=True)
    for words in (["authority"], ["server", "127.0.0.1"]):
        certify(folder, *words)
    for name in ("server.crt", "server.key"):
        (folder / name).rename(folder / "certs" / name)
    (folder / "settings.json").write_text("{}")
    plain, secret = free_port(), free_port()
    text = (PROJECT / "deploy/debian/lighttpd/50-vitals-page.conf").read_text()
    for old, new in [("vitals.example.org", "127.0.0.1"), ('"1883"', f'"{home.port}"'), (":443", f"127.0.0.1:{secret}"),
                     ('"https://" + var.host', f'"https://127.0.0.1:{secret}"'), ("/etc/vitals-page/", f"{folder}/"),
                     ("/usr/share/vitals-page", f"{PROJECT}/.build/page"), ("/usr/lib/vitals-page", f"{PROJECT}/deploy/lighttpd")]:
        assert old in text, f"the package's settings do not say {old}"
        text = text.replace(old, new)
    # There may be no IPv6 here.
    text = re.sub(r"^include_shell .*use-ipv6.*$", "", text, flags=re.M)
    (folder / "lighttpd.conf").write_text(
        f'server.port = {plain}\nserver.bind = "127.0.0.1"\nserver.document-root = "{folder}"\nserver.errorlog = "{folder}/log"\n{text}')
    server = home.start("tls", ["lighttpd", "-D", "-f", folder / "lighttpd.conf"])
    home.wait(server, "the page is served behind TLS", lambda: can_connect(secret))
    try:
        yield plain, secret, ssl.create_default_context(cafile=folder / "authority.crt")
    finally:
        stop(server)


def is_served_behind_tls(trial):
    page = trial.browser
    with behind_tls(trial.home) as (plain, secret, trust):
        address = f"https://127.0.0.1:{secret}"
        moved = fetched("/page.css?x=1", plain)
        assert (moved.status, moved.headers["Location"]) == (301, f"{address}/page.css?x=1"), moved.headers.items()
        asked = fetched("/.well-known/acme-challenge/x", plain)
        assert asked.status != 301, "certbot's authority is sent elsewhere"
        shown = fetched("/", secret, trust)
        assert shown.status == 200 and "<title>Vitals" in shown.text, shown
        assert shown.headers["Strict-Transport-Security"] == "max-age=31536000", shown.headers.items()
        assert "script-src 'self';" in shown.headers["Content-Security-Policy"], shown.headers.items()
        assert fetched("/", secret, trust, host="elsewhere.example").headers["Content-Security-Policy"] is None, "another host has the page"
        assert knocks(f"http://127.0.0.1:{plain}", secret, trust) == 403, "a page without TLS may speak with the broker"
        assert knocks(address, secret, trust) == 101
        keeps_others_out(trial, secret, trust)
        # A real browser speaks HTTP/2, and opens its WebSocket there.
        page.trust_any_certificate(True)
        page.open(address)
        page.type("E-mail or phone number", "ada@example.org")
        page.type("Password", PASSWORD)
        page.press("Sign in", "//form")
        trial.waits_for_heart()
        page.open(f"{address}/#/you")
        page.press("Sign out")
        page.press("Sign out", "//dialog")
        page.see("Sign in", "form")
    page.open(trial.home.address)
    page.trust_any_certificate(False)
    # Trust that is given for a test does not extend to service workers.
    page.forgive("An SSL certificate error occurred when fetching the script")
    trial.waits_for_heart()


def keeps_others_out(trial, port, trust):
    """Somebody else's credential: they listen to everything, and ask in the name of another, through the page's own way to the broker."""
    home = trial.home
    ada, mallory = (Person(home, name, address) for name, address in (("ada", "ada@example.org"), ("mallory", "mallory@example.org")))
    client, guest = (Client(port, *who, tls=trust, transport="websockets") for who in ((mallory.device, mallory.password), ()))
    with contextlib.closing(client), contextlib.closing(guest):
        assert client.is_in and guest.is_in
        client.answer(client.subscribe(f"{mallory.topics}/#"))
        for one in (client, guest):
            for filter in ("#", "$SYS/#", "vitals/v1/#", f"{ada.topics}/#", f"{ada.topics}/responses/profile/get", "vitals/v1/users/+/today",
                           "vitals/v1/gateways/+/sensors/+/heart-rate", "vitals/v1/gateways/+/blocks", "vitals/v1/accounts/#"):
                one.answer(one.subscribe(filter))
        before = home.vitals("ada", "profile")
        # The reply is asked to where they may listen.
        reply = Properties(PacketTypes.PUBLISH)
        reply.ResponseTopic, reply.CorrelationData = f"{mallory.topics}/responses/theirs", b"theirs"
        for name, fields in [("profile/get", {}), ("profile/set", {"name": "Mallory"}), ("heart-rate/get", {}), ("workouts/list", {})]:
            client.publish(f"{ada.topics}/requests/{name}", json.dumps(fields), properties=reply)
        client.publish("vitals/v1/gateways/home/sensors/strap/steps/get", "{}", properties=reply)
        # What is theirs is answered: whatever came before has been refused by then.
        own = Properties(PacketTypes.PUBLISH)
        own.ResponseTopic, own.CorrelationData = f"{mallory.topics}/responses/own", b"own"
        client.publish(f"{mallory.topics}/requests/profile/get", "{}", properties=own)
        assert client.hears(20, lambda message: message.topic == own.ResponseTopic), "their own requests are not answered"
        # Meanwhile the other's heart is seen live by them.
        trial.sees_the_line_go_on()
        heard = {message.topic for message in client.heard if not message.topic.startswith(f"{mallory.topics}/")}
        assert not heard and reply.ResponseTopic not in {message.topic for message in client.heard}, f"somebody else hears {heard}"
        assert not guest.heard, f"a guest hears {[message.topic for message in guest.heard]}"
        assert home.vitals("ada", "profile") == before, "somebody else has changed a profile"


class Person:
    """Somebody's credential on a device, as the command keeps it."""

    def __init__(self, home, name, address):
        folder = home.folder / f"home-{name}/.config/vitals/accounts"
        if not folder.exists():
            password = home.folder / "password"
            password.write_text(f"{PASSWORD}\n")
            home.vitals(name, "sign-in" if name == "ada" else "sign-up", address, "--password-file", str(password))
        kept = json.loads(next(folder.glob("*.json")).read_text())
        self.device, self.topics = kept["device"], f"vitals/v1/users/{kept['user']}"
        self.password = next(folder.glob("*.password")).read_text().strip()


STEPS = [has_the_operators_settings, is_served_behind_tls]
