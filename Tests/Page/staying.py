"""What happens to a page: reloading, keys and readers, attacks, a cut, another language."""

import time

from playing import LONG, WITH_DEVICE, fetched, knocks
from selenium.webdriver.common.keys import Keys


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


def resists(trial):
    """Scripts that somebody has brought into the page do not run, and pages of others cannot speak with the broker."""
    page = trial.browser
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
    trial.home.vitals("ada", "profile", "set", "--locale", "en-GB", "--units", "metric")
    page.driver.refresh()
    page.see("Today", "h1")


STEPS = [stays_signed_in, is_read_out, resists, is_offline, is_german]
