"""The workout that is under way."""

import json

from entering import RESTING

#: A name of an activity as none should be.
ACTIVITY = "<img src=x onerror=document.title='broken'>"
GOALS = "//vitals-workout-goal-card"
#: What is done each ten seconds is done five times a second, and counted.
HURRY = """
    const usual = setInterval;
    window.looks = 0;
    window.setInterval = (act, time) => (time === 10000 ? usual(() => { looks += 1; act(); }, 200) : usual(act, time));
"""
#: Reads the clock and presses Pause, with no time between.
PRESSING = """
    const shown = document.querySelector('.time').textContent;
    [...document.querySelectorAll('.controls button')].find((one) => one.textContent === 'Pause').click();
    return shown;
"""
#: There is no loudspeaker here: what the browser would say is kept instead.
LISTEN = "window.said = []; speechSynthesis.speak = (utterance) => said.push([utterance.text, utterance.lang]);"


def workouts(trial):
    """The person's workouts that are over, as the service has them."""
    listed = trial.home.vitals("ada", "workout", "list", "--json")
    return [json.loads(line) for line in listed.splitlines() if line.startswith("{")]


def sets_a_goal(trial):
    page = trial.browser
    trial.signs_in_elsewhere()
    trial.home.vitals("ada", "consent", "--record-location", "off")
    page.press("Goal and voice")
    page.see("Goal type")
    page.press("Switch on", GOALS)
    page.see("Select Goal Type", ".err")
    page.press("Save the goal", GOALS)
    page.see("Empty Fields", ".err")
    page.type("Target", "5")
    page.press("Save the goal", GOALS)
    page.see("Select Goal Type", ".err")
    for kind, wrong, words in [("Distance", "0", "Enter Proper Distance"), ("Duration", "long", "Enter Proper Duration"),
                               ("Steps", "1.5", "Enter Proper Steps"), ("Energy", "-1", "Enter Proper Calories")]:
        page.type("Goal type", kind)
        page.type("Target", wrong)
        page.press("Save the goal", GOALS)
        page.see(words, ".err")
    trial.look("workout-goal-that-is-wrong")
    # As the page itself writes it.
    page.type("Goal type", "Steps")
    page.type("Target", "10,000")
    page.press("Save the goal", GOALS)
    page.see("10,000 steps", ".row")
    page.type("Goal type", "Distance")
    page.type("Target", "9,5")
    page.press("Save the goal", GOALS)
    page.see("Goal Saved Successfully")
    page.see("9.5\u202fkm", ".row")
    page.type("Goal type", "Duration")
    page.type("Target", "0.1")
    page.press("Save the goal", GOALS)
    page.see("0.1\u202fmin", ".row")
    page.press("Choose 9.5\u202fkm")
    page.see("Goal Selected")
    page.press("Switch on", GOALS)
    page.see("Workout goal enabled")
    page.press("Switch off", GOALS)
    page.see("Workout goal disabled")
    page.press("Choose 0.1\u202fmin")
    page.wait("the shorter goal is chosen", lambda: page.all("[aria-label='Choose 9.5\u202fkm']"))
    page.type("How often", "1 kilometre")
    page.press("Zone")
    page.press("Save", "//vitals-voice-card")
    page.see("Data Saved Successfully")
    plan = json.loads(trial.home.vitals("ada", "speak", "show", "--json"))
    assert plan["kilometres"] == 1 and plan["say"][-1] == "zone", plan
    trial.look("workout-start")


