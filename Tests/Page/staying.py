"""What happens to a page: reloading, keys and readers, attacks, a cut, a service that does not answer, another language."""

import contextlib
import json
import re
import signal
import threading
import time

from days import goals_of, saves_goals
from home import Client
from playing import LONG, WITH_DEVICE, fetched, knocks
from selenium.webdriver.common.keys import Keys
from serving import Person


def stays_signed_in(trial):
    """After a reload nobody signs in again, and nothing that a script could read holds the password."""
    page = trial.browser
    # The heart is told of once a second, so one of several tries shows how quick the page is.
    took = min(loads(trial) for _ in range(3))
    trial.notes.append(f"from loading to a live heart rate: {1000 * took:.0f} ms")
    assert page.run("return sessionStorage.length + localStorage.length + document.cookie.length") == 0, "something is kept in the open"
    kept = page.driver.execute_async_script(f"{WITH_DEVICE} (kept) => done([kept.key.extractable, kept.sealed.byteLength > 16]))")
    assert kept == [False, True], f"the key of what is kept: {kept}"


def loads(trial):
    """How long it takes, in seconds, until a heart rate is there."""
    began = time.monotonic()
    trial.browser.driver.refresh()
    trial.waits_for_heart()
    return time.monotonic() - began


def is_read_out(trial):
    """What a screen reader is told of the dashboard, and what keys alone reach."""
    page = trial.browser
    tree = page.tells(
        ("main", ""), ("navigation", "Main"), ("heading", "Today"), ("region", "Heart rate"), ("region", "Goals"),
        ("region", "On demand"), ("region", "Friends today"), ("region", "Sensors"), ("region", "Lately"),
        ("button", "Read the steps now"), ("button", "Read the temperature now"), ("button", f"Thumbs up for {LONG}"))
    pictures = [name for role, name in tree if role == "image"]
    assert any(name.startswith("Heart rate of the last three minutes: lowest") for name in pictures), pictures
    page.run("document.activeElement.blur(); scrollTo(0, 0)")
    reached = []
    for _ in range(30):
        page.keys(Keys.TAB)
        reached.append(page.focus)
    for name in ["Skip to content", "Today", "Say the heart rate", "Read the steps now", f"Thumbs down for {LONG}"]:
        assert name in reached, f"{name} is not reached by keys: {reached}"


def resists(trial):
    """Scripts that somebody has brought into the page do not run, and pages of others cannot speak with the broker."""
    page = trial.browser
    page.mark()
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
    port = trial.home.page_port
    assert knocks("http://elsewhere.example", port) == 403, "a page of somebody else's may speak with the broker"
    assert knocks(trial.home.address, port) == 101
    for path, status in [("/.digest", 403), ("/../consumer.json5", 404), ("/page.js", 200)]:
        assert fetched(path, port).status == status, path
    assert fetched("/", port, sends=bytes(2_000)).status == 413, "the server takes what nobody has asked for"


def is_offline(trial):
    page = trial.browser
    page.mark()
    with trial.home.without_broker():
        page.see("Offline since")
        page.see("Offline", ".pill")
        assert page.all(".chart .line"), "what was seen is gone"
        page.wait("the heart rate is no longer live", lambda: page.all(".hero")[0].text.startswith("–"))
        page.see("last ")
        trial.look("offline")
    page.see("Live", ".pill")
    page.wait("it no longer says that it is offline", lambda: not page.all(".offline"))
    # The gateway is back, too: what it is asked before that is lost.
    trial.sees_the_line_go_on()
    # The browser itself complains that it could not connect.
    page.forgive("WebSocket connection to")


