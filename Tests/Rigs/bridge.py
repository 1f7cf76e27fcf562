"""One consumer in the cloud for many homes, each with a broker and a gateway of its own, and a bridge. Under load the links are cut,
brokers are killed with all that they know, at either end, and the consumer is killed; one or two at once. Meanwhile each person asks
the consumer for steps, again and again, which it reads at the gateway, through the bridge.

At the end every reading is stored once, and everybody's requests were answered. Somebody at the cloud's broker who sees everything
has seen no live reading, and nothing else that mosquitto/bridge.conf does not name; and sees them as soon as a household takes the
line for it in, so the rig would notice. A home's password lets nobody speak for another home. A bridge tells nothing to who takes the
cloud's place with another certificate. Each listener of the brokers lets in
whom its file says, with TLS and through WebSockets."""

import contextlib
import getpass
import json
import random
import re
import shutil
import ssl
import subprocess
import time

from access import Client
from cloud import KEEP_ALIVE, BridgedHome, Cloud, FalseCloud
from eavesdropper import Eavesdropper
from household import RELEASE, can_connect, certify, free_port, stop
from load import Beats, Worker, judge
from outcome import Outcome
from paho.mqtt.client import WebsocketConnectionError
from people import ROOT, Voice
from proxy import DOWN, UP

#: How many rounds there are, and how many heart rates come from each sensor in a second.
SIZES = {"short": (5, 20), "normal": (24, 20), "long": (120, 12)}
#: The files of mosquitto/ from which the homes' brokers are made.
HOMES = {"ada": "vitals.conf", "ben": "home.conf", "cy": "vitals.conf"}
#: How many homes there are, and what happens to them. A hole is a link that swallows everything.
WORLDS = {"short": (2, ["cut", "home", "cloud", "consumer"])}
USUAL = (3, ["cut", "home", "cloud", "consumer", "gateway", "hole"])
#: What Mosquitto 2.0.11, Debian 12's, cannot stand: if a TLS handshake of its bridge fails, it may run in circles in keepalive__check
#: and serve nobody any more. 2.0.21 does not. A connection that is refused does it no harm.
SOUND = (2, 0, 12)
#: The longest time that a recovery may take, in seconds. 2.0.11 takes up to 13 after a cut, whatever restart_timeout says; and after a
#: hole, a bridge has to find out first.
LIMIT = 20
AFTER_HOLE = LIMIT + 2 * KEEP_ALIVE
#: What may cross: the levels after the gateway's id.
CROSSES = re.compile(
    r"(blocks|live|grants|status|info|health|control|sensors/strap/(info|availability|grant|(steps|temperature)/get)"
    r"|responses/consumer/[0-9a-z]+)")


class Asker(Worker):
    """A person who asks the consumer for steps now and then; each time there are more."""

    def __init__(self, home: BridgedHome, voice: Voice):
        super().__init__(home, 0.5)
        self._voice, self._next = voice, 0
        #: (time, value) of each reply.
        self.replies: list[tuple[int, int]] = []
        self.refusals = 0

    def act(self) -> None:
        self._next += 1
        self.home.tell_sensor(f"steps {self._next}")
        reply = self._voice.ask(self.home.user, "steps/read")
        if reply["status"] == "ok":
            self.replies.append((reply["data"]["time"], reply["data"]["steps"]))
        else:
            self.refusals += 1


