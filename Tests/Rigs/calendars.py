"""A person's reminders and a calendar of their own at a real server (Radicale), while both sides are changed at random, and the consumer
and the server are killed in between.

The other side is played here, by plain requests and by icalendar. In the end both sides say the same, each thing once, and nothing is
lost that nobody deleted, and the last word on each thing counts, or the person was told. Then the password is changed there, and the
calendar is deleted there; and servers that answer with too much, too slowly, without an end, or with a way to somewhere else get a clear
error, and cost little time and memory.

    calendars.py [short|normal|long]
"""

import base64
import collections
import contextlib
import datetime
import http.client
import http.server
import json
import os
import random
import re
import signal
import sys
import threading
import time

import icalendar

from household import can_connect, free_port, resident_kilobytes, stop
from outcome import Outcome
from people import Neighbourhood

#: How many changes there are, and how many kills.
SIZES = {"short": (40, 6), "normal": (200, 40), "long": (1000, 200)}
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
#: How much more memory the consumer may need for a server that answers with too much, in kilobytes.
MOST_MEMORY = 48_000
#: How long a person waits for a server's home, in seconds, and a little more.
LONGEST = 45


class Radicale:
    """A calendar server, and somebody who changes a calendar there."""

    def __init__(self, rig):
        self.rig, self.port = rig, free_port()
        self.folder = rig.folder / "radicale"
        self.folder.mkdir()
        self.program = None
        self.set_password("first secret")

    def set_password(self, password):
        self.password = password
        (self.folder / "users").write_text(f"ada:{password}\n")

    def start(self):
        command = [
            sys.executable, "-m", "radicale", "--config", "", "--server-hosts", f"127.0.0.1:{self.port}",
            "--auth-type", "htpasswd", "--auth-htpasswd-filename", self.folder / "users", "--auth-htpasswd-encryption", "plain",
            "--auth-delay", "0", "--storage-filesystem-folder", self.folder / "collections"]
        self.program = self.rig.start("radicale", command)
        self.rig.wait(self.program, "the calendar server listens", lambda: can_connect(self.port), 30)

    def kill(self):
        self.program.send_signal(signal.SIGKILL)
        self.program.wait()

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}"

    def ask(self, method, path, body="", **headers):
        """The status of an answer, its text and its headers."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=20)
        with contextlib.closing(connection):
            secret = base64.b64encode(f"ada:{self.password}".encode()).decode()
            given = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, body.encode(), {"Authorization": f"Basic {secret}"} | given)
            answer = connection.getresponse()
            return answer.status, answer.read().decode(), answer.headers

    def resources(self):
        """What is in the calendar: ETags by path."""
        status, text, _ = self.ask("PROPFIND", self.path, Depth="1")
        if status != 207:
            raise RuntimeError(f"the calendar was not listed: {status} {text[:200]}")
        hrefs = re.findall(r"<href>([^<]*)</href>", text)
        return [href for href in hrefs if href.endswith(".ics")]

    def read(self, path):
        status, text, headers = self.ask("GET", path)
        return (text, headers["ETag"]) if status == 200 else (None, None)

    def events(self):
        """What each event says, by path."""
        found = {}
        for path in self.resources():
            text, _ = self.read(path)
            if text:
                found[path] = Said.of_event(icalendar.Calendar.from_ical(text).walk("VEVENT")[0])
        return found


class Said(collections.namedtuple("Said", "label time weekdays alarm")):
    """What a reminder and its event have in common."""

    @classmethod
    def of_reminder(cls, reminder):
        alarm = reminder.get("alert_min") if reminder["enabled"] else None
        return cls(reminder["label"], reminder["time"], tuple(sorted(reminder["weekdays"])), alarm)

    @classmethod
    def of_event(cls, event):
        rule = event["RRULE"]
        days = WEEKDAYS if rule["FREQ"] == ["DAILY"] else [
            day for day in WEEKDAYS if day[:2].upper() in [str(name) for name in rule["BYDAY"]]]
        alarms = [-alarm["TRIGGER"].dt // datetime.timedelta(minutes=1) for alarm in event.walk("VALARM")]
        start = event["DTSTART"].dt
        return cls(str(event["SUMMARY"]), f"{start:%H:%M}", tuple(sorted(days)), alarms[0] if alarms else None)

    def event(self, uid):
        """As somebody's calendar program writes it."""
        first = datetime.date(2026, 11, 2)
        while WEEKDAYS[first.weekday()] not in self.weekdays:
            first += datetime.timedelta(days=1)
        now = datetime.datetime.now(datetime.timezone.utc)
        event = icalendar.Event()
        event.add("uid", uid)
        event.add("summary", self.label)
        event.add("dtstamp", now)
        event.add("last-modified", now)
        event.add("dtstart", datetime.datetime.combine(first, datetime.time.fromisoformat(self.time)))
        event.add("rrule", {"freq": "weekly", "byday": [day[:2].upper() for day in self.weekdays]})
        event.add("description", "a note that stays")
        if self.alarm is not None:
            alarm = icalendar.Alarm()
            alarm.add("action", "DISPLAY")
            alarm.add("description", self.label)
            alarm.add("trigger", -datetime.timedelta(minutes=self.alarm))
            event.add_component(alarm)
        calendar = icalendar.Calendar()
        calendar.add("prodid", "-//rig//EN")
        calendar.add("version", "2.0")
        calendar.add_component(event)
        return calendar.to_ical().decode()


