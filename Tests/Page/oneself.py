"""Oneself: the picture, what one agrees to, devices, phones, addresses for notifications, the password, all of one's data."""

import base64
import contextlib
import json
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import qr
from playing import HOSTILE, PASSWORD

#: A large photo as the browser itself makes one: noise, which cannot be made small without losing some of it.
PHOTO = """
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [1600, 1200];
    const pen = canvas.getContext("2d"), noise = pen.createImageData(1600, 1200);
    for (let at = 0; at < noise.data.length; at += 65536) crypto.getRandomValues(noise.data.subarray(at, at + 65536));
    for (let at = 3; at < noise.data.length; at += 4) noise.data[at] = 255;
    pen.putImageData(noise, 0, 0);
    return canvas.toDataURL("image/jpeg", 0.8).split(",")[1];
"""
#: A script that notes the beginning of each file that the page reads, as it does before it sends one.
NOTING = """
    const read = Blob.prototype.arrayBuffer;
    Blob.prototype.arrayBuffer = async function () {
      const bytes = await read.call(this);
      window.sent = String.fromCharCode(...new Uint8Array(bytes, 0, 2000));
      return bytes;
    };
"""
PLACE = b"52.5163 N, 13.3777 E"
#: What a device can be called: at most 64 characters on one line.
NAME = "<b>evil</b> \U0001f980"


def has_a_picture(trial):
    page, folder = trial.browser, trial.home.folder
    page.open(f"{trial.home.address}/#/you")
    page.see("Choose a picture")
    photo = base64.b64decode(page.run(PHOTO))
    # Where it was taken, as telephones write it: a segment of EXIF behind the first two bytes.
    exif = b"Exif\0\0" + PLACE
    (folder / "photo.jpg").write_bytes(photo[:2] + b"\xff\xe1" + (len(exif) + 2).to_bytes(2, "big") + exif + photo[2:])
    (folder / "text.png").write_text(HOSTILE)
    page.all("input[type=file]")[0].send_keys(str(folder / "text.png"))
    page.see("This is no picture that your browser can show")
    page.all("input[type=file]")[0].send_keys(str(folder / "photo.jpg"))
    page.see("Which part is shown?", "dialog")
    trial.look("picture")
    page.run(NOTING)
    page.press("Use this picture")
    page.see("The picture is kept")
    page.wait("the picture is shown at oneself and in the navigation", lambda: len(page.all("img.face[src^='blob:']")) == 3)
    assert page.run("return [...document.querySelectorAll('img.face')].every((one) => one.complete && one.naturalWidth > 100)"), "it is not drawn"
    trial.elsewhere("picture", "get", str(folder / "kept.jpg"))
    kept = (folder / "kept.jpg").read_bytes()
    assert kept.startswith(b"\xff\xd8\xff") and 8_000 < len(kept) <= 32_768, f"{len(kept)} bytes"
    assert PLACE not in kept and b"Exif" not in kept, "the picture still says where it was taken"
    # The service would take it out, too, but the page does not even send it.
    sent = page.run("return window.sent")
    assert "JFIF" in sent and PLACE.decode() not in sent and "Exif" not in sent, "the page sends where the photo was taken"
    page.press("Remove")
    page.see("The picture is removed")
    page.wait("the letter is there again", lambda: not page.all("img.face"))


def agrees(trial):
    """Each box does what it says at once; in the end, the position is recorded, and all others are as they were."""
    page = trial.browser

    def is_given(name):
        return json.loads(trial.elsewhere("consent", "--json"))[name]
    for label, name in [("Record where I am", "record_location"), ("Friends may see my steps", "steps")]:
        before = is_given(name)
        for wanted in [not before, before]:
            page.press(label)
            page.wait(f"{name} is {wanted}", lambda: is_given(name) == wanted)
            assert page.box(label).is_selected() == wanted
    if not is_given("record_location"):
        page.see("Location Services Disabled", "vitals-phones-card")
        page.press("Record where I am")
    trial.look("you-with-consent")


def connects_a_phone(trial):
    page = trial.browser
    card = "//vitals-phones-card"
    # Others may have been connected before.
    before = len(page.all("vitals-phones-card .row"))
    page.type("What to call it", NAME, card)
    page.press("Connect a phone")
    page.see("owntracks:///config?inline=", "dialog")
    link, path = page.all("dialog code")[0].text, page.all("dialog .qr path")[0].get_attribute("d")
    assert qr.differences(qr.modules(path), link) == 0, "the picture is not the link"
    trial.look("phone-link")
    page.press("Copy", "//dialog")
    page.wait("what was copied is said where it can be seen and heard", lambda: page.all("dialog [role=status] .toast"))
    page.press("Close", "//dialog//*[contains(@class, 'btns')]")
    page.see("sealed, connected", "vitals-phones-card")
    assert NAME in trial.elsewhere("phone")
    page.press(f"Link of {NAME}")
    page.see("owntracks:///config?inline=", "dialog")
    page.press("Close", "//dialog")
    page.press(f"Remove {NAME}")
    page.see(f"Remove {NAME}?", "dialog")
    page.press("Remove", "//dialog")
    page.wait("the phone is gone", lambda: len(page.all("vitals-phones-card .row")) == before)
    assert NAME not in trial.elsewhere("phone")


@contextlib.contextmanager
def receiver():
    """Somebody to whom notifications can be brought, and what they got."""
    got = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            got.append(self.rfile.read(int(self.headers["Content-Length"])).decode())
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server.server_port, got
    finally:
        server.shutdown()
        server.server_close()