def hears_nothing(trial):
    """The broker stands still, and no connection is cut: the page says that nothing comes from home, and blames no sensor. If nothing
    comes for longer, it tries another connection before a keep-alive would."""
    page, home = trial.browser, trial.home
    blamed = "return document.querySelector('vitals-heart-card').textContent.includes('sends nothing')"
    page.mark()
    page.run("""
        window.blames = 0;
        new MutationObserver(() => { if (document.querySelector('vitals-heart-card').textContent.includes('sends nothing')) blames += 1; })
            .observe(document.querySelector('vitals-heart-card'), { childList: true, characterData: true, subtree: true });
        """)
    for is_long in (False, True):
        began = time.monotonic()
        home.broker.send_signal(signal.SIGSTOP)
        try:
            page.see("No data from home", ".pill")
            trial.notes.append(f"from a broker that stands still to \"No data from home\": {time.monotonic() - began:.1f} s")
            page.see("No data from home since", ".offline")
            assert not page.run(blamed), "the strap is blamed for the broker"
            if is_long:
                page.see("Offline since")
                trial.notes.append(f"from a broker that stands still to another connection: {time.monotonic() - began:.1f} s")
            else:
                trial.look("no-data")
        finally:
            home.broker.send_signal(signal.SIGCONT)
        # The try that is under way may fail first.
        page.see("Live", ".pill", limit=60)
        page.wait("it no longer says that nothing comes", lambda: not page.all(".offline"))
    assert page.run("return blames") == 0, "the strap was blamed for the broker"
    trial.sees_the_line_go_on()
    page.forgive("WebSocket connection to")


def turns_a_day_offline(trial):
    """What was refused meanwhile is asked for when the connection is back."""
    page = trial.browser
    page.open(f"{trial.home.address}/#/heart")
    page.see("Average", ".chart-foot")
    page.mark()
    with trial.home.without_broker():
        page.see("Offline since")
        page.press("Before")
        page.see("You are offline.", "vitals-heart")
    page.wait("it is no longer refused", lambda: "You are offline." not in page.all("vitals-heart")[0].text)
    page.forgive("WebSocket connection to")
    page.press("Today")
    trial.waits_for_heart()


def is_patient(trial):
    """The service is there, and does not answer."""
    page, home = trial.browser, trial.home
    page.press("Days")
    page.see("Change goals")
    home.consumer.send_signal(signal.SIGSTOP)
    try:
        page.press("Change goals")
        page.see("Still waiting")
        trial.look("waiting")
        # Each of the two cards waits.
        for _ in range(2):
            page.press("Cancel", "//main")
        page.wait("it is no longer waited for", lambda: page.all("main")[0].text.count("Nothing came in time") == 2)
        trial.look("not-answered")
    finally:
        home.consumer.send_signal(signal.SIGCONT)
    for title in ("Your goals", "How often"):
        page.press("Ask again", "//main")
        page.see(title, "h2")
    page.press("Today")


def is_told_when_to_ask_again(trial):
    """Another program of the person's asks so much that the service refuses more: the button counts until it may be pressed."""
    page, home = trial.browser, trial.home
    ada = Person(home, "ada", "ada@example.org")
    page.press("Days")
    page.see("Change goals")
    is_over = threading.Event()
    with contextlib.closing(Client(home.port, ada.device, ada.password)) as client:
        def asks():
            while not is_over.wait(0.005):
                client.mqtt.publish(f"{ada.topics}/requests/profile/get", "{}")
        other = threading.Thread(target=asks)
        other.start()
        try:
            for _ in range(100):
                client.mqtt.publish(f"{ada.topics}/requests/profile/get", "{}")
            page.press("Change goals")
            page.wait("the button counts", lambda: page.all("main .empty .btn[aria-disabled] .small"))
        finally:
            is_over.set()
            other.join()
    page.wait("it may be pressed", lambda: not page.all("main .btn[aria-disabled]"))
    while page.all("main .empty .btn"):
        page.press("Ask again", "//main")
        page.wait("it is answered", lambda: not page.all("main .btn[aria-disabled]"))
    page.see("Your goals", "h2")
    page.press("Today")