def run(size: str, seed: int) -> Outcome:
    outcome, dice = Outcome("bridge", recovery=0.0), random.Random(seed)
    count, _ = WORLDS.get(size, USUAL)
    is_sound = broker_version() >= SOUND
    with contextlib.ExitStack() as stack:
        cloud = stack.enter_context(Cloud())
        homes = [stack.enter_context(BridgedHome(cloud, name, file)) for name, file in list(HOMES.items())[:count]]
        rogue = stack.enter_context(Eavesdropper(cloud, "consumer", [f"{ROOT}/#"]))
        for home in homes:
            home.start_gateway()
        for home in homes:
            home.wait(home.gateway, "the sensor is recorded", lambda home=home: "sensor strap: recorded" in home.log("gateway"))
            home.wait(home.gateway, "the gateway listens", lambda home=home: home.lives[-1].listens is not None)
        strain(cloud, homes, size, dice, outcome)
        check(cloud, outcome)
        judge_crossing(rogue, outcome)
        impersonate(cloud, homes[0], homes[1], rogue, outcome)
        keep_out(cloud, homes[0], outcome)
        try_listeners(cloud, homes[1], outcome)
        if is_sound and size != "short":
            mislead(cloud, homes[0], outcome)
        open_live(homes[0], rogue, outcome)
        remove(homes[1], outcome)
    if not is_sound:
        outcome.remarks.append("this Mosquitto hangs when a bridge's TLS handshake fails: no holes, and nobody in the cloud's place")
    return outcome


def broker_version():
    said = subprocess.run(["mosquitto", "-h"], capture_output=True, text=True).stdout
    return tuple(int(x) for x in re.match(r"mosquitto version (\d+)\.(\d+)\.(\d+)", said).groups())


def strain(cloud, homes, size, dice, outcome):
    """The load and the faults; and afterwards, whether everything is stored."""
    rounds, rate = SIZES[size]
    _, kinds = WORLDS.get(size, USUAL)
    if broker_version() < SOUND:
        kinds = [kind for kind in kinds if kind != "hole"]
    worst: dict[str, float] = {}
    with contextlib.closing(Voice(cloud, "rig")) as voice, contextlib.ExitStack() as loads:
        beats = [loads.enter_context(Beats(home, rate)) for home in homes]
        askers = [loads.enter_context(Asker(home, voice)) for home in homes]
        for home in homes:
            home.until_flowing()
        for number, names in enumerate(draw(rounds, kinds, dice)):
            play(cloud, homes, names, dice)
            restarted = time.monotonic()
            took = max(home.until_flowing(restarted, limit=120) for home in homes)
            outcome.cases += len(names)
            outcome.recovery = max(outcome.recovery, took)
            for name in names:
                worst[name] = max(worst.get(name, 0.0), took)
            if took > (AFTER_HOLE if "hole" in names else LIMIT):
                outcome.problems.append(f"round {number}, {' and '.join(names)}: well again only after {took:.1f} s")
        for load in beats + askers:
            load.stop()
    for home, beat, asker in zip(homes, beats, askers):
        home.until_stored()
        conclude(home, beat, asker, outcome)
    outcome.remarks += [f"worst recovery in rounds with {name}: {took:.1f} s" for name, took in sorted(worst.items())]


# Faults

def draw(rounds: int, kinds: list[str], dice: random.Random) -> list[list[str]]:
    """What happens at once in each round: everything at least once."""
    drawn = [[kind] for kind in kinds] + [["cloud", "home"]]
    drawn += [dice.sample(kinds, dice.choice([1, 1, 2])) for _ in range(rounds - len(drawn))]
    dice.shuffle(drawn)
    return drawn


def play(cloud, homes, names, dice):
    time.sleep(dice.uniform(0, 0.5))
    home = dice.choice(homes)
    if "home" in names:
        home.kill_and_forget_broker()
    if "cloud" in names:
        cloud.kill_and_forget_broker()
    if "consumer" in names:
        cloud.kill_consumer()
    if "gateway" in names:
        home.kill("gateway")
    if "cut" in names:
        home.cut(dice.uniform(0.5, 4))
    if "hole" in names:
        home.swallow(dice.uniform(1, 3) * KEEP_ALIVE, dice.choice([{UP}, {DOWN}, {UP, DOWN}]))
    time.sleep(dice.uniform(0, 1))
    if "cloud" in names:
        cloud.start_broker()
    if "consumer" in names:
        cloud.start_consumer()
    if "home" in names:
        home.start_broker()
    if "gateway" in names:
        home.start_again("gateway")


# Judging

