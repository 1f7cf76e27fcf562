"""The page without its server, and a later build: what its service worker does."""

import shutil
from pathlib import Path

PROJECT = Path(__file__).resolve().parents[2]


def opens_without_its_server(trial):
    page = trial.browser
    page.driver.refresh()
    trial.waits_for_heart()
    kept = page.driver.execute_async_script("""
        const done = arguments[arguments.length - 1];
        caches.keys().then(async ([name, ...more]) => done([more, (await (await caches.open(name)).keys()).map(({ url }) => new URL(url).pathname)]));
        """)
    assert kept == [[], ["/", "/page.css", "/page.js", "/icon.svg", "/icon-192.png", "/manifest.webmanifest", "/settings.json"]], kept
    with trial.home.without_page():
        page.driver.refresh()
        page.see("Today", "h1")
        page.see("Offline", ".pill")
        page.see("It is tried again", ".offline")
        trial.look("opened-offline")
        page.press("Workouts")
        page.see("Workouts", "h1")
        page.open(f"{trial.home.address}/#/lately")
        page.see("Lately", "h1")
        # Nothing else is answered by the worker.
        missing = "return fetch('licences.txt').then(() => 'there', () => 'away')"
        assert page.run(missing) == "away"
    page.press("Today")
    trial.waits_for_heart()
    for part in ("WebSocket connection to", "ERR_CONNECTION_REFUSED", "Failed to fetch"):
        page.forgive(part)


def takes_a_later_build(trial):
    """Another build replaces all files of the one before at once, and is shown with the next view."""
    home, page = trial.home, trial.browser
    later, settings = home.folder / "later", home.folder / "later.conf"
    shutil.copytree(PROJECT / ".build/page", later)
    build = (later / ".digest").read_text()[:16]
    worker = (later / "worker.js").read_text()
    assert build in worker
    (later / "worker.js").write_text(worker.replace(build, "later"))
    (later / "page.css").write_text((later / "page.css").read_text() + "/* later */")
    usual = (home.folder / "page/lighttpd.conf").read_text()
    settings.write_text(usual.replace(f'var.page = "{PROJECT / ".build/page"}"', f'var.page = "{later}"'))
    assert "later" in settings.read_text()
    style = "return fetch('page.css').then((answer) => answer.text()).then((text) => text.endsWith('/* later */'))"
    caches = "return caches.keys().then((names) => names.join())"
    with home.without_page("lighttpd", "-D", "-f", settings):
        page.driver.refresh()
        trial.waits_for_heart()
        page.wait("the later build is there", lambda: page.run(caches) == "vitals-later")
        page.run("window.before = true")
        page.press("Workouts")
        page.wait("the page was loaded again", lambda: page.run("return window.before !== true"))
        page.see("Workouts", "h1")
        assert page.run(style), "it is not the later build"
    page.driver.refresh()
    page.wait("the build is what it was", lambda: page.run(caches) == f"vitals-{build}")
    page.press("Today")
    trial.waits_for_heart()
    for part in ("WebSocket connection to", "ERR_CONNECTION_REFUSED"):
        page.forgive(part)


STEPS = [opens_without_its_server, takes_a_later_build]