def pauses_and_discards(trial):
    """Without a position, and of an activity that has a name of its own."""
    page = trial.browser
    page.press("Start", "//vitals-start-card")
    page.see("Enter Name", ".err")
    page.type("Another activity", ACTIVITY)
    page.press("Start", "//vitals-start-card")
    page.see(ACTIVITY, "h1")
    page.see("Recording", ".pill")
    page.see("Location Services Disabled", "h2")
    page.see("Goal 0.1\u202fmin")
    page.wait("the heart rate and its zone", lambda: page.all(".running .zone"))
    with page.replying(RESTING):
        page.see("Below zone 1", ".running dt")
    page.wait("the zone is there again", lambda: page.all(".running .zone"))
    assert not page.all("nav") and not page.all("[aria-label^='Notifications']"), "there is more than the workout"
    page.wait("the clock counts", lambda: clock(page) >= 2)
    page.run(LISTEN)
    page.press("Voice in this browser Off")
    page.press("Pause")
    page.see("Resume")
    page.see("Paused", ".pill")
    page.wait("the pause is said", lambda: len(page.run("return said")) > 1)
    example, pause = page.run("return said")[:2]
    assert example[0] == "Here you hear how your workout goes." and "paused" in pause[0].lower() and pause[1] == "en", (example, pause)
    stopped = clock(page)
    trial.look("workout-paused")
    assert clock(page) == stopped, "the clock counts in a pause"
    page.press("Resume")
    page.see("Recording", ".pill")
    # As everywhere else, a reload shows the same; and the voice is remembered.
    end = page.on_new_pages(HURRY)
    page.driver.refresh()
    end()
    page.see(ACTIVITY, "h1")
    page.see("Location Services Disabled", "h2")
    page.run("document.querySelector('vitals-live-way button').focus(); window.looks = 0")
    page.wait("the way is asked for some more times", lambda: page.run("return looks > 20"))
    assert page.focus == "Record my position", f"asking for the way takes the focus away, to {page.focus}"
    page.press("Voice in this browser On")
    page.wait("the voice is off", lambda: page.all(".btn[aria-pressed='false']"))
    page.wait("the goal is reached", lambda: page.all(".ring .star"))
    page.press("Stop")
    page.see("Stop the workout?")
    page.press("Go on", "//dialog")
    page.press("Stop")
    page.press("Discard", "//dialog")
    page.see("The workout was discarded")
    page.see("Today", "h1")
    assert workouts(trial) == [], "something is kept of what was discarded"


def runs(trial):
    page, home = trial.browser, trial.home
    page.press("Run")
    page.press("Record my position")
    page.see("No position yet")
    phone = home.start_phone(home.vitals("ada", "phone", "add", "--name", "Pocket phone").split()[0], "--speed", "3", "--once")
    page.press("Today")
    page.see("Run", "vitals-workout-line")
    page.wait("the line has a clock", lambda: ":" in page.all("vitals-workout-line")[0].text)
    assert not page.all("vitals-start-card:not([hidden])"), "another workout can be started"
    assert not page.all("vitals-on-demand-card:not([hidden])"), "steps can be read while the service reads them"
    trial.look("today-with-a-workout")
    page.follow("#/workouts/live")
    page.press("Goal and voice")
    page.see("its goal cannot be changed until it is over")
    page.press("Choose 9.5\u202fkm")
    page.see("The goal cannot be changed during a workout")
    page.follow("#/workouts/live")
    page.see("Average pace")
    page.wait("the way is drawn", lambda: page.all(".running .map .way") and page.all(".running .map .pos"))
    page.see("Goal 0.1\u202fmin, reached")
    trial.look("workout-live")
    with home.without_broker():
        page.see("The workout goes on")
        before = clock(page)
        page.wait("the clock goes on", lambda: clock(page) > before + 1)
        trial.look("workout-offline")
        # The clock goes on between two commands.
        pressed = seconds(page.run(PRESSING))
    # What was pressed without a connection counts from then.
    page.see("Resume")
    page.forgive("WebSocket connection to")
    assert clock(page) - pressed in (0, 1), f"the pause counts from {clock(page)} s, and was pressed at {pressed} s"
    page.press("Stop")
    trial.look("workout-stop")
    page.press("Save", "//dialog")
    page.see("Summary")
    phone.terminate()
    [kept] = workouts(trial)
    assert kept["activity"] == "running" and kept["ended_by"] == "person" and kept["distance_m"] > 10, kept


def reaches_a_goal(trial):
    """A goal that is enabled ends the workout, whatever is shown then."""
    page, home = trial.browser, trial.home
    home.vitals("ada", "workout", "goal", "enable")
    page.press("Today")
    page.press("Walk")
    page.see("ends the workout")
    page.see("Goal reached: the workout is over")
    page.see("Look at it")
    trial.look("workout-over")
    page.press("Today")
    page.press("Ride")
    page.see("Ride", "h1")
    page.press("Today")
    page.see("Goal reached: the workout is over", ".toast")
    page.wait("the line is gone", lambda: not page.all("vitals-workout-line a"))
    assert [one["ended_by"] for one in workouts(trial)] == ["goal", "goal", "person"]
    trial.waits_for_heart()


def clock(page):
    """Seconds of the workout's clock."""
    return seconds(page.all(".time")[0].text)


def seconds(shown):
    minutes, rest = shown.split(":")
    return 60 * int(minutes) + int(rest)


STEPS = [sets_a_goal, pauses_and_discards, runs, reaches_a_goal]
