"""Notifications in the browser, and the page without its server: what its service worker does."""

import json
import re
import shutil
import signal
import subprocess
from pathlib import Path

from playing import PASSWORD

PROJECT = Path(__file__).resolve().parents[2]

#: In place of the push service of Chromium's maker, which no test reaches: the test makes the subscription that the page asks for.
PUSH_SERVICE = """
    let own = null;
    PushManager.prototype.getSubscription = async () => own;
    PushManager.prototype.subscribe = ({ applicationServerKey }) => new Promise((resolve, reject) => {
      window.subscribing = applicationServerKey;
      window.subscribed = (made) => {
        if (!made) return reject(new DOMException("no push service", "AbortError"));
        own = { endpoint: made.endpoint, toJSON: () => ({ endpoint: made.endpoint, keys: made }), unsubscribe: async () => { own = null; return true; } };
        resolve(own);
      };
    });
    """
#: A label as no label should be.
LABEL = "<b>phone</b>"
CARD = "vitals-push-card"
#: Ada's command, whatever other parts do with theirs.
DESK = "ada-at-a-desk"


class PushService:
    """The push service of the tests, which decrypts as a browser would."""

    def __init__(self, home):
        self.home = home
        self.program = home.start(
            "push-service", ["/usr/bin/python3", "-B", PROJECT / "Tests/TestSupport/push_service.py", "127.0.0.1"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.lines = []
        assert self._line().startswith("port "), "the push service does not start"

    def _line(self):
        line = self.program.stdout.readline().strip()
        self.lines.append(line)
        return line

    def _tell(self, command):
        self.program.stdin.write(f"{command}\n")
        self.program.stdin.flush()
        while self._line() != "ok":
            pass

    def subscription(self, key):
        self._tell(f"subscribe {key}")
        return next(json.loads(line) for line in reversed(self.lines) if '"auth"' in line)

    def messages(self):
        """What was posted so far, as the browser reads it."""
        self._tell("")
        said = [json.loads(line) for line in self.lines if '"path"' in line]
        assert all("wrong" not in one for one in said), f"a browser cannot read what was posted: {said}"
        return [json.loads(one["message"]) for one in said]


def turns_notifications_on(trial):
    """The permission is asked for when something is pressed, and not before; then the browser is one of the person's addresses."""
    home, page = trial.home, trial.browser
    trial.push = PushService(home)
    password = home.folder / "password"
    password.write_text(f"{PASSWORD}\n")
    home.vitals(DESK, "sign-in", "ada@example.org", "--password-file", str(password))
    end = page.on_new_pages(PUSH_SERVICE)
    page.driver.refresh()
    trial.waits_for_heart()
    end()
    page.open(f"{home.address}/#/you")
    page.see("Where notifications go")
    page.see("This browser", CARD)
    # Nobody can answer Chromium's own question here, which counts as no.
    if page.run("return Notification.permission") != "denied":
        page.press("Switch on This browser")
        page.see("blocked in the browser's settings")
    else:
        page.see("blocked in the browser's settings", CARD)
    page.allow_notifications(home.address)
    page.press("Today")
    page.open(f"{home.address}/#/you")
    page.press("Switch on This browser")
    page.wait("the page asks for a subscription", lambda: page.run("return window.subscribing"))
    page.run("window.subscribed(null)")
    page.see("cannot reach its maker's push service")
    page.run("window.subscribing = null")
    page.press("Switch on This browser")
    page.wait("the page asks for a subscription", lambda: page.run("return window.subscribing"))
    page.run("window.subscribed(arguments[0])", trial.push.subscription(page.run("return window.subscribing")))
    page.see("Nothing was sent yet", f"{CARD} small")
    assert "webpush://127.0.0.1/…" in home.vitals(DESK, "push")
    page.press("Send a test to Browser on Linux")
    page.see("Sent: look whether it has arrived")
    assert trial.push.messages()[-1]["text"] == "This is a test: Vitals can reach you here."
    # Somebody adds another address: the browser hears of it, without a word of what it is.
    home.vitals(DESK, "push", "add", "--label", LABEL, input="ntfys://ntfy.sh/a-topic\n")
    page.wait("the browser hears of it", lambda: len(trial.push.messages()) == 2)
    told = trial.push.messages()[-1]
    assert told["text"] == "Vitals has news for you: your notifications also go to another address now." and not told["alert"]
    page.press("Today")
    page.open(f"{home.address}/#/you")
    page.see(LABEL, CARD)
    trial.look("you-with-notifications")
    page.press("With the text of the notification, and not only its kind")
    page.press("Today")
    page.open(f"{home.address}/#/you")
    page.wait("it stays chosen", lambda: page.run(f"return document.querySelector('{CARD} input')?.checked"))
    page.press(f"Remove {LABEL}")
    page.wait("it is removed", lambda: not any(LABEL in one.text for one in page.all(f"{CARD} b")))
    assert LABEL not in home.vitals(DESK, "push")
    page.press("With the text of the notification, and not only its kind")


def shows_what_is_pushed(trial):
    """Chromium hands a push to the worker, which shows it, and leads to what has happened when it is pressed."""
    page = trial.browser
    message = trial.push.messages()[-1]
    address = trial.home.address
    with page.debugging("page", address) as debugger:
        debugger.ask("ServiceWorker.enable")
        # Other parts have shown the page at other addresses, where it has workers, too.
        registration = debugger.told("ServiceWorker.workerRegistrationUpdated", lambda told: next(
            (one["registrationId"] for one in told["registrations"] if one["scopeURL"] == f"{address}/"), None))
        for data in (json.dumps(message), json.dumps(message), "no JSON <b>", json.dumps({"title": {}, "text": "x" * 5000, "id": 1})):
            debugger.ask("ServiceWorker.deliverPushMessage", origin=f"{address}/", registrationId=registration, data=data)
    page.wait("all are shown, and one only once", lambda: len(shown(page)) == 3)
    texts = shown(page)
    assert ["Vitals", message["text"]] in texts and ["Vitals", ""] in texts and ["Vitals", "x" * 1000] in texts, texts
    page.press("Today")
    with page.debugging("service_worker", address) as debugger:
        debugger.ask("Runtime.evaluate", awaitPromise=True, userGesture=True, expression="""
            self.registration.getNotifications().then(([one]) => self.dispatchEvent(new NotificationEvent("notificationclick", { notification: one })))""")
    page.see("Lately", "h1")
    page.wait("the one that was pressed is gone", lambda: len(shown(page)) == 2)
    page.press("Today")


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
    worker = (later / "worker.js").read_text()
    build = re.search('"([0-9a-f]{16})"', worker).group(1)
    (later / "worker.js").write_text(worker.replace(build, "later"))
    (later / "page.css").write_text((later / "page.css").read_text() + "/* later */")
    usual = (home.folder / "page/lighttpd.conf").read_text()
    settings.write_text(usual.replace(f'var.page = "{PROJECT / ".build/page"}"', f'var.page = "{later}"'))
    assert "later" in settings.read_text()
    style = "return fetch('page.css').then((answer) => answer.text()).then((text) => text.endsWith('/* later */'))"
    caches = "return caches.keys().then((names) => names.join())"
    with home.without_page("lighttpd", "-D", "-f", settings):
        page.press("Workouts")
        page.driver.refresh()
        page.see("Bring yours along")
        page.wait("the later build is there", lambda: page.run(caches) == "vitals-later")
        page.run("window.before = true")
        # A file that is on its way is not lost.
        file = home.folder / "late.fit"
        file.write_bytes(b"This is no file of a watch." * 10_000)
        home.consumer.send_signal(signal.SIGSTOP)
        try:
            page.all("input[type=file]")[0].send_keys(str(file))
            page.press("Days")
            page.see("Days", "h1")
            assert page.run("return window.before"), "the page was loaded again while a file was on its way"
        finally:
            home.consumer.send_signal(signal.SIGCONT)
        page.press("Workouts")
        # It may be over by now: then this view is the later build's, and the list begins again.
        page.wait("the file is done with", lambda: page.run("return window.before !== true")
                  or any("This is no FIT, GPX or TCX file" in one.text for one in page.all(".drop .row")))
        page.press("Days")
        page.wait("the page was loaded again", lambda: page.run("return window.before !== true"))
        page.see("Days", "h1")
        assert page.run(style), "it is not the later build"
    page.driver.refresh()
    page.wait("the build is what it was", lambda: page.run(caches) == f"vitals-{build}")
    page.press("Today")
    trial.waits_for_heart()
    for part in ("WebSocket connection to", "ERR_CONNECTION_REFUSED"):
        page.forgive(part)


def shown(page):
    """The title and the text of each notification that is on the screen."""
    return page.run("""
        return navigator.serviceWorker.ready.then((worker) => worker.getNotifications())
          .then((all) => all.map(({ title, body }) => [title, body]));""")


STEPS = [turns_notifications_on, shows_what_is_pushed, opens_without_its_server, takes_a_later_build]
