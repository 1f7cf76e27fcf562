"""A friend, and what has happened."""

import json

from playing import LONG


def has_a_friend(trial):
    """Somebody else, with another program: their steps, a thumb each way, and what is said of it."""
    home, page = trial.home, trial.browser
    trial.signs_in_elsewhere()
    password = home.folder / "password"
    home.vitals("grace", "sign-up", "grace@example.org", "--password-file", str(password))
    home.vitals("grace", "profile", "set", "--name", LONG, "--date-of-birth", "1990-01-02", "--gender", "female", "--height-cm", "170",
                "--weight-kg", "60")
    code = json.loads(home.vitals("grace", "friends", "code", "--share-steps", "on", "--json"))["code"]
    home.vitals("ada", "friends", "invite", code, "--share-steps", "on")
    page.see(LONG)
    page.press(f"Thumbs up for {LONG}")
    page.see("is told")
    ada = json.loads(home.vitals("grace", "friends", "--json").splitlines()[0])
    home.vitals("grace", "cheer", ada["friend"], "up")
    page.see("thumbs up")
    trial.look("today-with-a-friend")
    page.press("Notifications, 1 new" if page.all("[aria-label='Notifications, 1 new']") else "All")
    page.see("thumbs up")
    trial.look("lately")
    page.press("Mark as seen")
    page.wait("nothing is new", lambda: page.all("[aria-label='Notifications, 0 new']"))
    page.press("Today")


STEPS = [has_a_friend]
