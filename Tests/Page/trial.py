"""Plays the page in a real Chromium against a real broker, consumer and gateway, from signing up to live heart rates, and ends with

    views: N
    axe: N findings
    console: N errors

At each view, in both themes, on a phone and on a desktop: axe-core finds nothing, and nothing can be scrolled sideways.

    trial.py [--pictures FOLDER]     with a picture of each view in that folder
"""

import argparse
import base64
import contextlib
import http.client
import json
import os
import re
import signal
import sys
import tempfile
import time
from pathlib import Path

from browser import SIZES, THEMES, Browser
from home import Home
from selenium.webdriver.common.keys import Keys

PASSWORD = "Heart-9beat-Run"
#: A name as no name should be: markup, a script, a control character, a turn of direction, an emoji, and a very long word.
HOSTILE = "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>\u202eevil\U0001f980"
LONG = "W" * 90
#: A script that hands what the page keeps of its device to a function that follows, and waits for `done`.
WITH_DEVICE = """
    const done = arguments[arguments.length - 1];
    const read = (act) => {
      const opening = indexedDB.open("vitals", 1);
      opening.onsuccess = () => {
        const asked = opening.result.transaction("credentials").objectStore("credentials").get("device");
        asked.onsuccess = () => { opening.result.close(); act(asked.result); };
      };
    };
    read("""

#: A script that turns the wheel over the chart, and is done when the chart shows what the service has of the longer period.
ZOOM = """
    const done = arguments[arguments.length - 1];
    const chart = document.querySelector(".zoomable"), foot = document.querySelector(".chart-foot");
    const before = foot.textContent, began = performance.now(), box = chart.getBoundingClientRect();
    const observer = new MutationObserver(() => {
      if (foot.textContent === before) return;
      observer.disconnect();
      requestAnimationFrame(() => done(performance.now() - began));
    });
    observer.observe(foot, { childList: true, subtree: true });
    chart.dispatchEvent(new WheelEvent("wheel", { deltaY: 100, clientX: box.x + box.width / 2, clientY: box.y + 50, cancelable: true }));
"""