def conclude(home, beats, asker, outcome):
    found = judge(home, beats, asker)
    outcome.lost += len(found.lost)
    outcome.duplicated += len(found.duplicated)
    outcome.corrupt += len(found.corrupt)
    for words, some in [("lost", found.lost), ("stored twice", found.duplicated), ("corrupt", found.corrupt)]:
        if some:
            outcome.problems.append(f"{home.name}: {words}: {', '.join(some[:10])}")
    if dead := home.dead_letters():
        outcome.problems.append(f"{home.name}: the consumer refused {dead} genuine blocks")
    if not asker.replies:
        outcome.problems.append(f"{home.name}: no request for steps was answered")
    outcome.remarks.append(
        f"{home.name} ({home.configuration}): {found.sent:,} heart rates sent, {found.due:,} readings must be stored, "
        f"{found.stored:,} are; {len(asker.replies)} requests answered with steps, {asker.refusals} refused")


def check(cloud, outcome):
    """Has the consumer open and count all that it has stored."""
    said = subprocess.run(
        [RELEASE / "vitals-consumer", "check", "--settings", cloud.consumer_settings], capture_output=True, text=True)
    if said.returncode != 0:
        outcome.corrupt += 1
        outcome.problems.append(f"vitals-consumer check: status {said.returncode}: {(said.stdout + said.stderr).strip()}")


def judge_crossing(rogue, outcome):
    """Nothing has come to the cloud's broker that has no business there."""
    seen, live = set(), 0
    for heard in list(rogue.heard):
        levels = heard.topic.removeprefix(f"{ROOT}/").split("/", 2)
        if levels[0] == "gateways":
            seen.add(levels[2])
            live += b'"bpm"' in heard.payload
    if strange := sorted(tail for tail in seen if not CROSSES.fullmatch(tail)):
        outcome.problems.append(f"crossed the bridge: {', '.join(strange[:10])}")
    if live:
        outcome.problems.append(f"{live} live heart rates crossed the bridge")
    for tail in ["blocks", "control", "status", "info", "health", "sensors/strap/info", "sensors/strap/grant"]:
        if tail not in seen:
            outcome.problems.append(f"{tail} was never seen in the cloud: this run has proved nothing")
    outcome.remarks.append(f"{len(rogue.heard):,} messages seen in the cloud, {len(seen)} kinds of them from gateways")


# Who may do what

def password(home):
    return (home.folder / "gateway/broker.password").read_text().strip()


#: Where an impostor tries to publish: what a gateway says, and what it is told.
TAILS = ["blocks", "live", "grants", "status", "info", "sensors/strap/info", "responses/consumer/x", "control", "events"]
MARKER, SENTINEL = b"from an impostor", b"from its own home"


def impersonate(cloud, victim, other, rogue, outcome):
    """A home tries to speak for another one and to listen to it, with its own password."""
    client = Client(cloud.tls_port, other.gateway_id, password(other), tls=ssl.create_default_context(cafile=cloud.authority))
    for tail in TAILS:
        expect(outcome, client.allowed(client.publish(f"{victim.topics}/{tail}", MARKER)), False, f"publishes another's {tail}")
    expect(outcome, client.allowed(client.publish(f"{other.topics}/events", b"{}")), True, "publishes its own events")
    for topic in [f"{victim.topics}/control", f"{ROOT}/gateways/+/control", f"{ROOT}/users/#", f"{ROOT}/#", "#"]:
        expect(outcome, client.allowed(client.subscribe(topic)), False, f"listens to {topic}")
    client.close()
    impersonate_with_bridge(victim, other, rogue, outcome)


