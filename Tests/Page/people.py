"""Friends, who sees one, and somebody whom one looks after: a phone with OwnTracks, an area that is drawn, and the alert when it is left."""

import base64
import json
import math
import subprocess
import time

from playing import HOSTILE, PASSWORD
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

#: The name as a label has it that is read out.
CODE = "blue-horse 7"
LINK = "owntracks:///config?inline="
#: Where Otto lives, and a metre there in degrees.
HOME = (52.5, 13.4)
NORTH, EAST = 1 / 111_320, 1 / 111_320 / math.cos(math.radians(52.5))


class Phone:
    """A phone that knows nothing but the link that its owner has opened on it, and sends in the clear."""

    def __init__(self, home, who):
        reply = json.loads(home.vitals(who, "phone", "add", "--name", "Phone", "--plain", "--json"))
        self.settings = json.loads(base64.b64decode(reply["link"].removeprefix(LINK).replace("%2B", "+")))
        self.time = int(time.time())

    def is_at(self, east, north, **more):
        """It is so many metres east and north of home, a second after it was elsewhere."""
        self.time = max(self.time + 1, int(time.time()))
        said = {"_type": "location", "lat": round(HOME[0] + north * NORTH, 6), "lon": round(HOME[1] + east * EAST, 6), "tst": self.time, "acc": 8} | more
        subprocess.run(
            ["mosquitto_pub", "-V", "mqttv311", "-h", "127.0.0.1", "-p", str(self.settings["port"]), "-u", self.settings["username"],
             "-P", self.settings["password"], "-i", self.settings["clientId"], "-t", self.settings["pubTopicBase"], "-q", "1", "-m", json.dumps(said)],
            check=True, timeout=20)


def makes_friends(trial):
    """Asked, invited, with a code; a thumb until there are none left; muted, blocked and let back."""
    home, page = trial.home, trial.browser
    home.sign_in("ada", PASSWORD)
    home.vitals("ada", "consent", "--steps", "off")
    home.join("ines", HOSTILE, PASSWORD)
    home.vitals("ines", "friends", "invite", "ada@example.org", "--share-steps", "on")
    page.press("People")
    page.see("Would like to be your friend")
    page.see("<img src=x onerror=")
    trial.look("people-somebody-asks")
    page.press(f"Accept: {HOSTILE}")
    page.wait("they are a friend", lambda: page.all(f'[aria-label="Thumbs up for {HOSTILE}"]'))
    page.press("Share my steps")
    page.see("Friends see your name and your steps of today")
    assert '"steps":true' in home.vitals("ada", "consent", "--json").replace(" ", "")
    page.press(f"Thumbs up for {HOSTILE}")
    is_told(trial, "19 more today")
    ines = next(one for one in listed(home, "ada", "friends") if one["state"] == "friend" and "onerror" in one["name"])["friend"]
    for _ in range(19):
        home.vitals("ada", "cheer", ines, "up")
    page.press(f"Thumbs up for {HOSTILE}")
    is_told(trial, "20 thumbs sent today")
    page.press(f"Mute: {HOSTILE}")
    page.see("their thumbs are muted")
    assert next(one for one in listed(home, "ada", "friends") if one["friend"] == ines)["muted"]
    page.type("E-mail, phone number or code", "nobody@example.org")
    page.press("Invite", "//form")
    page.see("nobody@example.org")
    trial.look("people-friends")
    page.press("Take back: nobody@example.org")
    page.wait("it is taken back", lambda: "nobody@example.org" not in page.all("main")[0].text)
    page.press(f"Block: {HOSTILE}")
    page.press("Block", "//dialog")
    page.press(f"Unblock: {HOSTILE}")
    page.wait("nobody is blocked", lambda: not page.all(f'[aria-label="Unblock: {HOSTILE}"]'))
    page.press("Get a code")
    page.see("good once until")
    code = page.all("vitals-invite [role=status] b")[0].text
    home.vitals("ines", "friends", "invite", code)
    page.wait("they are a friend again", lambda: page.all(f'[aria-label="Mute: {HOSTILE}"]'))


