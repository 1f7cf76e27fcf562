"""Workouts that are over: bringing them along, finding and sharing them, what they were done with, and maps."""

import contextlib
import http.server
import json
import os
import signal
import struct
import subprocess
import threading
import time
import zlib

from home import PROJECT, can_connect, free_port
from playing import PASSWORD
from selenium.webdriver.common.keys import Keys

#: The name of a piece of gear and of a plan, as nobody should give one.
HOSTILE = "<b onclick=alert(1)>x</b>evil"

#: Counts the rows of files that come into the page.
ROWS = """
    window.rows = 0;
    new MutationObserver((changes) => { for (const { addedNodes } of changes) rows += addedNodes.length; })
      .observe(document.querySelector(".drop .rows"), { childList: true });
"""


def brings_workouts_along(trial):
    page, home = trial.browser, trial.home
    page.press("Workouts")
    page.see("No workouts yet")
    trial.look("workouts-of-nothing")
    trial.signs_in_elsewhere()
    home.vitals("ada", "consent", "--record-location", "on")
    run = home.recorded_run()
    none, empty = home.folder / "<b>none<b>.fit", home.folder / "empty.gpx"
    none.write_bytes(b"This is no file of a watch." * 10_000)
    empty.write_bytes(b"")
    page.run(ROWS)
    page.all("input[type=file]")[0].send_keys("\n".join(map(str, (none, run, empty))))
    page.see("1 imported, 0 there already, 0 refused", ".drop")
    page.see("<b>none<b>.fit", ".drop .row")
    page.see("This is no FIT, GPX or TCX file, nor an archive of these", ".drop .row")
    page.see("The file is empty", ".drop .row")
    page.see("<b>City run</b>", ".l")
    assert not page.all(".drop [aria-label^='Send']"), "it offers to send again what is no file of a workout"
    assert "1 imported" in page.all(".drop [role=status]")[0].text, "what came of all files is not said"
    assert page.run("return rows") == 3, "the rows are made again while somebody may press their buttons"
    trial.look("workouts-brought-along")
    drops(trial, run)
    page.see("0 imported, 1 there already, 0 refused", ".drop")
    is_refused_in_the_middle(trial, run)
    home.vitals("ada", "workout", "start", "<b>Yoga</b>")
    home.vitals("ada", "workout", "stop")


#: Refuses each part of a file as the service does that has forgotten what came before, and counts them.
FORGOTTEN = """(read) => {
    if (read?.data?.received === undefined) return read;
    window.refusals = (window.refusals ?? 0) + 1;
    return { status: "error", error: { code: "invalid", field: "offset", message: "the file has to be sent again from byte 0" } };
}"""


def is_refused_in_the_middle(trial, file):
    """The service has forgotten what came of a file, again and again: the page says so, stops asking, and offers to send the file again."""
    page = trial.browser
    with page.replying(FORGOTTEN):
        drops(trial, file)
        page.see("The file has to be sent again from byte 0", ".drop .row")
        page.wait("there is a button", lambda: page.all(".drop [aria-label^='Send']"))
        assert page.run("return refusals") == 3, "the file was begun another number of times"
    trial.look("workouts-refused-in-the-middle")
    page.press("Send dropped.gpx again")
    page.see("0 imported, 1 there already, 0 refused", ".drop")


def drops(trial, file):
    """Drops a file on the page, with the events that a browser makes of it."""
    trial.browser.run("""
        const transfer = new DataTransfer();
        transfer.items.add(new File([arguments[0]], "dropped.gpx"));
        const event = (kind) => new DragEvent(kind, { dataTransfer: transfer, bubbles: true, cancelable: true });
        if (document.querySelector('h1').dispatchEvent(event('dragover'))) throw 'the browser would show the file instead of the page';
        if (!document.querySelector('.drop.over')) throw 'nothing says that the file may be dropped';
        document.querySelector('h1').dispatchEvent(event('drop'));
        """, file.read_text(encoding="utf-8"))


