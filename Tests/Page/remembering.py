"""Reminders, and the calendar of one's own that they are in."""

import subprocess

from home import can_connect, free_port
from house import asked
from playing import HOSTILE

#: A label has up to 64 characters.
LABEL = HOSTILE[-64:]


def prepare(home):
    home.consumer_lines += 'calendar: { private_hosts: ["127.0.0.1"] },\n'


def has_reminders(trial):
    page, home = trial.browser, trial.home
    page.press("Reminders")
    page.see("You have no reminders.")
    page.see("Times are those of")
    trial.look("reminders-of-nothing")
    page.press("Add")
    page.see("A new reminder")
    page.press("Save", "//form")
    page.see("Enter Title")
    page.type("Title", LABEL)
    page.press("Save", "//form")
    page.see("Select Repeat")
    page.press("Monday")
    page.press("Thursday")
    page.type("Title", "x" * 65)
    page.press("Save", "//form")
    page.see("at most 64 characters")
    page.type("Title", LABEL)
    page.type("Time", "06:45")
    page.type("Alert", "Some other time before")
    page.press("Save", "//form")
    page.see("Select Alert")
    trial.look("reminder")
    page.type("Minutes before", "25")
    page.press("Save", "//form")
    page.see("It is due at 06:45 on the days that you have chosen.")
    page.press("Cancel", "//dialog")
    assert asked(home, "reminders") == [], "it was saved although nobody wanted that"
    page.press("Save", "//form")
    page.press("Save", "//dialog")
    page.see("Reminder Saved Successfully")
    page.see("Mon, Thu, 06:45", ".row")
    saved = asked(home, "reminders")
    assert [(one["label"], one["weekdays"], one["alert_min"]) for one in saved] == [(LABEL, ["monday", "thursday"], 25)], saved
    trial.elsewhere("reminders", "add", "Daily", "--at", "12:00", "--on", "all")
    page.press("Help")
    page.press("Reminders")
    page.see("every day, 12:00")
    # What comes next is first.
    soonest = sorted(asked(home, "reminders"), key=lambda one: one["next"])
    rows = [row.text for row in page.all(".row .grow b")]
    assert rows == [one["label"] for one in soonest], rows
    page.press(f"Disable {LABEL}")
    page.see("silenced", ".row")
    assert [one["enabled"] for one in asked(home, "reminders") if one["label"] == LABEL] == [False]
    page.press(f"Enable {LABEL}")
    page.wait("both are told again", lambda: sum("next: " in row.text for row in page.all(".row")) == 2)
    trial.look("reminders")


def changes_reminders(trial):
    page, home = trial.browser, trial.home
    page.follow("#/reminders/" + next(one["reminder"] for one in asked(home, "reminders") if one["label"] == LABEL))
    page.see("Change the reminder")
    page.type("Title", "Evening run")
    page.press("Save", "//form")
    page.press("Save", "//dialog")
    page.see("Reminder Updated Successfully")
    page.see("Evening run", ".row")
    page.follow("#/reminders/" + next(one["reminder"] for one in asked(home, "reminders") if one["label"] == "Daily"))
    page.press("Delete this reminder")
    page.press("Delete", "//dialog")
    page.see("Reminder Deleted Successfully")
    assert [one["label"] for one in asked(home, "reminders")] == ["Evening run"]


def has_a_calendar(trial):
    page, home = trial.browser, trial.home
    folder = home.folder / "downloads"
    page.saves_to(folder)
    page.press("Save as a file (.ics)")
    page.wait("the file is there", lambda: (folder / "reminders.ics").exists())
    assert "SUMMARY:Evening run" in (folder / "reminders.ics").read_text(encoding="utf-8")
    page.press("Connect", "//form")
    page.see("Empty Fields")
    port = free_port()
    page.type("Calendar server", f"http://127.0.0.1:{port}")
    page.type("Your name there", "ada")
    page.type("App password", "wrong")
    page.press("Connect", "//form")
    page.see("The calendar server was not reached")
    radicale = start_radicale(home, port)
    if radicale is None:
        trial.notes.append("there is no Radicale: the calendar was not connected")
        page.press("Today")
        return
    page.press("Connect", "//form")
    page.see("The calendar refused the password")
    page.type("App password", "secret")
    page.press("Connect", "//form")
    page.see("Your calendar is connected")
    page.press("Look now")
    page.wait("it is in step", lambda: any("just now" in one.text or "s ago" in one.text for one in page.all(".kv dd")))
    trial.look("calendar")
    assert any(home.folder.joinpath("radicale").rglob("*.ics")), "nothing is in the calendar"
    page.press("Delete it there")
    page.press("Delete it there", "//dialog")
    page.see("Your calendar was deleted there")
    page.see("Your reminders can be events")
    assert asked(home, "calendar")[0]["connected"] is False
    page.press("Today")
    trial.waits_for_heart()


def start_radicale(home, port):
    """A calendar server with one person; None if Debian's is not installed."""
    python = "/usr/bin/python3"
    if subprocess.run([python, "-c", "import radicale"], capture_output=True).returncode != 0:
        return None
    users = home.folder / "calendar-users"
    users.write_text("ada:secret\n")
    program = home.start("radicale", [
        python, "-m", "radicale", "--config", "", "--server-hosts", f"127.0.0.1:{port}", "--auth-type", "htpasswd",
        "--auth-htpasswd-filename", users, "--auth-htpasswd-encryption", "plain", "--auth-delay", "0",
        "--storage-filesystem-folder", home.folder / "radicale"])
    home.wait(program, "the calendar server listens", lambda: can_connect(port), 30)
    return program


STEPS = [has_reminders, changes_reminders, has_a_calendar]
