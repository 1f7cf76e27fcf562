"""The pictures of the README: a home with a person who has walked and run, and the views as they are shown there."""

import json
import time

from playing import PASSWORD

#: The name of the picture, the address, what is waited for, and how it is looked at.
VIEWS = [
    ("today", "#/today", ".chart .line", "desktop", "light"),
    ("heart", "#/heart", ".zoomable .line", "desktop", "dark"),
    ("workout", None, ".map .way", "desktop", "light"),
    ("workouts", "#/workouts", "a[href*='#/workouts/']", "phone", "light"),
    ("days", "#/days", ".cal button", "phone", "dark"),
    ("help", "#/help", "svg", "phone", "light"),
]


def has_a_life(trial):
    """Names, a friend, workouts, and some minutes of a heart."""
    home, page = trial.home, trial.browser
    password = home.folder / "password"
    password.write_text(f"{PASSWORD}\n")
    home.vitals("ada", "sign-in", "ada@example.org", "--password-file", str(password))
    home.vitals("ada", "profile", "set", "--name", "Ada")
    home.vitals("ada", "consent", "--record-location", "on")
    for name, hours in [("Along the river", 75), ("To work", 50), ("City run", 26)]:
        home.vitals("ada", "workout", "import", str(home.recorded_run(name, hours, "Watch")))
    home.vitals("grace", "sign-up", "grace@example.org", "--password-file", str(password))
    home.vitals("grace", "profile", "set", "--name", "Grace", "--date-of-birth", "1990-01-02", "--gender", "female", "--height-cm", "170",
                "--weight-kg", "60")
    code = json.loads(home.vitals("grace", "friends", "code", "--share-steps", "on", "--json"))["code"]
    home.vitals("ada", "friends", "invite", code, "--share-steps", "on")
    page.open(f"{home.address}/#/heart")
    page.press("Keep it from now on")
    page.see("Data Saved Successfully")
    page.driver.refresh()
    page.open(f"{home.address}/#/today")
    page.press("Read the steps now")
    page.press("Read the temperature now")
    # As long as the line is.
    time.sleep(185)


def is_taken(folder):
    def is_pictured(trial):
        page, home = trial.browser, trial.home
        for name, address, awaited, size, theme in VIEWS:
            page.dress(size, theme)
            page.hide_scrollbars()
            latest = json.loads(home.vitals("ada", "workout", "list", "--json").splitlines()[0])["id"]
            page.open(f"{home.address}/{address or f'#/workouts/{latest}'}")
            page.wait(f"{name} is shown", lambda awaited=awaited: page.all(awaited))
            page.run("document.activeElement.blur(); return new Promise((done) => setTimeout(done, 1500))")
            page.picture(folder / f"{name}.webp")
        sizes = sum(file.stat().st_size for file in folder.glob("*.webp"))
        trial.notes.append(f"pictures: {sizes} bytes")
        assert sizes < 400_000, f"the pictures are too large for a README: {sizes} bytes"
    return is_pictured
