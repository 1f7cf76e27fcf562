"""Signing up, saying who one is, connecting a strap, and seeing the heart."""

from playing import HOSTILE, PASSWORD

#: A heart at rest, which is in no zone.
RESTING = "(read) => (read?.bpm ? { ...read, bpm: 61 } : read)"


def signs_up(trial):
    page = trial.browser
    page.open(trial.home.address)
    page.see("Sign in")
    trial.look("sign-in")
    page.press("Sign up")
    page.press("Sign up", "//form")
    page.see("Empty Fields")
    page.type("E-mail or phone number", "ada@example.org")
    page.type("Password", "short")
    page.press("Sign up", "//form")
    page.see("at least 10 characters")
    assert page.run("return document.activeElement.getAttribute('aria-invalid')") == "true", "the focus is not at what is wrong"
    trial.look("sign-up")
    page.type("Password", PASSWORD)
    page.press("Sign up", "//form")
    page.see("You are registered and signed in")
    page.see("Welcome")


def tells_who_they_are(trial):
    page = trial.browser
    page.press("Save", "//form")
    page.see("Empty Fields")
    page.type("Name", f"{HOSTILE}\u202e")
    page.type("Date of birth", "1985-12-10")
    page.type("Gender", "Female")
    page.type("Height in cm", "16")
    page.type("Weight in kg", "58")
    page.press("Save", "//form")
    # It turns the direction of writing.
    page.see("Enter Name")
    page.type("Name", HOSTILE)
    page.press("Save", "//form")
    page.see("Enter Proper Height")
    trial.look("welcome")
    page.type("Height in cm", "165")
    page.press("Save", "//form")
    page.see("Data Saved Successfully")
    # The name is text.
    page.wait("the name is in the heading", lambda: page.all("h1")[0].text.startswith("Welcome, <img src=x onerror="))
    assert "broken" not in page.run("return document.title").replace(HOSTILE, ""), "a script in a name ran"


def connects_a_strap(trial):
    page = trial.browser
    page.press("Enrol the gateway")
    page.press("Get a code")
    page.wait("there is a code", lambda: page.all("code"))
    trial.home.enrol(page.all("code")[0].text)
    page.type("What the console printed", "nothing of the kind")
    page.press("Claim", "//form")
    page.see("This is not what the console prints")
    page.type("What the console printed", trial.home.claim_line())
    page.press("Claim", "//form")
    page.see("Heart rate")
    page.wait("the day is shown", lambda: page.all("h1")[0].text == "Today")


def sees_their_heart(trial):
    page = trial.browser
    trial.waits_for_heart()
    page.see("Zone ", ".zone-line")
    page.see("Live", ".pill")
    with page.replying(RESTING):
        page.see("Below zone 1", ".zone-line")
        assert not page.all(".zone-line .zone"), "a heart at rest is in a zone"
    page.see("Zone ", ".zone-line")
    page.press("Read the steps now")
    page.see("steps", ".row b")
    page.press("Read the temperature now")
    page.see("°C", limit=35)
    page.see("95", ".val")
    # Each heart rate that the broker carries appears, whatever else is shown.
    trial.sees_the_line_go_on()
    places = "return ['.hero small', '.heart-main .chart'].map((one) => document.querySelector(one).getBoundingClientRect())"
    number, chart = page.run(places)
    assert number["right"] <= chart["left"], f"the heart rate reaches into its chart: {number}, {chart}"
    trial.look("today")


STEPS = [signs_up, tells_who_they_are, connects_a_strap, sees_their_heart]