class Rig(Neighbourhood):
    """A person with a calendar, and everything that changes it."""

    def begin(self, dice):
        super().begin(["ada"], [])
        stop(self.consumer)
        settings = self.settings.read_text()
        self.settings.write_text(settings.replace("accounts: {},", 'accounts: {}, calendar: { private_hosts: ["127.0.0.1"] },'))
        self.start_consumer()
        self.dice, self.made, self.deleted = dice, 0, set()
        # What somebody has made of each thing last, on either side.
        self.latest = {}
        self.radicale = Radicale(self)
        self.radicale.start()
        shown = self.connect(self.radicale.address, self.radicale.password)
        self.radicale.path = shown["calendar"].removeprefix(self.radicale.address)

    # Asking

    def patiently(self, name, fields=None):
        """A reply to a request, however often it may be asked."""
        end = time.monotonic() + 300
        while True:
            reply = self.voice.ask("ada", name, fields, patience=50)
            error = reply.get("error", {})
            if error.get("code") not in ("rate-limited", "busy") or time.monotonic() > end:
                return reply
            time.sleep(min(error.get("retry_after_s", 1), 16))

    def connect(self, address, password):
        reply = self.patiently("calendar/connect", {"address": address, "user": "ada", "password": password})
        if reply["status"] != "ok":
            raise RuntimeError(f"the calendar was not connected: {reply}")
        return reply["data"]

    def sync(self):
        return self.patiently("calendar/sync")

    def reminders(self):
        return self.voice.data("ada", "reminders/list")["reminders"]

    # Changing

    def somewhat(self, tag):
        return Said(
            f"{tag} {self.dice.randint(0, 9999)}", self.dice.choice(["07:30", "18:30"]),
            tuple(sorted(self.dice.sample(WEEKDAYS, self.dice.randint(1, 3)))), self.dice.choice([None, 0, 15]))

    def change(self):
        """One change, on one of the sides."""
        if self.dice.random() < 0.5:
            self.change_here()
        else:
            self.change_there()

    def change_here(self):
        listed = self.reminders()
        kind = self.dice.choice(["add", "change", "change", "delete"])
        if kind == "add" or not listed:
            if len(listed) < 40:
                self.made += 1
                said = self.somewhat(f"#{self.made}")
                self.voice.data("ada", "reminders/add", self.fields(said))
                self.latest[f"#{self.made}"] = said
            return
        reminder = self.dice.choice(listed)
        tag = reminder["label"].split()[0]
        if kind == "change":
            said = self.somewhat(tag)
            reply = self.voice.ask("ada", "reminders/change", {"reminder": reminder["reminder"]} | self.fields(said))
            if reply["status"] == "ok":
                self.latest[tag] = said
        else:
            self.deleted.add(tag)
            self.voice.ask("ada", "reminders/delete", {"reminder": reminder["reminder"]})

    @staticmethod
    def fields(said):
        return {
            "label": said.label, "time": said.time, "weekdays": list(said.weekdays), "alert_min": said.alarm, "enabled": True}

    def change_there(self):
        paths = self.radicale.resources()
        kind = self.dice.choice(["add", "change", "change", "delete"])
        if kind == "add" or not paths:
            if len(paths) < 40:
                self.made += 1
                path = f"{self.radicale.path}made-{self.made}.ics"
                self.put(path, self.somewhat(f"#{self.made}"), f"made-{self.made}")
            return
        path = self.dice.choice(paths)
        text, etag = self.radicale.read(path)
        if text is None:
            return
        event = icalendar.Calendar.from_ical(text).walk("VEVENT")[0]
        tag = str(event["SUMMARY"]).split()[0]
        if kind == "change":
            self.put(path, self.somewhat(tag), str(event["UID"]), If_Match=etag)
        elif self.radicale.ask("DELETE", path, If_Match=etag)[0] in (200, 204):
            self.deleted.add(tag)

    def put(self, path, said, uid, **headers):
        status, text, _ = self.radicale.ask("PUT", path, said.event(uid), Content_Type="text/calendar", **headers)
        if status not in (201, 204, 412):
            raise RuntimeError(f"the calendar server did not take an event: {status} {text[:200]}")
        if status != 412:
            self.latest[said.label.split()[0]] = said

    def play(self, changes, kills, outcome):
        when = set(self.dice.sample(range(changes), kills))
        for number in range(changes):
            self.change()
            outcome.cases += 1
            # A look begins two seconds after a change here: it is met anywhere.
            if number in when:
                time.sleep(self.dice.uniform(1.9, 2.6))
                if self.dice.random() < 0.6:
                    self.kill_consumer()
                    self.change_there()
                    self.start_consumer()
                else:
                    self.radicale.kill()
                    self.radicale.start()

    # Judging

    def settle(self, outcome):
        """Both sides become the same. The person may ask for as many looks as that takes."""
        begin = time.monotonic()
        for _ in range(6):
            reply = self.sync()
            if reply["status"] == "ok":
                outcome.recovery = round(time.monotonic() - begin, 1)
                return
        outcome.problems.append(f"the calendar is not in step: {reply}")

    def judge(self, outcome, what):
        ours = collections.Counter(map(Said.of_reminder, self.reminders()))
        theirs = collections.Counter(self.radicale.events().values())
        for said, count in ((ours - theirs) + (theirs - ours)).items():
            side = "here" if said in ours else "there"
            outcome.problems.append(f"{what}: {count} times {side} only: {said}")
        tags = collections.Counter(said.label.split()[0] for said in ours.elements())
        outcome.duplicated += sum(count - 1 for count in tags.values())
        lost = {f"#{number}" for number in range(1, self.made + 1)} - self.deleted - tags.keys()
        outcome.lost += len(lost)
        outcome.problems += [f"{what}: {tag} is lost" for tag in sorted(lost)]
        self.judge_last_words(outcome, what, {said.label.split()[0]: said for said in ours})
        shown = self.voice.data("ada", "calendar/show")
        outcome.remarks.append(f"{what}: {ours.total()} here, {theirs.total()} there, {shown['reminders']} known to be the same")

    def judge_last_words(self, outcome, what, said):
        """What somebody has said last of each thing is what it says, or a notification names it."""
        told = [x["text"] for x in self.voice.notifications("ada") if x["kind"] == "calendar"]
        # Of many changes, only the number is told.
        unnamed = sum(int(number) for text in told for number in re.findall(r"There are (\d+) more changes", text))
        lost = [
            tag for tag, last in self.latest.items()
            if tag not in self.deleted and said.get(tag) != last and not any(f"{tag} " in text for text in told)]
        if len(lost) > unnamed:
            outcome.problems += [f"{what}: {self.latest[tag]} became {said.get(tag)} without a word" for tag in sorted(lost)]
        outcome.remarks.append(f"{what}: the person was told {len(told)} times, and of {unnamed} changes without their names")

    def expect(self, outcome, what, reply, *words):
        """The reply is an error that says so."""
        said = reply.get("error", {}).get("message", "no error")
        if not any(word in said for word in words):
            outcome.problems.append(f"{what}: {reply}")
        outcome.remarks.append(f"{what}: {said}")

    def restart(self):
        """What people may ask counts from the beginning in a consumer that has just started, so nothing has to be waited for but
        its first look."""
        self.kill_consumer()
        self.start_consumer()

        def has_looked():
            shown = self.voice.data("ada", "calendar/show")
            return not shown["connected"] or "in_step" in shown or "problem" in shown

        self.wait(self.consumer, "the calendar has been looked at", has_looked, 60)

    def change_password(self, outcome):
        self.restart()
        self.radicale.set_password("second secret")
        for _ in range(2):
            self.expect(outcome, "a password that was changed there", self.sync(), "the calendar refused the password")
        if self.voice.data("ada", "calendar/show").get("stopped"):
            outcome.problems.append("a server that refuses the password for a moment is believed at once")
        self.connect(self.radicale.address, self.radicale.password)
        self.settle(outcome)
        self.judge(outcome, "with the new password")

    def delete_there(self, outcome):
        self.restart()
        before = self.reminders()
        status, text, _ = self.radicale.ask("DELETE", self.radicale.path)
        if status not in (200, 204):
            raise RuntimeError(f"the calendar was not deleted there: {status} {text[:200]}")
        for _ in range(2):
            self.expect(outcome, "a calendar that was deleted there", self.sync(), "there is no such calendar")
        # What follows half an hour later is tried by CalendarRadicaleTests, where time can be passed over.
        if not self.voice.data("ada", "calendar/show")["connected"] or self.reminders() != before:
            outcome.problems.append("a calendar that was deleted there is not missed for a while, or took reminders with it")
        self.voice.data("ada", "calendar/disconnect")
        if self.voice.data("ada", "calendar/show") != {"connected": False} or self.reminders() != before:
            outcome.problems.append("a calendar that was disconnected is still there, or took reminders with it")

    def meet_the_hostile(self, size, outcome):
        # The one that answers slowly takes as long as everything else in the short form.
        chosen = {name: words for name, words in HOSTILE.items() if size != "short" or name != "a slow answer"}
        for number, (name, words) in enumerate(chosen.items()):
            if number % 5 == 0:
                self.restart()
            server = Hostile(name)
            fields = {"address": f"http://127.0.0.1:{server.port}", "user": "ada", "password": "x"}
            before, begin = resident_kilobytes(self.consumer.pid), time.monotonic()
            reply = self.voice.ask("ada", "calendar/connect", fields, patience=50)
            took, grown = time.monotonic() - begin, resident_kilobytes(self.consumer.pid) - before
            server.close()
            self.expect(outcome, f"a server with {name}", reply, *words)
            outcome.remarks[-1] += f" ({took:.1f} s, {grown:,} kB)"
            if took > LONGEST:
                outcome.problems.append(f"a server with {name} kept a thread for {took:.0f} s")
            if grown > MOST_MEMORY:
                outcome.problems.append(f"a server with {name} cost {grown:,} kB")
            if "x" * 100 in json.dumps(reply):
                outcome.problems.append(f"a server with {name} has its own words shown")
            outcome.cases += 1