def is_looked_after(trial):
    """The code, what somebody may see, and the end of it."""
    home, page = trial.home, trial.browser
    page.press("Who sees me")
    page.see("Nobody looks after you")
    page.type("Verification code", "short")
    page.press("Set the code")
    page.wait("it is too short", lambda: page.all("[aria-invalid=true]"))
    page.type("Verification code", CODE)
    page.press("Set the code")
    page.see("The code was set")
    file = home.folder / "code"
    file.write_text(f"{CODE}\n")
    home.vitals("ines", "dependents", "connect", "ada@example.org", "--code-file", str(file))
    page.see("Has not looked where you are")
    page.press("where you are")
    page.wait("it is allowed", lambda: listed(home, "ada", "guardians")[0]["location"])
    page.press("where you are")
    page.wait("it is taken back", lambda: not listed(home, "ada", "guardians")[0]["location"])
    page.type("What they are told", "at the bus stop")
    page.press("Ask for help")
    is_told(trial, "Alerted: 1")
    trial.look("people-who-sees-me")
    page.press(f"End it: {HOSTILE}")
    page.press("End it", "//dialog")
    page.see("Nobody looks after you")
    page.press("Remove", "//main")
    page.see("No code is set")


def looks_after_somebody(trial):
    """From the code to the position on the map."""
    home, page = trial.home, trial.browser
    home.join("otto", "Otto <b>", PASSWORD)
    home.vitals("otto", "consent", "--record-location", "on")
    file = home.folder / "code"
    file.write_text(f"{CODE}\n")
    home.vitals("otto", "guardians", "code", "--code-file", str(file))
    trial.phone = Phone(home, "otto")
    page.press("Looking after")
    page.see("You look after nobody")
    page.type("Their e-mail or phone number", "otto@example.org")
    page.type("Their verification code", "green-horse 7")
    page.press("Connect")
    page.wait("it is refused", lambda: page.all(".err"))
    page.type("Their verification code", CODE)
    # After a wrong code one waits a second, and the button counts it.
    page.wait("it may be tried again", lambda: not page.all("form [aria-disabled]"))
    time.sleep(1)
    page.press("Connect")
    is_told(trial, "You look after Otto <b> now")
    page.press("Otto <b>", "//*[@aria-label='Whom your programs show']")
    page.wait("they are chosen", lambda: '"chosen"' in home.vitals("ada", "dependents", "--json"))
    page.press("Myself")
    trial.look("people-looking-after")
    page.all("a.row")[0].click()
    page.see("has not allowed you to see anything")
    ada = listed(home, "otto", "guardians")[0]["guardian"]
    home.vitals("otto", "guardians", "allow", ada, "--location", "on", "--motion", "on", "--heart-rate", "on")
    page.see("No position yet")
    for metres in (0, 4, 8):
        trial.phone.is_at(metres, 0, batt=62, bs=1)
    page.see("±8")
    page.see("62")
    page.wait("the position is on the map", lambda: page.all(".map .pos"))
    page.press("Ask where they are")
    is_told(trial, "Their phone is asked where it is")
    page.press("Before")
    page.see("There are no positions of this day")
    page.press("After")


def draws_areas(trial):
    """A circle by a press, a polygon by three and by keys; changed, and as text."""
    home, page = trial.home, trial.browser
    page.press("Draw an area")
    press_map(trial, -60, 0)
    page.wait("the middle is typed", lambda: page.field("Middle").get_attribute("value"))
    page.type("Middle", "52.5, 13.4")
    page.type("Name of the area", "Garden")
    page.type("Radius in metres", "5")
    page.press("Save", "//form")
    page.see("The radius is from 20")
    page.type("Radius in metres", "150")
    page.wait("it is drawn", lambda: page.all(".map .draft"))
    trial.look("people-drawing")
    page.press("Save", "//form")
    is_told(trial, "The area is saved")
    page.see("Circle of 150")
    page.see("in Garden")
    page.press("Draw an area")
    page.press("Polygon")
    for x, y in ((-40, -40), (40, -40), (40, 40)):
        press_map(trial, x, y)
    page.wait("the corners are typed", lambda: page.field("Corners").get_attribute("value").count(";") == 2)
    page.press("Remove last corner")
    page.wait("there is one less", lambda: page.field("Corners").get_attribute("value").count(";") == 1)
    page.run("document.querySelector('vitals-plain-map').focus()")
    page.keys(Keys.ARROW_DOWN, Keys.ENTER)
    page.wait("the middle is a corner", lambda: page.field("Corners").get_attribute("value").count(";") == 2)
    page.type("Name of the area", HOSTILE)
    page.press("Save", "//form")
    # The field takes no more than the service does.
    is_told(trial, "The area is saved")
    page.see("Polygon of 3 corners")
    areas = listed(home, "ada", "areas")
    garden = next(area for area in areas if area["name"] == "Garden")
    assert garden["circle"] == {"lat": 52.5, "lon": 13.4, "radius_m": 150}, garden
    page.press(f"Delete: {HOSTILE[:64]}")
    page.press("Delete", "//dialog")
    is_told(trial, "The area is deleted")
    page.press("Edit: Garden")
    page.type("Radius in metres", "200")
    page.press("Save", "//form")
    is_told(trial, "The area is saved")
    page.see("Circle of 200")
    is_in_feet(trial)
    page.press("Add an alert")
    page.type("Tell me of", "an empty phone")
    page.type("Below", "20")
    page.press("Save", "//form")
    is_told(trial, "The alert is saved")
    page.see("Phone below 20")