def impersonate_with_bridge(victim, other, rogue, outcome):
    """The same with a bridge that claims to be the other home's. One line of it is its own, to see when everything has passed."""
    folder, port = victim.folder / "impostor", free_port()
    (folder / "conf.d").mkdir(parents=True)
    path = other.make_bridge(folder, victim.gateway_id, other.folder / "gateway/broker.password")
    text = path.read_text().replace(f"remote_username {victim.gateway_id}", f"remote_username {other.gateway_id}")
    path.write_text(f"{text}topic health out 1 {other.topics}/ {other.topics}/\n")
    settings = f"listener {port} 127.0.0.1\nallow_anonymous true\nuser {getpass.getuser()}\ninclude_dir {folder}/conf.d\n"
    (folder / "mosquitto.conf").write_text(settings)
    broker = victim.start("impostor", ["mosquitto", "-c", folder / "mosquitto.conf"])
    victim.wait(broker, "the impostor's broker listens", lambda: can_connect(port))
    client = Client(port)
    client.subscribe(f"{ROOT}/#")
    is_up = client.hears(20, lambda x: x.topic.endswith("/bridge") and x.payload == b"1")
    expect(outcome, is_up, True, "an impostor's link is up")
    for tail in TAILS:
        client.publish(f"{victim.topics}/{tail}", MARKER)
    client.publish(f"{other.topics}/health", SENTINEL)
    rogue.wait("what a home says of itself has crossed", lambda: any(x.payload == SENTINEL for x in rogue.heard[-100:]))
    expect(outcome, any(x.payload == MARKER for x in rogue.heard), False, "another home speaks for it")
    # The consumer's presence is for everybody, and comes after the subscriptions to what is the victim's.
    expect(outcome, client.hears(20, lambda x: "/consumers/" in x.topic), True, "an impostor hears whether the consumer is there")
    foreign = [x.topic for x in client.heard if x.payload != MARKER and "/sensors/" in x.topic]
    expect(outcome, bool(foreign), False, f"another home hears {foreign[:3]}")
    client.close()
    stop(broker)


def keep_out(cloud, home, outcome):
    """What people in the cloud want of the music at home stays in the cloud: the household has not taken in the line for it."""
    inside = Client(home.port)
    expect(outcome, inside.allowed(inside.subscribe(f"{home.topics}/#")), True, "the household hears its gateway")
    person = Client(cloud.tls_port, home.gateway_id, password(home), tls=ssl.create_default_context(cafile=cloud.authority))
    for name in ["music/show", "music/play", "music/pause", "scan"]:
        expect(outcome, person.allowed(person.publish(f"{home.topics}/requests/{name}", MARKER)), True, f"asks for {name} in the cloud")
    person.publish(f"{home.topics}/sensors/strap/steps/get", SENTINEL)
    is_there = inside.hears(20, lambda x: x.payload == SENTINEL)
    expect(outcome, is_there, True, "what may cross the bridge does")
    expect(outcome, any(x.payload == MARKER for x in inside.heard), False, "what people want of the music crosses the bridge")
    inside.close()
    person.close()


def try_listeners(cloud, home, outcome):
    """Who is let in by which listener of mosquitto/public.conf and of mosquitto/home.conf."""
    assert home.configuration == "home.conf"
    inside = ssl.create_default_context(cafile=home.folder / "broker/certs/authority.crt")
    outside = ssl.create_default_context(cafile=cloud.authority)
    signed_in = next((home.folder / ".config/vitals/accounts").glob("*.json"))
    device = json.loads(signed_in.read_text())["device"], signed_in.with_suffix(".password").read_text().strip()
    gateway, guest, wrong = (home.gateway_id, password(home)), (None, None), (home.gateway_id, "wrong")
    socket, tcp = "websockets", "tcp"
    for what, port, transport, tls, who, expected in [
        ("cloud", cloud.tls_port, tcp, outside, guest, True), ("cloud", cloud.tls_port, tcp, outside, device, True),
        ("cloud", cloud.tls_port, tcp, outside, wrong, False), ("cloud", cloud.tls_port, tcp, inside, guest, False),
        ("cloud", cloud.socket_port, socket, outside, guest, True), ("cloud", cloud.socket_port, socket, outside, device, True),
        ("cloud", cloud.socket_port, socket, outside, wrong, False), ("cloud", cloud.socket_port, socket, inside, guest, False),
        ("cloud", cloud.socket_port, socket, None, guest, False), ("cloud", cloud.socket_port, tcp, outside, guest, False),
        ("home", home.port, tcp, None, guest, True), ("home", home.port, tcp, None, gateway, True),
        ("home", home.port, tcp, None, wrong, False),
        ("home", home.tls_port, tcp, inside, guest, False), ("home", home.tls_port, tcp, inside, gateway, True),
        ("home", home.tls_port, tcp, inside, wrong, False), ("home", home.tls_port, tcp, None, gateway, False),
        ("home", home.socket_port, socket, inside, guest, False), ("home", home.socket_port, socket, inside, gateway, True),
        ("home", home.socket_port, socket, inside, wrong, False), ("home", home.socket_port, socket, None, gateway, False),
    ]:
        words = f"{what}: {who[0] or 'a guest'} comes in by {transport}{' with TLS' if tls else ''}, port {port}"
        client = connect(port, who, tls, transport)
        expect(outcome, client is not None, expected, words)
        if client and transport == socket and who != guest:
            topic = f"{ROOT}/users/{home.user}/#" if who == device else f"{home.topics}/#"
            expect(outcome, client.allowed(client.subscribe(topic)), True, f"{words}, and hears its own")
            expect(outcome, client.allowed(client.subscribe(f"{ROOT}/#")), who == gateway, f"{words}, and subscribes to all")
            expect(outcome, client.hears(10, lambda x: True), True, f"{words}, and hears something")
        if client:
            client.close()