HOSTILE = {
    "an endless answer": ["more than is read"],
    "a slow answer": ["did not answer in time"],
    "entities": ["does not speak CalDAV", "more than is read"],
    "a way elsewhere": ["leads to another place", "no calendar server"],
    "a way in circles": ["leads to another place"],
    "elements in elements": ["does not speak CalDAV", "more than is read"],
    "no CalDAV": ["does not speak CalDAV", "no such calendar", "status", "does not allow it"],
}
MULTISTATUS = b'<?xml version="1.0"?>%b<d:multistatus xmlns:d="DAV:">%b</d:multistatus>'


class Hostile:
    """A server that answers everything in one way."""

    def __init__(self, name):
        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def answer(self):
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                with contextlib.suppress(OSError):
                    getattr(self, name.replace(" ", "_"))()

            do_GET = do_PROPFIND = do_OPTIONS = do_REPORT = do_MKCALENDAR = answer

            def begin(self, status, **headers):
                self.send_response(status)
                for header, value in headers.items():
                    self.send_header(header.replace("_", "-"), value)
                self.end_headers()

            def say(self, body):
                self.begin(207, Content_Type="application/xml", Content_Length=str(len(body)))
                self.wfile.write(body)

            def an_endless_answer(self):
                self.begin(207, Content_Type="application/xml")
                self.wfile.write(b'<?xml version="1.0"?><d:multistatus xmlns:d="DAV:">')
                for _ in range(1 << 14):
                    self.wfile.write(b"<d:response><d:href>" + b"x" * 65_536 + b"</d:href></d:response>")

            def a_slow_answer(self):
                self.begin(207, Content_Type="application/xml")
                while True:
                    self.wfile.write(b" ")
                    time.sleep(1)

            def entities(self):
                levels = b"".join(b'<!ENTITY e%d "%b">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
                self.say(MULTISTATUS % (b'<!DOCTYPE d [<!ENTITY e0 "xxxxxxxxxx">' + levels + b"]>", b"&e9;"))

            def a_way_elsewhere(self):
                self.begin(302, Location="http://169.254.169.254/latest/", Content_Length="0")

            def a_way_in_circles(self):
                self.begin(301, Location=f"http://127.0.0.1:{self.server.server_port}{self.path}x", Content_Length="0")

            def elements_in_elements(self):
                self.say(MULTISTATUS % (b"", b"<d:a>" * 100_000 + b"</d:a>" * 100_000))

            def no_CalDAV(self):
                body = b"<html><body>It works</body></html>"
                self.begin(200, Content_Type="text/html", Content_Length=str(len(body)))
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_port
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()


def run(size, seed) -> Outcome:
    changes, kills = SIZES[size]
    outcome = Outcome("calendars")
    with Rig() as rig:
        rig.begin(random.Random(seed))
        rig.play(changes, kills, outcome)
        rig.settle(outcome)
        rig.judge(outcome, f"after {changes} changes and {kills} kills")
        rig.change_password(outcome)
        rig.delete_there(outcome)
        rig.meet_the_hostile(size, outcome)
        rig.check(outcome)
    return outcome


if __name__ == "__main__":
    found = run(sys.argv[1] if len(sys.argv) > 1 else "short", int.from_bytes(os.urandom(4)))
    for line in [*found.problems[:40], *found.remarks]:
        print(line)
    sys.exit(0 if found.holds else 1)