def finds_them(trial):
    """By activity, also of one's own, and by period."""
    page = trial.browser
    page.press("Today")
    page.press("Workouts")
    page.see("<b>Yoga</b>", ".l")
    page.see("2 workouts", ".l [role=status]")
    page.see("km", ".l .val")
    trial.look("workouts")
    page.press("Walks")
    page.see("There are no such workouts")
    page.press("Runs")
    page.see("<b>City run</b>", ".l")
    assert "Yoga" not in page.all(".l .card")[0].text, "an activity is listed among others"
    page.all(".filters select")[0].send_keys("<b>Yoga</b>")
    page.see("<b>Yoga</b>", ".l .card")
    page.wait("only that activity is listed", lambda: "City run" not in page.all(".l .card")[0].text)
    page.press("All")
    page.press("Any date")
    page.type("From", "2020-01-01")
    page.type("To", "2019-01-01")
    page.press("Show")
    page.see("It ends before it begins")
    trial.look("workouts-period")
    page.type("To", "2020-02-01")
    page.press("Show")
    page.see("There are no such workouts")
    page.driver.refresh()
    page.see("1 Jan", ".filters")
    page.see("There are no such workouts")
    page.press(page.all(".filters .btn")[0].text)
    page.press("Any date", "//dialog")
    page.see("<b>City run</b>", ".l")


def lists_ten_thousand(trial):
    """As many workouts as somebody has after thirty years. They come from a stand-in for the consumer, because importing them takes minutes."""
    page, home = trial.browser, trial.home
    page.press("Today")
    with standing_in(home, 10_000):
        page.run("""
            window.longest = { task: 0, frame: 0 };
            new PerformanceObserver((list) => {
              for (const { duration } of list.getEntries()) longest.task = Math.max(longest.task, duration);
            }).observe({ type: 'longtask' });
            let last = performance.now();
            const frame = (now) => { longest.frame = Math.max(longest.frame, now - last); last = now; requestAnimationFrame(frame); };
            requestAnimationFrame(frame);
            """)
        page.press("Workouts")
        page.see("10,000 workouts", ".l [role=status]", 60)
        listed = page.run("return longest")
        rows = "return document.querySelectorAll('.l .row').length"
        for share in (0.1, 0.5, 0.9, 1, 0):
            page.run("scrollTo(0, arguments[0] * document.documentElement.scrollHeight)", share)
            page.wait("rows are in sight", is_row_in_sight(page))
            assert page.run(rows) < 200, f"{page.run(rows)} rows are in the page"
        # By keys, from row to row, farther than what is in the page at first.
        page.run("document.querySelector('.l a.row').focus()")
        for _ in range(60):
            page.keys(Keys.TAB)
        focused = "return document.activeElement.closest('li')?.ariaPosInSet"
        at = page.run(focused)
        assert at, "the focus was lost on its way through the rows"
        page.run("scrollTo(0, 0.7 * document.documentElement.scrollHeight)")
        page.wait("rows are in sight", is_row_in_sight(page))
        assert page.run(focused) == at, "the row with the focus is no longer in the page"
        page.keys(Keys.TAB)
        assert page.run(focused) in (str(int(at) + 1), "1"), f"from row {at}, the next key leads to row {page.run(focused)}"
        moved = page.run("return longest")
        trial.look("workouts-ten-thousand")
    for what, longest in (("listing 10,000 workouts", listed), ("moving through them", moved)):
        trial.notes.append(f"{what}: longest task {longest['task']:.0f} ms, longest time between two frames {longest['frame']:.0f} ms")
    page.press("Today")
    page.press("Workouts")
    page.see("<b>City run</b>", ".l", 60)


def is_row_in_sight(page):
    return lambda: page.run("""
        return [...document.querySelectorAll('.l .row')].some((row) => {
          const { top, bottom } = row.getBoundingClientRect();
          return top < innerHeight && bottom > 0;
        })""")