def connect(port, who, tls, transport):
    """A client that was let in, or None."""
    try:
        client = Client(port, *who, tls=tls, transport=transport)
    except (OSError, WebsocketConnectionError):  # ssl.SSLError is an OSError.
        return None
    if client.is_in:
        return client
    client.close()
    return None


def mislead(cloud, home, outcome):
    """Somebody takes the cloud's place: with a certificate of another authority, and with one of the right authority that names
    another machine. A bridge tells neither of them anything, least of all its password."""
    foreign, misnamed = home.folder / "foreign", home.folder / "misnamed"
    certify(foreign, "authority")
    certify(foreign, "server", "127.0.0.1")
    shutil.copytree(cloud.authority.parent, misnamed)
    certify(misnamed, "server", "elsewhere.example.org")
    home.wait_for_link("1")
    for what, certificates in [("another authority", foreign), ("another machine", misnamed)]:
        with FalseCloud(certificates) as false:
            home.link.target = false.port
            home.link.reset()
            home.wait(home.broker, "the bridge has tried the false cloud twice", lambda false=false: false.visits >= 2, 60)
            expect(outcome, false.told, False, f"a bridge speaks to who has a certificate of {what}")
    home.link.target = cloud.tls_port
    home.wait_for_link("1")


def open_live(home, rogue, outcome):
    """The household takes in the line for live heart rates."""
    path = home.folder / f"broker/conf.d/bridge-{home.gateway_id}.conf"
    path.write_text(path.read_text().replace("\n#topic sensors/+/heart-rate out", "\ntopic sensors/+/heart-rate out"))
    stop(home.broker)
    home.start_broker()
    home.wait_for_link("1")

    def is_seen():
        home.tell_sensor("heart-rate 77")
        return any(heard.topic == f"{home.topics}/sensors/strap/heart-rate" for heard in list(rogue.heard))

    try:
        home.wait(home.broker, "live heart rates are seen in the cloud", is_seen, 20)
    except TimeoutError as error:
        outcome.problems.append(f"live heart rates that a household wants in the cloud, or the rig's eyes: {error}")
    outcome.cases += 1


def remove(home, outcome):
    """A gateway that its owner removes takes its bridge along."""
    home.vitals("gateways", "remove", home.gateway_id, "--yes")
    home.wait_for_link("0")
    client = connect(home.cloud.port, (home.gateway_id, password(home)), None, "tcp")
    expect(outcome, client is not None, False, "a removed gateway comes in")


def expect(outcome, found, expected, what):
    outcome.cases += 1
    if bool(found) != expected:
        outcome.problems.append(f"{what}: {'yes' if found else 'no'}")
