"""Days, weeks, months and years, and the goals of each day."""

import datetime
import json

from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.expected_conditions import staleness_of

#: On the 7th somebody rested for four hours and a half of the day, on the 8th they had half an hour with a high heart rate.
RATES = {7: [60] * 3_240, 8: [150] * 360}
#: The first list of workouts comes too soon.
REFUSED_ONCE = """((left) => (read) => Array.isArray(read?.data?.workouts) && left-- > 0
    ? { status: "error", error: { code: "rate-limited", message: "too many requests", retry_after_s: 1 } } : read)(1)"""
#: Part of the day's distance was ridden.
RODE = "(read) => (read?.day && read.goals ? { ...read, distances_m: { foot: 1000, bicycle: 2000 } } : read)"
#: How many hours ago somebody rode a bicycle. They walked on that day, too.
RIDE = 50


def minutes(day):
    """Every third day has 12,000 steps, the others 6,000, and the 13th none."""
    return 0 if day.day == 13 else 120 if day.day % 3 == 0 else 60


def sees_their_days(trial):
    page, home = trial.browser, trial.home
    today = datetime.date.today()
    month = (today.replace(day=1) - datetime.timedelta(days=1)).replace(day=1)
    name = f"{month:%B}"
    trial.signs_in_elsewhere()
    # Without its positions, nobody knows how far a ride was.
    home.vitals("ada", "consent", "--record-location", "on")
    worn = [today - datetime.timedelta(days=ago) for ago in range(1, 75)]
    home.vitals("ada", "workout", "import", str(home.worn_band(worn, minutes, lambda day: RATES.get(day.day, []))))
    home.vitals("ada", "workout", "import", str(home.recorded_run(hours=26)))
    home.vitals("ada", "workout", "import", str(home.recorded_run("To work", RIDE, kind="cycling")))
    page.wait("the days are counted", lambda: steps_of(home, month) == 100 * sum(map(minutes, span(month))), 60)
    # Imported workouts are counted after the reply.
    page.wait("the ride is counted", lambda: "bicycle" in day_ago(home, RIDE).get("distances_m", {}), 60)
    page.wait("the run is counted", lambda: (ran := day_ago(home, 26))["distance_m"] > 0.75 * ran.get("steps", 0), 60)

    page.press("Days")
    page.see("Goals by day", "h2")
    page.see(f"{today:%B} {today.year}", ".pager")
    trial.look("days")
    assert page.run("return document.querySelector('[aria-label=After]').getAttribute('aria-disabled')") == "true", "it goes on after today"
    page.press("Before")
    page.see(f"{name} {month.year}", ".pager")
    counted = json.loads(home.vitals("ada", "month", f"{month:%Y-%m}", "--json"))
    total = counted["summary"]["steps"]["total"]
    assert total == 100 * sum(map(minutes, span(month))), counted["summary"]
    page.see(f"{total:,}", ".facts")
    full = counted["summary"]["goals"]["steps"]["reached"]
    page.wait("a disc for each day with all goals", lambda: len(page.all(".cell.met")) == full)
    assert page.all(f".cell[aria-label*=' 9 {name}: all goals reached']"), "the ninth has no full disc"
    assert page.all(f".cell[aria-label*=' 10 {name}: Steps 60']"), "the tenth is not at 60 %"

    # A day is chosen by the pointer and by keys, and a reload shows it again.
    page.run(f"document.querySelector(\".cell[aria-label*=' 9 {name}:']\").click()")
    page.see("12,000 of 10,000", ".goal")
    assert f"day={month:%Y-%m}-09" in page.driver.current_url, page.driver.current_url
    page.driver.refresh()
    page.see("12,000 of 10,000", ".goal")
    page.run("document.querySelector('.cell[aria-current]').focus()")
    page.keys(Keys.ARROW_RIGHT, Keys.ENTER)
    page.see("6,000 of 10,000", ".goal")
    trial.look("days-of-a-month")

    # The bars, by keys, as a table, and of other measures.
    page.run("document.querySelector('vitals-bars').focus()")
    page.keys(Keys.HOME, Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.see(f"3 {name}", ".readout")
    page.see("120", ".readout")
    page.press("As a table")
    page.wait("a row for each day", lambda: len(page.all("tbody tr")) == len(span(month)))
    assert page.all("tbody tr")[2].text.split()[-3:] == ["12,000", "120", "%"], page.all("tbody tr")[2].text
    page.press("As a table")
    page.press("Heart rate", "//div[@role='group']")
    page.wait("a heart rate from lowest to highest", lambda: page.all(".spread.heart"))
    assert "of=heart_rate" in page.driver.current_url
    page.driver.refresh()
    page.wait("the same after a reload", lambda: page.all(".spread.heart"))
    page.press("Steps", "//div[@role='group']")
    ActionChains(page.driver).key_down(Keys.SHIFT).send_keys(Keys.ARROW_LEFT).key_up(Keys.SHIFT).perform()
    page.wait("the month before", lambda: name not in page.all(".pager")[0].text)


def sees_a_day(trial):
    page, home = trial.browser, trial.home
    month = (datetime.date.today().replace(day=1) - datetime.timedelta(days=1)).replace(day=1)
    page.open(f"{home.address}/#/days/{month:%Y-%m}-07")
    page.see("Resting, by day", ".facts")
    page.see("4:30:00", ".facts")
    assert "No resting heart rate" not in page.all("main")[0].text, "it has a resting heart rate, and says that it has none"
    trial.look("day")
    page.press("After")
    page.see("it needs four hours of rest that are recorded")
    page.see("Time in zones")
    page.press("Show heart rate")
    page.wait("the heart rate of that day", lambda: page.all(".zoomable .line"))
    page.see("30:00", ".kv")
    page.see("Time in zones")
    page.driver.back()
    page.see("it needs four hours of rest that are recorded")
    # The name of a workout is text. What is refused for a second is asked for again, though the day is over.
    with page.replying(REFUSED_ONCE):
        page.open(f"{home.address}/#/days/{(datetime.datetime.now() - datetime.timedelta(hours=26)).date()}")
        page.see("<b>City run</b>", ".rows")
    trial.look("day-with-a-workout")
    sees_how_far(trial)
    page.open(f"{home.address}/#/days/{month:%Y-%m}-10")
    page.press("Share")
    page.press("Make a picture", "//details")
    page.see("% of my goal of 10,000 steps", "details")
    files = home.folder / "files"
    page.saves_to(files)
    page.press("Save the picture")
    page.wait("the picture is saved", lambda: list(files.glob("*.svg")))
    assert next(files.glob("*.svg")).read_text().startswith("<svg "), "this is no picture"
    assert not page.all("main svg title"), "the picture is in the page"
    trial.look("day-to-share")
    page.open(f"{home.address}/#/days/{datetime.date.today() + datetime.timedelta(days=1)}")
    page.see("still to come")
    # A day of 23 hours, where clocks are changed.
    home.vitals("ada", "profile", "set", "--time-zone", "Europe/Berlin")
    page.driver.refresh()
    page.open(f"{home.address}/#/days/2027-03-28")
    page.see("it has 23 hours")
    home.vitals("ada", "profile", "set", "--time-zone", "UTC")
    page.driver.refresh()
    page.see("still to come")
    assert "23 hours" not in page.all("main")[0].text


def day_ago(home, hours):
    """The figures of the day of so many hours ago."""
    day = (datetime.datetime.now() - datetime.timedelta(hours=hours)).date()
    return json.loads(home.vitals("ada", "day", f"{day}", "--json"))


def sees_how_far(trial):
    """The distance of a day and of a month is of all kinds, and these stand beneath it as the service has them."""
    page, home = trial.browser, trial.home
    day = (datetime.datetime.now() - datetime.timedelta(hours=RIDE)).date()
    month = json.loads(home.vitals("ada", "month", f"{day:%Y-%m}", "--json"))
    ridden = next(one for one in month["days"] if one["day"] == f"{day}")
    page.open(f"{home.address}/#/days/{day}")
    page.see(f"{ridden['distance_m'] / 1000:.2f}", ".facts")
    page.see("Active energy", ".facts")
    page.see(how_far(ridden), ".small")
    trial.look("day-with-a-ride")
    page.open(f"{home.address}/#/days/{day:%Y-%m}?day={day}&of=distance_m")
    page.see(how_far(month["summary"]), "vitals-series-card .small")
    page.see(how_far(ridden), "vitals-day-card .small")
    page.press("Steps", "//vitals-series-card")
    assert "by bicycle" not in page.all("vitals-series-card")[0].text, "the kinds of a distance stand beneath steps"


def how_far(totals):
    """As the page writes it: the farthest kind first."""
    words = {"foot": "on foot", "bicycle": "by bicycle"}
    assert "bicycle" in totals.get("distances_m", {}), totals
    known = sorted(totals["distances_m"].items(), key=lambda one: -one[1])
    return ", ".join(f"{metres / 1000:.2f}\u202fkm {words[kind]}" for kind, metres in known)


def sees_longer_periods(trial):
    page, home = trial.browser, trial.home
    today = datetime.date.today()
    month = (today.replace(day=1) - datetime.timedelta(days=1)).replace(day=1)
    page.open(f"{home.address}/#/weeks/{month:%Y-%m}-09")
    page.see("Steps, week", "h2")
    page.wait("seven bars", lambda: len(page.all(".cal .wd")) == 7)
    monday = datetime.date(month.year, month.month, 9) - datetime.timedelta(days=datetime.date(month.year, month.month, 9).weekday())
    week = [monday + datetime.timedelta(days=day) for day in range(7)]
    page.see(f"{100 * sum(map(minutes, week)):,}", ".facts")
    trial.look("days-of-a-week")
    # Weeks are turned faster than the service answers: it asks to wait, and the page does.
    for turn in ["Before"] * 20 + ["After"] * 20:
        page.run("document.querySelector(`.pager [aria-label=${arguments[0]}]`).click()", turn)
    page.see(f"{100 * sum(map(minutes, week)):,}", ".facts")
    page.press("Year", "//div[@role='group']")
    page.see("Steps a month", "h2")
    page.see("Days with the goal reached: Steps", "h2")
    assert f"#/years/{month.year}" in page.driver.current_url
    page.wait("bars of months", lambda: page.all(".bar"))
    trial.look("days-of-a-year")
    page.driver.back()
    page.see("Steps, week", "h2")
    page.press("All", "//div[@role='group']")
    page.see("recorded on", ".rows")
    page.type("First day", f"{month:%Y-%m}-08")
    page.type("Last day", f"{month:%Y-%m}-01")
    page.press("Show", "//form")
    page.see("Choose a first and a last day")
    trial.look("all-years")
    page.type("Last day", f"{month:%Y-%m}-09")
    page.press("Show", "//form")
    page.see("18,000", ".facts")
    page.see("150", ".facts")
    trial.look("days-of-a-range")
    page.driver.refresh()
    page.see("18,000", ".facts")


def sets_goals(trial):
    page, home = trial.browser, trial.home
    page.open(f"{home.address}/#/days/goals")
    page.see("How often you reached them", "h2")
    page.type("Steps a day", "0")
    page.press("Save", "//form")
    page.see("A number up to 200,000")
    page.type("Steps a day", "11500")
    page.type("Distance a day, km", "7.5")
    page.type("Days a week with all goals of the day", "5")
    trial.look("goals")
    saves_goals(page)
    page.see("Goal Saved Successfully")
    page.see("Goals of the week", "h2")
    assert goals_of(home) == {"steps": 11_500, "distance_m": 7_500}, goals_of(home)
    page.open(f"{home.address}/#/days/{datetime.date.today()}")
    page.see("of 11,500", ".goal")
    page.see("of 7.5", ".goal")
    page.press("Today")
    with page.replying(RODE):
        # The day is told of again.
        home.vitals("ada", "goals", "set", "--steps", "11000")
        page.see("2.00\u202fkm by bicycle, 1.00\u202fkm on foot", "vitals-goals-card")
    page.open(f"{home.address}/#/days/{datetime.date.today()}")
    page.press("Change goals")
    page.type("Steps a day", "")
    page.type("Distance a day, km", "")
    page.type("Days a week with all goals of the day", "")
    saves_goals(page)
    assert goals_of(home) == {}, goals_of(home)
    page.open(f"{home.address}/#/days/{datetime.date.today()}")
    page.see("You have no goals.")
    home.vitals("ada", "goals", "set", "--steps", "10000")
    page.see("of 10,000", ".goal")
    page.press("Today")
    trial.waits_for_heart()


def steps_of(home, month):
    return json.loads(home.vitals("ada", "month", f"{month:%Y-%m}", "--json"))["summary"].get("steps", {}).get("total")


def saves_goals(page):
    """Presses Save, and waits until the form is made again, which happens when the service has kept the goals."""
    form = page.all("vitals-goals form")[0]
    page.press("Save", "//form")
    page.wait("the goals are saved", lambda: staleness_of(form)(page.driver))


def goals_of(home):
    return {kind: goal["target"] for kind, goal in json.loads(home.vitals("ada", "goals", "--json"))["goals"].items() if "target" in goal}


def span(month):
    """The days of a month."""
    days = [month + datetime.timedelta(days=day) for day in range(31)]
    return [day for day in days if day.month == month.month]


STEPS = [sees_their_days, sees_a_day, sees_longer_periods, sets_goals]
