"""Plans that somebody follows, the week's selection, what is eaten, and the quote of the day."""

import json

from home import PROJECT

#: What is done each half a minute is done five times a second, and counted.
HURRY = """
    const usual = setInterval;
    window.looks = 0;
    window.setInterval = (act, time) => (time === 30000 ? usual(() => { looks += 1; act(); }, 200) : usual(act, time));
"""


def prepare(home):
    """What the packages install is named here."""
    home.consumer_lines += f"""
      training: {{ exercises: "{PROJECT}/deploy/training/exercises.json" }},
      quotes: {{ catalogue: "{PROJECT}/deploy/quotes/quotes.json" }},
      meals: {{ ideas: "{PROJECT}/deploy/meals/ideas.json" }},"""


def chooses_plans(trial):
    page = trial.browser
    page.press("Training")
    page.see("Nothing is chosen for this week")
    trial.look("training-empty")
    page.press("Show plans")
    page.wait("there are three plans", lambda: len(page.all("vitals-offers details")) == 3)
    page.press(page.all("vitals-offers summary")[0].text)
    trial.look("training-plans")
    chosen = page.all("vitals-offers li b")[0].text
    page.all("vitals-offers .btn.soft")[0].click()
    page.see("Chosen for this week")
    page.see(chosen, "vitals-training-week")
    week = json.loads(trial.elsewhere("train", "week", "--json"))
    assert [one["title"] for one in week["chosen"]] == [chosen], week
    page.press(f"Remove {chosen} from this week")
    page.see("Nothing is chosen for this week")
    page.all("vitals-offers .btn.soft")[1].click()
    page.wait("another one is chosen", lambda: page.all("vitals-training-week li"))
    page.box("Dumbbells").click()
    page.press("Save")
    page.see("Data Saved Successfully")
    assert "dumbbell" in trial.elsewhere("train", "equipment")


def does_a_plan(trial):
    page = trial.browser
    page.all("vitals-training-week li .btn.soft")[0].click()
    page.see("Exercise 1 of")
    page.see("set 1 of")
    trial.look("training-work")
    # What makes warm is timed; the sets that follow are counted.
    for _ in range(20):
        if "repetitions" in page.all(".clock")[0].text:
            break
        said = page.all(".card.a")[0].text
        page.press("Skip")
        page.wait("the next exercise", lambda: page.all(".card.a") and page.all(".card.a")[0].text != said)
    page.run("window.live = document.querySelector('vitals-training-now [aria-live]')")
    page.press("Set done")
    page.see("Rest", ".exercise")
    assert page.focus == "End rest", f"the focus is elsewhere: {page.focus}"
    assert page.run("return live.isConnected && live.textContent") == "Rest", "what comes next is not read out"
    # A rest ends by itself, and would do so while it is looked at.
    page.press("Pause")
    page.see("Paused", ".clock")
    trial.look("training-rest")
    page.press("Resume")
    page.press("End rest")
    page.see("set 2 of", ".card.a")
    page.press("How it is done")
    page.see("Mainly works")
    page.wait("it is told step by step", lambda: page.all(".numbered li"))
    trial.look("exercise")
    page.driver.back()
    page.see("set 2 of", ".card.a")
    page.press("Stop")
    page.press("Save")
    page.wait("the workout is shown", lambda: "#/workouts/" in page.driver.current_url)
    page.press("Training")
    page.see("1 set", "vitals-training-week")
    page.see("Done", "vitals-training-week")
    trial.look("training-done")
    page.press("Exercises")
    page.type("Muscle", "Chest")
    page.type("Words", "push")
    page.press("Search")
    page.see("Push", "vitals-exercises .rows")
    trial.look("exercises")
    page.type("Muscle", "Any")
    page.type("Words", "")
    page.press("Search")
    stays_long(trial)
    page.press("Today")


