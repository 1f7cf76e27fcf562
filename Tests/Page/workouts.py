"""Workouts that are over."""

from playing import PASSWORD
from selenium.webdriver.common.keys import Keys


def sees_their_workouts(trial):
    page, home = trial.browser, trial.home
    page.press("Workouts")
    page.see("No workouts yet")
    trial.look("workouts-of-nothing")
    password = home.folder / "password"
    password.write_text(f"{PASSWORD}\n")
    home.vitals("ada", "sign-in", "ada@example.org", "--password-file", str(password))
    home.vitals("ada", "consent", "--record-location", "on")
    home.vitals("ada", "workout", "import", str(home.recorded_run()))
    page.press("Walks")
    page.see("No workouts yet")
    page.press("Runs")
    page.see("<b>City run</b>")
    page.see("km", ".val")
    trial.look("workouts")
    page.follow("#/workouts/")
    page.see("Summary")
    page.see("<b>City run</b>")
    page.see("Time in zones")
    page.wait("the way is drawn", lambda: page.all(".map .way"))
    assert not page.all(".map .pos")
    page.run("document.querySelector('vitals-distance-chart').focus()")
    page.keys(Keys.ARROW_RIGHT, Keys.ARROW_RIGHT)
    page.see("/km", ".readout")
    page.wait("the map has the point", lambda: page.all(".map .pos"))
    trial.look("workout")
    page.press("Heart rate then")
    page.see("Heart rate", "h1")
    page.wait("the heart rate of the run", lambda: page.all(".zoomable .line"))
    trial.look("heart-of-a-run")
    page.driver.back()
    page.see("Summary")
    page.press("Delete this workout")
    page.press("Delete", "//dialog")
    page.see("Workout details deleted")
    page.see("No workouts yet")
    page.press("Today")
    trial.waits_for_heart()


STEPS = [sees_their_workouts]