class Trial:
    def __init__(self, home, browser, pictures):
        self.home, self.browser, self.pictures = home, browser, pictures
        self.views, self.findings, self.notes = [], [], []

    def look(self, name):
        """Judges the view that is shown, as everybody may see it."""
        for size in SIZES:
            for theme in THEMES:
                self.browser.dress(size, theme)
                where = f"{name}, {size}, {theme}"
                self.findings += [f"{where}: {finding}" for finding in self.browser.findings()]
                if self.browser.is_too_wide():
                    self.findings.append(f"{where}: it can be scrolled sideways")
                if self.pictures:
                    self.browser.picture(self.pictures / f"{name}-{size}-{theme}.png")
        self.browser.dress("desktop", "light")
        self.views.append(name)

    # The person's way, in its order

    @property
    def steps(self):
        return [self.signs_up, self.tells_who_they_are, self.connects_a_strap, self.sees_their_heart, self.sees_any_period, self.sees_their_workouts, self.has_a_friend,
                self.stays_signed_in, self.is_read_out, self.resists, self.is_offline, self.is_german, self.looks_at_themselves,
                self.signs_out, self.is_signed_out, self.resets_the_password]

    def signs_up(self):
        page = self.browser
        page.open(self.home.address)
        page.see("Sign in")
        self.look("sign-in")
        page.press("Sign up")
        page.press("Sign up", "//form")
        page.see("Empty Fields")
        page.type("E-mail or phone number", "ada@example.org")
        page.type("Password", "short")
        page.press("Sign up", "//form")
        page.see("at least 10 characters")
        assert page.run("return document.activeElement.getAttribute('aria-invalid')") == "true", "the focus is not at what is wrong"
        self.look("sign-up")
        page.type("Password", PASSWORD)
        page.press("Sign up", "//form")
        page.see("You are registered and signed in")
        page.see("Welcome")

    def tells_who_they_are(self):
        page = self.browser
        page.press("Save", "//form")
        page.see("Empty Fields")
        page.type("Name", HOSTILE)
        page.type("Date of birth", "1985-12-10")
        page.type("Gender", "Female")
        page.type("Height in cm", "16")
        page.type("Weight in kg", "58")
        page.press("Save", "//form")
        page.see("Enter Proper Height")
        self.look("welcome")
        page.type("Height in cm", "165")
        page.press("Save", "//form")
        page.see("Data Saved Successfully")
        # The name is text, and its direction does not reach beyond it.
        page.wait("the name is in the heading", lambda: page.all("h1")[0].text.startswith("Welcome, <img src=x onerror="))
        assert "broken" not in page.run("return document.title").replace(HOSTILE.replace("\u202e", "\ufffd"), ""), "a script in a name ran"
        assert "\u202e" not in page.run("return document.body.innerText"), "a name turns the direction of the page"

    def connects_a_strap(self):
        page = self.browser
        page.press("Enrol the gateway")
        page.press("Get a code")
        page.wait("there is a code", lambda: page.all("code"))
        self.home.enrol(page.all("code")[0].text)
        page.type("What the console printed", "nothing of the kind")
        page.press("Claim", "//form")
        page.see("This is not what the console prints")
        page.type("What the console printed", self.home.claim_line())
        page.press("Claim", "//form")
        page.see("Heart rate")
        page.wait("the day is shown", lambda: page.all("h1")[0].text == "Today")

    def sees_their_heart(self):
        page = self.browser
        self.waits_for_heart()
        page.see("Zone")
        page.see("Live", ".pill")
        page.press("Read the steps now")
        page.see("steps", ".row b")
        page.press("Read the temperature now")
        page.see("°C", limit=35)
        page.see("95", ".val")
        # Each heart rate that the broker carries appears, whatever else is shown.
        before = page.all(".chart .line")[0].get_attribute("d")
        page.wait("the line goes on", lambda: page.all(".chart .line")[0].get_attribute("d") != before)
        self.look("today")

    def sees_any_period(self):
        page = self.browser
        page.press("Any period")
        page.see("is shown live, and not kept")
        self.look("heart-of-nothing")
        page.press("Keep it from now on")
        page.see("Data Saved Successfully")

        def is_drawn():
            # Each press asks again, whether the same period or another.
            page.press("Hour")
            return len(page.all(".zoomable .line")) > 0
        page.wait("the hour has a line", is_drawn, 60)
        page.see("A point is", ".chart-foot")
        hour = self.shown_range()
        assert hour[1] - hour[0] == 3_600_000, hour
        took = page.driver.execute_async_script(ZOOM)
        self.notes.append(f"from turning the wheel to the new picture: {took:.0f} ms")
        longer = self.shown_range()
        assert longer[1] - longer[0] > 1.2 * 3_600_000, longer
        page.press("Hour")
        page.run("document.querySelector('.zoomable').focus()")
        page.keys(Keys.END)
        page.see("lowest", ".readout")
        page.keys(Keys.ESCAPE)
        page.see("Average", ".readout")
        page.keys("+")
        page.wait("it is zoomed", lambda: self.shown_range()[1] - self.shown_range()[0] < 3_600_000)
        page.press("Hour")
        page.press("As a table")
        page.wait("the table has rows", lambda: page.all("tbody tr"))
        self.look("heart-by-the-hour")
        page.press("As a table")
        # A reload shows the same.
        shown = self.shown_range()
        page.driver.refresh()
        page.wait("the line is there again", lambda: page.all(".zoomable .line"))
        assert self.shown_range() == shown
        for period in ("Day", "Week", "Month", "Year"):
            page.press(period)
            page.wait(f"the {period} is shown", lambda: page.all(".zoomable .line, .zoomable .dot-h"))
        self.look("heart-by-the-year")
        page.press("Before")
        page.see("Nothing was recorded")
        page.press("After")
        page.wait("the line is there again", lambda: page.all(".zoomable .line, .zoomable .dot-h"))
        page.press("Hour")
        page.press("Delete this period")
        page.press("Delete", "//dialog")
        page.see("heart rates deleted")
        page.press("Today")
        self.waits_for_heart()

    def shown_range(self):
        found = re.search(r"from=(\d+)&to=(\d+)", self.browser.driver.current_url)
        return [int(part) for part in found.groups()] if found else [0, 0]

    def sees_their_workouts(self):
        page, home = self.browser, self.home
        page.press("Workouts")
        page.see("No workouts yet")
        self.look("workouts-of-nothing")
        password = home.folder / "password"
        password.write_text(f"{PASSWORD}\n")
        home.vitals("ada", "sign-in", "ada@example.org", "--password-file", str(password))
        home.vitals("ada", "consent", "--record-location", "on")
        home.vitals("ada", "workout", "import", str(home.recorded_run()))
        page.press("Walks")
        page.see("No workouts yet")
        page.press("Runs")
        page.see("<b>City run</b>")
        page.see("km", ".val")
        self.look("workouts")
        page.follow("#/workouts/")
        page.see("Summary")
        page.see("<b>City run</b>")
        page.see("Time in zones")
        page.wait("the way is drawn", lambda: page.all(".map .way"))
        assert not page.all(".map .pos")
        page.run("document.querySelector('vitals-distance-chart').focus()")
        page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        page.see("/km", ".readout")
        page.wait("the map has the point", lambda: page.all(".map .pos"))
        self.look("workout")
        page.press("Heart rate then")
        page.see("Heart rate", "h1")
        page.wait("the heart rate of the run", lambda: page.all(".zoomable .line"))
        self.look("heart-of-a-run")
        page.driver.back()
        page.see("Summary")
        page.press("Delete this workout")
        page.press("Delete", "//dialog")
        page.see("Workout details deleted")
        page.see("No workouts yet")
        page.press("Today")
        self.waits_for_heart()

    def has_a_friend(self):
        """Somebody else, with another program: their steps, a thumb each way, and what is said of it."""
        home, page = self.home, self.browser
        password = home.folder / "password"
        home.vitals("grace", "sign-up", "grace@example.org", "--password-file", str(password))
        home.vitals("grace", "profile", "set", "--name", LONG, "--date-of-birth", "1990-01-02", "--gender", "female", "--height-cm", "170",
                    "--weight-kg", "60")
        code = json.loads(home.vitals("grace", "friends", "code", "--share-steps", "on", "--json"))["code"]
        home.vitals("ada", "friends", "invite", code, "--share-steps", "on")
        page.see(LONG)
        page.press(f"Thumbs up for {LONG}")
        page.see("is told")
        ada = json.loads(home.vitals("grace", "friends", "--json").splitlines()[0])
        home.vitals("grace", "cheer", ada["friend"], "up")
        page.see("thumbs up")
        self.look("today-with-a-friend")
        page.press("Notifications, 1 new" if page.all("[aria-label='Notifications, 1 new']") else "All")
        page.see("thumbs up")
        self.look("lately")
        page.press("Mark as seen")
        page.wait("nothing is new", lambda: page.all("[aria-label='Notifications, 0 new']"))
        page.press("Today")

    # What happens to a page

    def stays_signed_in(self):
        """After a reload nobody signs in again, and nothing that a script could read holds the password."""
        page = self.browser
        began = time.monotonic()
        page.driver.refresh()
        self.waits_for_heart()
        self.notes.append(f"from loading to a live heart rate: {1000 * (time.monotonic() - began):.0f} ms")
        assert page.run("return sessionStorage.length + localStorage.length + document.cookie.length") == 0, "something is kept in the open"
        kept = page.driver.execute_async_script(f"{WITH_DEVICE} (kept) => done([kept.key.extractable, kept.sealed.byteLength > 16]))")
        assert kept == [False, True], f"the key of what is kept: {kept}"

    def waits_for_heart(self):
        page = self.browser
        page.wait("a live heart rate", lambda: page.all(".hero") and page.all(".hero")[0].text.split("\n")[0].isdigit())

    def is_offline(self):
        page = self.browser
        with self.home.without_broker():
            page.see("Offline since")
            page.see("Offline", ".pill")
            assert page.all(".chart .line"), "what was seen is gone"
            page.wait("the heart rate is no longer live", lambda: page.all(".hero")[0].text.startswith("–"))
            page.see("last ")
            self.look("offline")
        page.see("Live", ".pill")
        page.wait("it no longer says that it is offline", lambda: not page.all(".offline"))
        # The browser itself complains that it could not connect.
        page.forgive("WebSocket connection to")

    def is_read_out(self):
        """What a screen reader is told of the dashboard, and what keys alone reach."""
        page = self.browser
        tree = page.tree()
        for told in [("main", ""), ("navigation", "Main"), ("heading", "Today"), ("region", "Heart rate"), ("region", "Goals"),
                     ("region", "On demand"), ("region", "Friends today"), ("region", "Sensors"), ("region", "Lately"),
                     ("button", "Read the steps now"), ("button", "Read the temperature now"), ("button", f"Thumbs up for {LONG}")]:
            assert told in tree, f"{told} is not told: {tree}"
        pictures = [name for role, name in tree if role == "image"]
        assert any(name.startswith("Heart rate of the last three minutes: lowest") for name in pictures), pictures
        page.run("document.activeElement.blur(); scrollTo(0, 0)")
        reached = []
        for _ in range(30):
            page.keys(Keys.TAB)
            reached.append(page.focus)
        for name in ["Skip to content", "Today", "Say the heart rate", "Read the steps now", f"Thumbs down for {LONG}"]:
            assert name in reached, f"{name} is not reached by keys: {reached}"

    def resists(self):
        """Scripts that somebody has brought into the page do not run, and pages of others cannot speak with the broker."""
        page = self.browser
        page.run("""
            const script = document.createElement('script');
            try { script.text = 'window.injected = true'; document.body.append(script); } catch {}
            try { document.body.insertAdjacentHTML('beforeend', '<img src=x onerror="window.injected = true">'); } catch {}
            const link = document.createElement('a'); link.href = 'javascript:window.injected = true'; document.body.append(link); link.click(); link.remove();
            """)
        page.run("return new Promise((done) => setTimeout(done, 200))")
        assert page.run("return window.injected === undefined"), "an injected script has run"
        assert page.hear(), "the browser does not say that it has refused something"
        page.forgive("Content Security Policy")
        for kind in ("TrustedScript", "TrustedHTML"):
            page.forgive(f"'{kind}' assignment")
        assert self.knocks("http://elsewhere.example") == 403, "a page of somebody else's may speak with the broker"
        assert self.knocks(self.home.address) == 101
        for path, status in [("/.digest", 403), ("/../consumer.json5", 404), ("/page.js", 200)]:
            assert self.fetched(path) == status, f"{path}: {self.fetched(path)}"
        assert self.sends(2_000) == 413, "the server takes what nobody has asked for"

    def knocks(self, origin):
        """What the server says to a browser's script from an address that wants to speak with the broker."""
        request = http.client.HTTPConnection("127.0.0.1", self.home.page_port, timeout=10)
        with contextlib.closing(request):
            request.request("GET", "/mqtt", headers={
                "Origin": origin, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
                "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Protocol": "mqtt"})
            return request.getresponse().status

    def fetched(self, path):
        request = http.client.HTTPConnection("127.0.0.1", self.home.page_port, timeout=10)
        with contextlib.closing(request):
            request.putrequest("GET", path)
            request.endheaders()
            return request.getresponse().status

    def sends(self, length):
        """What the server says to so many bytes."""
        request = http.client.HTTPConnection("127.0.0.1", self.home.page_port, timeout=10)
        with contextlib.closing(request):
            request.request("POST", "/", body=bytes(length))
            return request.getresponse().status

    def is_german(self):
        page = self.browser
        self.home.vitals("ada", "profile", "set", "--locale", "de-AT", "--units", "imperial")
        page.driver.refresh()
        page.see("Heute", "h1")
        page.press("Temperatur jetzt lesen")
        # As long as the page itself waits for a sensor.
        page.see("°F", limit=35)
        self.look("today-in-german")
        self.home.vitals("ada", "profile", "set", "--locale", "en-GB", "--units", "metric")
        page.driver.refresh()
        page.see("Today", "h1")

    def looks_at_themselves(self):
        page = self.browser
        page.open(f"{self.home.address}/#/you")
        page.see("165")
        page.see("This browser")
        self.look("you")
        page.press("Edit")
        page.type("Weight in kg", "1")
        page.press("Save", "//form")
        page.see("Enter Proper Weight")
        page.press("Cancel", "//form")
        page.see("Changes Discarded")
        page.press("Edit")
        page.type("Weight in kg", "59.5")
        page.press("Save", "//form")
        page.see("Data Saved Successfully")
        page.see("59.5")
        page.open(f"{self.home.address}/#/nowhere")
        page.see("There is no such view", "h1")
        self.look("no-such-view")

    def signs_out(self):
        """Signing out revokes the device: nothing is left of it here or at the broker."""
        page = self.browser
        page.open(f"{self.home.address}/#/you")
        assert "Browser on Linux" in self.home.vitals("ada", "devices")
        page.press("Sign out")
        page.see("Sign out on this device?")
        page.press("Cancel", "//dialog")
        page.press("Sign out")
        page.press("Sign out", "//dialog")
        page.see("Sign in", "form")
        assert "Browser on Linux" not in self.home.vitals("ada", "devices"), "the device is still signed in"
        assert page.driver.execute_async_script(f"{WITH_DEVICE} (kept) => done(kept === undefined))"), "something of the device is kept"

    def is_signed_out(self):
        """Somebody signs in for this tab only, and is signed out from elsewhere."""
        page = self.browser
        page.type("E-mail or phone number", "ada@example.org")
        page.type("Password", PASSWORD.lower())
        page.press("Stay signed in on this device", "//form")
        page.press("Sign in", "//form")
        page.see("is not right")
        page.type("Password", PASSWORD)

        def is_in():
            # Whoever has failed waits a moment before the next try, and the button says for how long.
            if page.all("form .btn:not([aria-disabled])"):
                page.press("Sign in", "//form")
            page.wait("there is an answer", lambda: not page.all("form .btn[aria-busy]"))
            return not page.all("form")
        page.wait("the right password is taken", is_in)
        self.waits_for_heart()
        page.driver.refresh()
        self.waits_for_heart()
        device = next(line.split()[0] for line in self.home.vitals("ada", "devices").splitlines() if "Browser on Linux" in line)
        self.home.vitals("ada", "devices", "revoke", device)
        page.see("This device was signed out.")
        page.see("Sign in", "form")
        page.forgive("WebSocket connection to")

    def resets_the_password(self):
        page = self.browser
        page.press("Forgotten password")
        page.type("E-mail or phone number", "ada@example.org")
        self.look("reset")
        page.press("I have a code")
        code = self.home.reset_code("ada@example.org")
        page.type("Code from the message", code)
        page.type("New password", f"{PASSWORD}-2")
        self.look("reset-with-a-code")
        page.press("Set the password", "//form")
        page.see("Keep what belongs to it, or delete it for good?")
        self.look("reset-whose")
        page.press("Keep it")
        page.see("The password is changed")
        page.type("E-mail or phone number", "ada@example.org")
        page.type("Password", f"{PASSWORD}-2")
        page.press("Sign in", "//form")
        self.waits_for_heart()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--pictures", type=Path)
    chosen = parser.parse_args()
    # Whatever the way out, everything that was started is stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: sys.exit(143))
    with Home() as home, tempfile.TemporaryDirectory() as folder:
        home.begin()
        browser = Browser(folder)
        home.callback(browser.close)
        trial = Trial(home, browser, chosen.pictures)
        for step in trial.steps:
            try:
                step()
            except BaseException:
                if chosen.pictures:
                    browser.picture(chosen.pictures / f"failed-{step.__name__}.png")
                raise
        browser.hear()
        for line in [*trial.notes, *trial.findings, *browser.complaints]:
            print(line)
        print(f"views: {len(trial.views)}")
        print(f"axe: {len(trial.findings)} findings")
        print(f"console: {len(browser.complaints)} errors")
        sys.exit(1 if trial.findings or browser.complaints else 0)


if __name__ == "__main__":
    os.environ.setdefault("PYTHONDONTWRITEBYTECODE", "1")
    main()