def stays_long(trial):
    """A list stays as long as it is when it is asked for again."""
    page = trial.browser
    for _ in range(2):
        before = len(page.all("vitals-exercises .row"))
        page.press("Show more")
        page.wait("there are more", lambda: len(page.all("vitals-exercises .row")) > before)
    shown = page.run("window.first = document.querySelector('vitals-exercises .row'); return document.querySelectorAll('vitals-exercises .row').length")
    page.mark()
    with trial.home.without_broker():
        page.see("Offline since")
    page.wait("it is asked for again", lambda: page.run("return !first.isConnected && document.querySelector('vitals-exercises .row')"), 40)
    assert len(page.all("vitals-exercises .row")) == shown, f"there were {shown}, and are {len(page.all('vitals-exercises .row'))}"
    page.forgive("WebSocket connection to")


def eats(trial):
    page = trial.browser
    page.press("Meals")
    page.see("Nothing is logged for this day")
    page.type("What it is", "Porridge <b>")
    page.type("Energy (kcal)", "380")
    page.type("protein (g)", "14")
    page.press("Log it", "//vitals-log-meal")
    page.see("Porridge <b>", "vitals-meals-of-day")
    assert json.loads(trial.elsewhere("meals", "--json").splitlines()[0])["total"]["energy_kcal"] == 380
    page.press("A new food")
    page.type("What it is", "Apple", "//dialog")
    page.type("Energy (kcal)", "72", "//dialog")
    page.type("A portion, in grams", "138", "//dialog")
    page.press("Save", "//dialog")
    page.press("Log Apple")
    page.press("Log it", "//dialog")
    page.see("Apple", "vitals-meals-of-day")
    page.wait("there are ideas", lambda: page.all("vitals-meal-ideas li"))
    page.see("What you burned at rest counts up to now", "vitals-meals-of-day")
    trial.look("meals")
    page.press("Before")
    page.see("Nothing is logged for this day")
    page.see("Burned at rest", "vitals-meals-of-day")
    assert "up to now" not in page.all("vitals-meals-of-day")[0].text, "a day that is over is counted up to now"
    page.press("After")
    page.see("Apple", "vitals-meals-of-day")
    page.press("Delete Porridge <b>")
    page.press("Delete", "//dialog")
    page.wait("it is gone", lambda: "Porridge" not in page.all("vitals-meals-of-day")[0].text)
    turns_the_day(trial)
    page.press("Today")


def turns_the_day(trial):
    """The day of a page that is left open: the one that was is before it, as soon as nothing that was typed is lost."""
    page = trial.browser
    end = page.on_new_pages(HURRY)
    page.driver.refresh()
    end()
    page.see("Apple", "vitals-meals-of-day")
    before = "return document.querySelector('vitals-meals-of-day .pager a').hash"
    was = page.run(before)
    page.type("What it is", "Soup")
    page.run("window.realNow = Date.now; Date.now = () => window.realNow() + 86400000; window.looks = 0")
    page.wait("it is looked at some more times", lambda: page.run("return looks > 20"))
    assert page.field("What it is").get_attribute("value") == "Soup" and page.run(before) == was, "what was typed is lost"
    page.field("What it is").clear()
    page.wait("it is another day", lambda: page.run(before) != was)
    page.driver.refresh()
    page.see("Apple", "vitals-meals-of-day")


def likes_a_quote(trial):
    page = trial.browser
    page.see("Quote of the day")
    said = page.all("vitals-quote-card p")[0].text
    page.press("I like it")
    page.wait("it is liked", lambda: page.all("vitals-quote-card [aria-pressed='true']"))
    page.press("Liked quotes")
    page.see(said, "vitals-liked-quotes")
    trial.look("quotes")
    page.press(f"I no longer like: {said}")
    page.see("You have not liked any quote yet")
    page.press("Today")
    page.wait("it is not liked", lambda: page.all("vitals-quote-card [aria-pressed='false']"))


STEPS = [chooses_plans, does_a_plan, eats, likes_a_quote]