def is_german(trial):
    page = trial.browser
    trial.home.vitals("ada", "profile", "set", "--locale", "de-AT", "--units", "imperial")
    page.driver.refresh()
    page.see("Heute", "h1")
    page.run("window.told = []; new MutationObserver(() => told.push(document.querySelector('.toast')?.textContent)).observe(document.body, { childList: true, subtree: true })")
    page.press("Temperatur jetzt lesen")
    # As long as the page itself waits for a sensor.
    try:
        page.see("°F", limit=35)
    except AssertionError:
        raise AssertionError(f"no temperature; what was said: {set(page.run('return told'))}")
    trial.look("today-in-german")
    page.open(f"{trial.home.address}/#/days?of=temperature_c")
    page.wait("there is an axis", lambda: page.all("vitals-bars text[x='0']"))
    marks = [mark.text for mark in page.all("vitals-bars text[x='0']")]
    assert all(re.fullmatch(r"\d+(,5)?", mark) for mark in marks), f"the axis is not round in degrees Fahrenheit: {marks}"
    trial.home.vitals("ada", "profile", "set", "--locale", "en-GB", "--units", "metric")
    page.open(f"{trial.home.address}/#/today")
    page.driver.refresh()
    page.see("Today", "h1")


def reads_in_miles(trial):
    """A view that was drawn before the profile was known is drawn again, and a form means the unit that it names."""
    page, home = trial.browser, trial.home
    home.vitals("ada", "profile", "set", "--units", "imperial")
    page.open(f"{home.address}/#/days/goals")
    page.driver.refresh()
    page.see("Distance a day, mi", "label")
    page.type("Distance a day, mi", "5")
    saves_goals(page)
    assert goals_of(home)["distance_m"] == 8_047, goals_of(home)
    page.type("Distance a day, mi", "")
    saves_goals(page)
    assert "distance_m" not in goals_of(home), goals_of(home)
    is_measured_in_feet(trial)


def is_measured_in_feet(trial):
    """Height and weight are shown and typed as their person reads them, and no figure changes by being shown."""
    page, home = trial.browser, trial.home

    def measures():
        profile = json.loads(home.vitals("ada", "profile", "--json"))["profile"]
        return [profile[name] for name in ("units", "height_cm", "weight_kg")]
    _, height, weight = measures()
    page.open(f"{home.address}/#/you")
    page.see("5 ft 5 in", "vitals-profile-card")
    page.press("Edit", "//vitals-profile-card")
    page.type("Height in feet and inches", "165", "//vitals-profile-card")
    page.press("Save", "//vitals-profile-card//form")
    page.see("Enter Proper Height", "vitals-profile-card")
    page.type("Height in feet and inches", "5'7\"", "//vitals-profile-card")
    page.press("Save", "//vitals-profile-card//form")
    page.see("5 ft 7 in", "vitals-profile-card")
    assert measures() == ["imperial", 170.18, weight], measures()
    page.press("Edit", "//vitals-profile-card")
    page.type("Weight in pounds", "135", "//vitals-profile-card")
    trial.look("profile-in-pounds")
    page.type("Units", "Kilometres", "//vitals-profile-card")
    assert page.field("Height in cm").get_attribute("value") == "170.18", "the height has changed with its unit"
    # What rounds to the same feet and inches is another height all the same.
    page.type("Height in cm", "171", "//vitals-profile-card")
    page.type("Units", "Miles", "//vitals-profile-card")
    assert page.field("Height in feet and inches").get_attribute("value") == "5 ft 7 in"
    page.type("Units", "Kilometres", "//vitals-profile-card")
    page.press("Save", "//vitals-profile-card//form")
    page.see("Weight in kg", "vitals-profile-card dl")
    assert measures() == ["metric", 171, 61.23], measures()
    home.vitals("ada", "profile", "set", "--height-cm", f"{height}", "--weight-kg", f"{weight}")
    page.press("Today")
    page.driver.refresh()
    trial.waits_for_heart()


STEPS = [stays_signed_in, is_read_out, resists, is_offline, hears_nothing, turns_a_day_offline, is_patient, is_told_when_to_ask_again, reads_in_miles, is_german]