@contextlib.contextmanager
def standing_in(home, count):
    """Answers `workouts/list` in place of the consumer, with so many workouts, a thousand or 60 KiB of them at once."""
    now = time.time_ns() // 1_000_000
    lines = [{"id": f"stood{at}", "started": now - 26_000_000 * at, "activity": ("running", "walking", "cycling", "Back exercises")[at % 4],
              "distance_m": 5000 + at, "duration_s": 1800 + at % 900} for at in range(count)]
    password = (home.folder / "broker/consumer.password").read_text().strip()
    broker = ["-p", str(home.port), "-V", "mqttv5", "-u", "consumer", "-P", password]

    def answer(topic, correlation, asked):
        begin = next(at for at, line in enumerate(lines) if line["started"] < asked.get("to", now + 1))
        end, length = begin, 0
        while end < min(count, begin + asked["limit"]) and length < 60_000:
            length += len(json.dumps(lines[end]))
            end += 1
        data = {"workouts": lines[begin:end]} | ({"next_to": lines[end]["started"] + 1} if end < count else {})
        subprocess.run(["mosquitto_pub", *broker, "-q", "1", "-t", topic, "-D", "publish", "correlation-data", correlation, "-s"],
                       input=json.dumps({"status": "ok", "data": data}), text=True, check=True)

    def listen(stream):
        for line in stream:
            topic, correlation, payload = line.split(" ", 2)
            answer(topic, correlation, json.loads(payload))

    listener = home.start("stand-in", ["stdbuf", "-oL", "mosquitto_sub", *broker, "-t", "vitals/v1/users/+/requests/workouts/list",
                                       "-F", "%R %D %p"], stdout=subprocess.PIPE, text=True)
    thread = threading.Thread(target=listen, args=[listener.stdout], daemon=True)
    thread.start()
    os.kill(home.consumer.pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(home.consumer.pid, signal.SIGCONT)
        listener.terminate()
        thread.join(10)


def opens_the_run(page):
    page.press("Runs")
    # The list may be another one in that moment.
    page.wait("the run is opened", lambda: [row.click() for row in page.all(".l a.row") if "<b>City run</b>" in row.text])
    page.see("Summary")


def looks_at_one(trial):
    page = trial.browser
    opens_the_run(page)
    page.see("<b>City run</b>")
    page.see("Time in zones")
    page.see("Energy beyond rest, by heart rate", ".small")
    page.see("Heart rate recorded", ".facts")
    page.wait("the way is drawn", lambda: page.all(".map .way"))
    assert not page.all(".map .pos")
    page.run("document.querySelector('vitals-distance-chart').focus()")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.see("/km", ".readout")
    page.wait("the map has the point", lambda: page.all(".map .pos"))
    trial.look("workout")
    tree = page.tells(
        ("main", ""), ("heading", "Workout"), ("heading", "<b>City run</b>"), ("region", "Summary"), ("term", "Distance"),
        ("term", "Average pace"), ("term", "Average heart rate"), ("region", "Pace and altitude"), ("region", "Time in zones"),
        ("region", "Splits"), ("columnheader", "Duration"), ("group", "Map"), ("button", "Fit everything"),
        ("image", "The route on the map, from its start to its end"), ("button", "Share"), ("button", "Delete this workout"))
    charts = [name for role, name in tree if role == "image"]
    assert any(name.startswith("Pace over distance: fastest") for name in charts), charts
    page.press("Heart rate then")
    page.see("Heart rate", "h1")
    page.wait("the heart rate of the run", lambda: page.all(".zoomable .line"))
    trial.look("heart-of-a-run")
    page.driver.back()
    page.see("Summary")


def takes_it_away(trial):
    """As a file, and as a picture to share, which is shown first."""
    page = trial.browser
    folder = trial.home.folder / "downloads"
    folder.mkdir()
    page.saves_to(folder)
    page.press("Export")
    page.see("FIT has everything")
    trial.look("workout-export")
    for name, begin in (("GPX", b"<?xml"), ("TCX", b"<?xml"), ("FIT", b"")):
        if name != "GPX":
            page.press("Export")
        page.press(name, "//dialog")
        file = saved(trial, folder, f".{name.lower()}")
        assert file.startswith(begin) and len(file) > 10_000, f"{name} has {len(file)} bytes"
        assert name != "FIT" or file[8:12] == b".FIT"
        assert name != "GPX" or file.count(b"<trkpt") > 1000
    page.press("Share")
    page.wait("the picture is shown", is_picture_shown(page))
    page.see("This browser cannot share")
    offered = [one.text for one in page.all("dialog .btn") if one.is_displayed()]
    assert offered == ["Cancel", "Save the text", "Save the picture"], offered
    assert page.field("Text").get_attribute("value").startswith("Run: 8.9"), page.field("Text").get_attribute("value")
    trial.look("workout-share")
    page.press("Save the picture")
    hidden = saved(trial, folder, ".png")
    assert hidden.startswith(b"\x89PNG")
    page.press("Save the text")
    assert saved(trial, folder, ".txt").startswith(b"Run: 8.9")
    page.type("Hide the route near its start and end", "Hide nothing")
    page.see("Loading", ".preview")
    page.wait("the picture is shown", is_picture_shown(page))
    page.press("Save the picture")
    assert saved(trial, folder, ".png") != hidden, "what is hidden makes no difference"
    # A browser that can share is given the picture and the text.
    page.run("""
        navigator.canShare = () => true;
        navigator.share = async ({ files, text }) => { window.given = [files[0].name, files[0].type, files[0].size, text]; };
        """)
    page.press("With the date")
    page.see("Loading", ".preview")
    page.wait("the picture is shown", is_picture_shown(page))
    page.type("Text", "A run in the city")
    page.press("Share", "//dialog")
    page.see("Shared")
    name, kind, size, text = page.run("return given")
    assert (name, kind, text) == ("workout.png", "image/png", "A run in the city") and size > 10_000
    page.run("navigator.share = async () => { throw new DOMException('', 'AbortError'); }")
    page.press("Share")
    page.wait("the picture is shown", is_picture_shown(page))
    page.press("Share", "//dialog")
    page.see("Nothing was shared")
    page.press("Cancel", "//dialog")


def is_picture_shown(page):
    return lambda: page.run("const image = document.querySelector('.preview img'); return Boolean(image?.complete && image.naturalWidth === 1200)")


def saved(trial, folder, ending):
    """What the browser has saved, which is then away."""
    def whole():
        return [file for file in folder.iterdir() if file.name.endswith(ending)]
    trial.browser.wait(f"a file is saved: {ending}", whole)
    [file] = whole()
    content = file.read_bytes()
    file.unlink()
    return content


def keeps_gear(trial):
    page, home = trial.browser, trial.home
    page.follow("#/workouts/gear")
    page.see("No shoes and no bicycle yet")
    page.press("Add gear")
    page.press("Save", "//dialog")
    page.see("Enter Name")
    page.type("Name", HOSTILE)
    page.type("How far it had come before, in km", "100")
    page.press("Run", "//dialog")
    trial.look("gear-add")
    page.press("Save", "//dialog")
    page.see("Data Saved Successfully")
    page.see(HOSTILE, ".row")
    page.see("100.00", ".row .val")
    page.driver.back()
    page.see("Summary")
    page.type("Done with", "<b on")
    page.see("Data Saved Successfully")
    page.press("Workouts", "//header")
    page.follow("#/workouts/gear")
    page.see("108.", ".row .val")
    page.see("1 workout", ".row")
    trial.look("gear")
    page.press(f"Retire {HOSTILE}")
    page.see("Retired", "h2")
    assert '"retired":true' in home.vitals("ada", "workout", "gear", "--json").replace(" ", "")
    page.press(f"Change {HOSTILE}")
    page.press(f"Delete {HOSTILE}", "//dialog")
    page.press("Delete", "//dialog[last()]")
    page.see("No shoes and no bicycle yet")


def makes_plans(trial):
    page, home = trial.browser, trial.home
    page.press("Workouts", "//header")
    page.follow("#/workouts/plans")
    page.see("You have no plans of your own")
    page.see("5 km run")
    page.press("New plan")
    page.type("Name", HOSTILE)
    page.type("Goal type", "Distance in km")
    page.type("Target", "-5")
    page.press("Save", "//dialog")
    page.see("Enter Proper Distance")
    page.type("Target", "7.5")
    page.press("Ends the workout", "//dialog")
    trial.look("plan-new")
    page.press("Save", "//dialog")
    page.see("Data Saved Successfully")
    page.see("7.5 km".replace(" ", "\u202f"), ".row")
    trial.look("plans")
    assert "7500" in home.vitals("ada", "workout", "plans", "--json")
    page.press(f"Start {HOSTILE}")
    page.see("Stop")
    home.vitals("ada", "workout", "cancel", "--yes")
    page.driver.back()
    page.see("Your plans")
    page.press(f"Delete {HOSTILE}")
    page.press("Delete", "//dialog")
    page.see("You have no plans of your own")


def compares(trial):
    page = trial.browser
    page.press("Workouts", "//header")
    page.follow("#/workouts/statistics")
    page.see("2 workouts")
    page.press("Runs")
    page.see("1 workout", "h2")
    page.see("Highest", "th")
    page.see("Fastest 5 km")
    trial.look("workout-statistics")
    page.press("Walks")
    page.see("There are no such workouts")


def looks_at_tiles(trial):
    """Another page in front of the same broker, of an operator who has set maps."""
    page, home = trial.browser, trial.home
    with tiles() as port:
        folder = home.folder / "page-with-maps"
        folder.mkdir()
        (folder / "settings.json").write_text(json.dumps({"maps": [
            {"name": name, "tiles": f"http://127.0.0.1:{port}/{name}/{{z}}/{{x}}/{{y}}.png", "attribution": "<i>Nobody</i>", "closest": 18}
            for name in ("<b>Streets", "Satellite", "Hybrid")]}))
        own = free_port()
        server = home.start("page-with-maps", [PROJECT / "deploy/page", folder, str(own), str(home.port)])
        home.wait(server, "the page with maps is served", lambda: can_connect(own), 120)
        page.open(f"http://127.0.0.1:{own}")
        page.type("E-mail or phone number", "ada@example.org")
        page.type("Password", PASSWORD)
        page.press("Sign in", "//form")
        trial.waits_for_heart()
        page.press("Workouts")
        opens_the_run(page)
        page.wait("tiles are there", lambda: page.all(".leaflet-tile-loaded"))
        page.see("<b>Streets · <i>Nobody</i>", ".credit")
        page.wait("the way is drawn", lambda: page.all(".map .way") and page.all(".map .casing"))
        assert page.run("const box = (name) => document.querySelector(name).getBoundingClientRect(), map = box('.ground'), way = box('.map .way');"
                        "return way.left > map.left && way.right < map.right && way.top > map.top && way.bottom < map.bottom"), "the way is not in sight"
        ends = page.run("return [...document.querySelectorAll('.ground :is(path, svg):has(rect.end), .ground path.end')].map((end) => end.getBoundingClientRect().width)")
        assert len(ends) == 2 and all(10 < width < 20 for width in ends), f"where the way begins and ends is not marked: {ends}"
        page.press("Kind of map: <b>Streets")
        page.see("Satellite · <i>Nobody</i>", ".credit")
        page.wait("other tiles are there", lambda: page.run("return [...document.querySelectorAll('.leaflet-tile')].every(({src}) => src.includes('/Satellite/'))"))
        page.run("document.querySelector('vitals-distance-chart').focus()")
        page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
        page.wait("the map has the point", lambda: page.all(".map .pos"))
        wide = "return document.querySelector('.map .way').getBoundingClientRect().width"
        before = page.run(wide)
        page.press("Zoom in")
        page.wait("the way is larger", lambda: page.run(wide) > before * 1.5)
        page.run("document.querySelector('.ground').focus()")
        page.keys(Keys.ARROW_LEFT, "-")
        page.wait("the way is as before", lambda: abs(page.run(wide) - before) < 2)
        page.press("Fit everything")
        assert any(text.text.endswith(("m", "km")) for text in page.all(".marks text")), "there is no scale"
        trial.look("workout-on-tiles")
        assert not page.all(".marks .cross"), "the middle is marked while nothing is drawn"
        # What somebody sees who draws an area beside another one.
        page.run("""document.querySelector("vitals-tile-map").show({ ways: [], says: "x", draft: { shape: null },
            areas: [{ name: "<b>Garden", shape: { middle: [47.4, 8.5], radius: 200 } }] })""")
        page.wait("the middle is marked", lambda: page.all(".marks .cross"))
        page.see("<b>Garden", ".marks text")
        page.follow("#/you")
        page.press("Sign out")
        page.press("Sign out", "//dialog")
        page.see("Sign in", "h1")
    page.open(home.address)
    trial.waits_for_heart()


@contextlib.contextmanager
def tiles():
    """A server of tiles: one colour for each kind of map."""
    colours = {"Satellite": b"\x46\x5a\x3c", "Hybrid": b"\x5a\x64\x50"}

    class Tiles(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            line = b"\0" + colours.get(self.path.split("/")[1], b"\xe9\xe5\xdc") * 256
            body = b"\x89PNG\r\n\x1a\n" + b"".join(
                struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
                for kind, data in ((b"IHDR", struct.pack(">IIBBBBB", 256, 256, 8, 2, 0, 0, 0)), (b"IDAT", zlib.compress(line * 256)), (b"IEND", b"")))
            self.send_response(200)
            self.send_header("Content-Type", "image/png")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Tiles) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_port
        finally:
            server.shutdown()


def deletes_it(trial):
    page, home = trial.browser, trial.home
    page.press("Workouts")
    opens_the_run(page)
    page.press("Delete this workout")
    page.press("Delete", "//dialog")
    page.see("Workout details deleted")
    page.see("<b>Yoga</b>", ".l")
    page.wait("the run is gone", lambda: "City run" not in page.all(".l")[0].text)
    [left] = [json.loads(line) for line in home.vitals("ada", "workout", "list", "--json").splitlines()]
    home.vitals("ada", "workout", "delete", left["id"], "--yes")
    page.press("Today")
    trial.waits_for_heart()


STEPS = [brings_workouts_along, finds_them, lists_ten_thousand, looks_at_one, takes_it_away, keeps_gear, makes_plans, compares,
         looks_at_tiles, deletes_it]
