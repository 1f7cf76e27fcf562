"""What all parts of the trial use: how a view is judged, what is typed in several of them, and what the page's server says."""

import base64
import contextlib
import dataclasses
import http.client
import os

from browser import SIZES, THEMES

PASSWORD = "Heart-9beat-Run"
#: A name as no name should be: markup, a script, a control character, a turn of direction, an emoji, and a very long word.
HOSTILE = "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>evil\U0001f980"
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


class Trial:
    #: How each view is looked at.
    dresses = tuple((size, theme) for size in SIZES for theme in THEMES)

    def __init__(self, home, browser, pictures, markup):
        self.home, self.browser, self.pictures, self.markup = home, browser, pictures, markup
        self.views, self.findings, self.notes = [], [], []

    def look(self, name):
        """Judges the view that is shown, as everybody may see it."""
        for size, theme in self.dresses:
            self.browser.dress(size, theme)
            where = f"{name}, {size}, {theme}"
            for finding in self.browser.findings():
                self.finds(f"{where}: {finding}")
            if self.browser.is_too_wide():
                self.finds(f"{where}: it can be scrolled sideways")
            if self.pictures:
                self.browser.picture(self.pictures / f"{name}-{size}-{theme}.png", is_whole=True)
        self.browser.dress("desktop", "light")
        if self.markup:
            self.markup.keep(name, self.browser.run("return document.documentElement.outerHTML"))
        self.views.append(name)

    def finds(self, finding):
        """Says it at once, because a trial may end before its last lines."""
        print(finding, flush=True)
        self.findings.append(finding)

    def signs_in_elsewhere(self):
        """The person of the trial has the command on a machine of theirs, too."""
        self.home.sign_in("ada", PASSWORD)

    def elsewhere(self, *words):
        """What the command says to them there."""
        self.signs_in_elsewhere()
        return self.home.vitals("ada", *words)

    def waits_for_heart(self):
        page = self.browser
        page.wait("a live heart rate", lambda: page.all(".hero") and page.all(".hero")[0].text.split("\n")[0].isdigit())

    def sees_the_line_go_on(self):
        """The live line moves, so heart rates arrive."""
        page = self.browser
        # Its end is enough: the browser keeps each answer to a test for as long as the page is there.
        line = "return document.querySelector('.chart .line')?.getAttribute('d').slice(-60)"
        before = page.run(line)
        page.wait("the line goes on", lambda: page.run(line) not in (None, before))


@dataclasses.dataclass
class Fetched:
    status: int
    headers: http.client.HTTPMessage
    text: str


def fetched(path, port, trust=None, host="127.0.0.1", sends=None):
    """What a server says of a path, or to what is sent there; behind TLS, if a certificate is to be trusted."""
    with contextlib.closing(_to(port, trust)) as request:
        request.putrequest("GET" if sends is None else "POST", path, skip_host=True)
        request.putheader("Host", host)
        if sends is not None:
            request.putheader("Content-Length", str(len(sends)))
        request.endheaders(sends)
        answer = request.getresponse()
        return Fetched(answer.status, answer.headers, answer.read().decode(errors="replace"))


def knocks(origin, port, trust=None):
    """What a server says to a browser's script from an address that wants to speak with the broker."""
    with contextlib.closing(_to(port, trust)) as request:
        request.request("GET", "/mqtt", headers={
            "Origin": origin, "Connection": "Upgrade", "Upgrade": "websocket", "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(), "Sec-WebSocket-Protocol": "mqtt"})
        return request.getresponse().status


def _to(port, trust):
    if trust is None:
        return http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    return http.client.HTTPSConnection("127.0.0.1", port, timeout=10, context=trust)