def is_in_feet(trial):
    """A radius is typed in feet by people who read miles, and is not rounded by being shown."""
    home, page = trial.home, trial.browser
    home.vitals("ada", "profile", "set", "--units", "imperial")
    page.driver.refresh()
    for feet, metres in ((None, 200), ("1000", 304.8)):
        page.press("Edit: Garden")
        if feet:
            page.type("Radius in feet", "65")
            page.press("Save", "//form")
            page.see("The radius is from 66")
            page.type("Radius in feet", feet)
        else:
            assert page.field("Radius in feet").get_attribute("value") == "656", "another radius is shown"
        page.press("Save", "//form")
        is_told(trial, "The area is saved")
        garden = next(area for area in listed(home, "ada", "areas") if area["name"] == "Garden")
        assert garden["circle"]["radius_m"] == metres, garden
    page.see("Circle of 1,000", ".rows")
    home.vitals("ada", "profile", "set", "--units", "metric")
    page.driver.refresh()
    page.press("Edit: Garden")
    page.type("Radius in metres", "200")
    page.press("Save", "//form")
    is_told(trial, "The area is saved")
    page.see("Circle of 200")


def is_alerted(trial):
    """Otto leaves the area: it is said above everything, on every view, until it is confirmed."""
    home, page = trial.home, trial.browser
    # After the area was set up, for what was before is not told; and phones know whole seconds.
    trial.phone.time = int(time.time()) + 1
    for north in (0, 260, 420, 560):
        trial.phone.is_at(30, north, batt=61, motionactivities=["walking"])
    page.see("left Garden", ".note.bad")
    assert [one.text for one in page.all(".note.bad [role='alert']")] == [page.all(".note.bad h2")[0].text], "the alert is not read out, or its age is, too"
    page.see("1 alert", ".pill")
    page.wait("the way is drawn", lambda: any("L" in one.get_attribute("d") for one in page.all(".map .way")))
    page.see("Walking", "dd")
    trial.look("people-alert")
    page.press("Today", "//nav")
    page.see("left Garden", ".note.bad")
    assert not page.all(".note.bad [role='alert']"), "the alert is read out with each view again"
    trial.look("today-with-an-alert")
    page.press("Where are they now")
    page.see("Not yet confirmed")
    page.press("Confirm")
    page.wait("nothing is open", lambda: not page.all(".note.bad"))
    page.see("You confirmed it")
    alert = listed(home, "ada", "alerts")[0]
    assert alert["confirmed"]["time"], alert
    # Twenty minutes later, without another position.
    page.run("window.realNow = Date.now; Date.now = () => window.realNow() + 1200000")
    page.see("The position is old")
    page.wait("the point is grey", lambda: page.all(".map .pos.old"))
    trial.look("people-position-old")
    page.run("Date.now = window.realNow")
    ada = listed(home, "otto", "guardians")[0]["guardian"]
    home.vitals("otto", "guardians", "allow", ada, "--location", "off")
    page.see("does not let you see where they are")
    page.wait("the map has no position", lambda: not page.all(".map .pos, .map .way"))
    trial.look("people-consent-withdrawn")
    page.press("Stop looking after: Otto <b>")
    page.press("End it", "//dialog")
    page.see("You look after nobody")
    page.press("Today", "//nav")
    trial.waits_for_heart()


def is_told(trial, text):
    """Reads a toast, and closes it: it may be above what is pressed next."""
    page = trial.browser
    page.see(text, ".toast")
    page.press("Close", "//*[@role='status']")


def press_map(trial, x, y):
    """Presses the map so many pixels from its middle."""
    the_map = trial.browser.driver.find_element(By.CSS_SELECTOR, "vitals-plain-map")
    trial.browser.run("arguments[0].scrollIntoView({ block: 'center' })", the_map)
    ActionChains(trial.browser.driver).move_to_element_with_offset(the_map, x, y).click().perform()


def listed(home, who, what):
    """What the command lists: friends in a line each, everything else in one object."""
    lines = [json.loads(line) for line in home.vitals(who, what, "--json").splitlines()]
    return lines if what == "friends" else lines[0][what]


STEPS = [makes_friends, is_looked_after, looks_after_somebody, draws_areas, is_alerted]