def is_told_elsewhere(trial):
    page = trial.browser
    card = "//vitals-push-card"
    page.press("Add an address")
    page.press("Add", card)
    page.see("Enter an address", "vitals-push-card")
    page.type("Address", "file:///etc/passwd", card)
    page.press("Add", card)
    page.wait("the address is refused", lambda: page.all("vitals-push-card .err"))
    with receiver() as (port, got):
        page.type("Address", f"json://127.0.0.1:{port}/secret", card)
        page.type("What to call it", NAME, card)
        page.press("Add", card)
        page.see("Notifications are brought to")
        page.see("Nothing was sent yet", "vitals-push-card")
        assert "secret" not in page.run("return document.body.innerText"), "an address is shown in full"
        page.press(f"Send a test to {NAME}")
        page.see("Sent: look whether it has arrived", limit=40)
        assert len(got) >= 1, "nothing has arrived"
        trial.look("you-with-an-address")
    page.press(f"Remove {NAME}")
    page.wait("the address is gone", lambda: len(page.all("vitals-push-card .row")) == 1)


def names_a_device(trial):
    page = trial.browser
    page.press("Rename Browser on Linux")
    page.see("Another name for the device", "dialog")
    page.type("What to call it", NAME, "//dialog")
    page.press("Save", "//dialog")
    page.see(NAME, "vitals-devices-card")
    assert NAME in trial.elsewhere("devices")
    page.press(f"Rename {NAME}")
    page.type("What to call it", "Browser on Linux", "//dialog")
    page.press("Save", "//dialog")
    page.see("Browser on Linux", "vitals-devices-card")


def changes_the_password(trial):
    page = trial.browser
    page.press("Change the password")
    for current, new, answer in [("wrong", f"{PASSWORD}-x", "The current password is not right"), (PASSWORD, "short", "at least 10 characters"),
                                 (PASSWORD, f"{PASSWORD}-x", "changed"), (f"{PASSWORD}-x", PASSWORD, "changed")]:
        page.type("Current password", current, "//vitals-account-card")
        page.type("New password", new, "//vitals-account-card")

        def is_answered():
            # Whoever has failed waits a moment before the next try.
            if page.all("vitals-account-card form .btn:not([aria-disabled])"):
                page.press("Set the password", "//vitals-account-card")
            page.wait("there is an answer", lambda: not page.all("vitals-account-card form .btn[aria-busy]"))
            return answer in page.all("body")[0].text
        page.wait(answer, is_answered)
        page.run("document.querySelector('.toast')?.remove()")


def takes_everything_along(trial):
    """The archive has the same files as the command's, except for what has happened in between."""
    page, folder = trial.browser, trial.home.folder / "everything"
    folder.mkdir()
    page.saves_to(folder)
    page.press("Download everything")
    page.see("are in your downloads", limit=60)
    page.wait("the archive is there", lambda: [one for one in folder.iterdir() if one.suffix == ".zip"])
    [path] = folder.iterdir()
    trial.elsewhere("export", str(trial.home.folder / "export"))
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        names = set(archive.namelist())
        assert names == {one.name for one in (trial.home.folder / "export").iterdir()}, names
        for name in ("README.txt", "profile.json", "consent.json"):
            assert archive.read(name) == (trial.home.folder / "export" / name).read_bytes(), name
    page.press("Make a new key")
    page.press("Make a new key", "//dialog")
    # The person is not an hour old yet, and so is their first key.
    page.see("There is a new secret already")


def finds_the_house(trial):
    """A phone's bar has no room for the places of the house: they are listed here."""
    page = trial.browser
    places = page.run("return [...document.querySelectorAll('nav .nav-more a')].map((a) => a.getAttribute('href'))")
    listed = page.run("return [...document.querySelectorAll('main .phone-only a.row')].map((a) => a.getAttribute('href'))")
    assert listed == places, f"{listed}, where the house has {places}"


def is_patient(trial):
    """Whoever has asked for much is told to wait for a second; the page does that by itself."""
    page = trial.browser
    told = page.run("""
        let told = 0;
        const { parse } = JSON;
        JSON.parse = (text, ...rest) => {
          if (text.includes("rate-limited")) told += 1;
          return parse(text, ...rest);
        };
        const walk = async () => {
          for (let rounds = 0; rounds < 24; rounds += 1) {
            for (const place of ["#/today", "#/you"]) {
              location.hash = place;
              await new Promise((done) => setTimeout(done, 50));
            }
          }
          JSON.parse = parse;
          return told;
        };
        return walk();
    """)
    assert told > 0, "nothing was refused"
    trial.notes.append(f"{told} requests came too soon and were asked again")
    page.wait("each card has what it shows", lambda: not page.all("main .skeleton") and not page.all("main [aria-busy='true']"))
    assert "Ask again" not in page.all("main")[0].text, page.all("main")[0].text


def is_asked_before_deleting(trial):
    page = trial.browser
    page.press("Delete everything")
    page.see("Delete everything of yours?", "dialog")
    assert page.focus == "Cancel", page.focus
    trial.look("delete-everything")
    page.type("Password", "wrong", "//dialog")
    page.press("Delete everything", "//dialog")
    page.see("The password is not right", "dialog")
    page.press("Cancel", "//dialog")
    page.press("Today")
    trial.waits_for_heart()


STEPS = [has_a_picture, agrees, connects_a_phone, is_told_elsewhere, names_a_device, changes_the_password, takes_everything_along,
         finds_the_house, is_patient, is_asked_before_deleting]
