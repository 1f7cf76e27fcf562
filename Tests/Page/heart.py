"""The heart rate over any period."""

import re
import time

from selenium.webdriver.common.keys import Keys


#: A script that turns the wheel over the chart, and is done when the chart shows what the service has of the longer period.
ZOOM = """
    const done = arguments[arguments.length - 1];
    const chart = document.querySelector(".zoomable"), foot = document.querySelector(".chart-foot");
    const before = foot.textContent, began = performance.now(), box = chart.getBoundingClientRect();
    const observer = new MutationObserver(() => {
      if (foot.textContent === before) return;
      observer.disconnect();
      requestAnimationFrame(() => done(performance.now() - began));
    });
    observer.observe(foot, { childList: true, subtree: true });
    chart.dispatchEvent(new WheelEvent("wheel", { deltaY: 100, clientX: box.x + box.width / 2, clientY: box.y + 50, cancelable: true }));
"""

#: The service says another average than that of what is drawn, or none.
OTHER_AVERAGE = "(read) => (read?.data?.span ? { ...read, data: { ...read.data, span: { ...read.data.span, mean: 123.4, min: 45, max: 234 } } } : read)"
NO_AVERAGE = "(read) => (read?.data?.span ? { ...read, data: { ...read.data, span: undefined } } : read)"


def sees_any_period(trial):
    page = trial.browser
    page.press("Any period")
    page.see("is shown live, and not kept")
    # Nothing is so late that it has a day.
    page.open(f"{trial.home.address}/#/heart?from=1&to=99999999999999999")
    page.see("is shown live, and not kept")
    trial.look("heart-of-nothing")
    page.press("Keep it from now on")
    page.see("Data Saved Successfully")

    def is_drawn():
        # Each press asks again, whether the same period or another.
        page.press("Hour")
        return len(page.all(".zoomable .line")) > 0
    page.wait("the hour has a line", is_drawn, 60)
    page.see("A point is", ".chart-foot")
    # The address is written when nothing moves any more.
    page.wait("the address has an hour", lambda: span(trial) == 3_600_000)
    took = page.driver.execute_async_script(ZOOM)
    trial.notes.append(f"from turning the wheel to the new picture: {took:.0f} ms")
    page.wait("the address has a longer period", lambda: span(trial) > 1.2 * 3_600_000)
    page.press("Hour")
    sees_the_average(trial)
    page.run("document.querySelector('.zoomable').focus()")
    page.keys(Keys.END)
    page.see("lowest", ".readout")
    page.keys(Keys.ESCAPE)
    page.see("Average", ".readout")
    tree = page.tells(
        ("main", ""), ("heading", "Heart rate"), ("group", "Period"), ("button", "Hour"), ("button", "Before"), ("button", "Zoom in"),
        ("region", "Beat to beat"), ("DisclosureTriangle", "As a table"), ("button", "Delete this period"))
    charts = [name for role, name in tree if role == "image"]
    assert any(name.startswith("Heart rate, ") and "lowest" in name for name in charts), charts
    page.keys("+")
    page.wait("it is zoomed", lambda: span(trial) < 3_600_000)
    page.press("Hour")
    page.press("As a table")
    page.wait("the table has rows", lambda: page.all("tbody tr"))
    trial.look("heart-by-the-hour")
    page.press("As a table")
    # A reload shows the same.
    page.wait("the address has an hour again", lambda: span(trial) == 3_600_000)
    shown = shown_range(trial)
    page.driver.refresh()
    page.wait("the line is there again", lambda: page.all(".zoomable .line"))
    assert shown_range(trial) == shown
    for period in ("Day", "Week", "Month", "Year"):
        page.press(period)
        page.wait(f"the {period} is shown", lambda: page.all(".zoomable .line, .zoomable .dot-h"))
    # A year is made of hours, and has no average.
    page.see("lowest", ".readout")
    assert "Average" not in page.all(".readout")[0].text, page.all(".readout")[0].text
    trial.look("heart-by-the-year")
    page.press("Before")
    page.see("Nothing was recorded")
    page.press("After")
    page.wait("the line is there again", lambda: page.all(".zoomable .line, .zoomable .dot-h"))
    page.press("Hour")
    page.press("Delete this period")
    page.press("Delete", "//dialog")
    page.see("heart rates deleted")
    page.press("Today")
    trial.waits_for_heart()


def sees_the_average(trial):
    """It is the service's, and so are the lowest and the highest. Without one, the page makes none."""
    page = trial.browser
    with page.replying(OTHER_AVERAGE):
        page.press("Hour")
        page.see("123 bpm", ".readout")
        page.see("Average, lowest 45, highest 234", ".readout")
        page.tells(("image", f"Heart rate, {page.all('.pager b')[0].text}: lowest 45, average 123, highest 234 beats per minute"))
    with page.replying(NO_AVERAGE):
        page.press("Hour")
        page.wait("there is no average", lambda: page.all(".readout")[0].text.startswith("lowest "))
        assert not any("average" in name for role, name in page.tree() if role == "image"), page.tree()
    page.press("Hour")
    page.see("Average", ".readout")


def sees_each_beat(trial):
    """A recorded strap sends no times between beats; one that a made-up person wears does."""
    page, home = trial.browser, trial.home
    page.press("Any period")
    page.press("Hour")
    page.see("No times between beats were recorded")
    home.wear("--synthesise")

    def is_drawn():
        # "Hour" would stay at the hour that was shown, also when another one begins meanwhile.
        now = int(1000 * time.time())
        page.open(f"{home.address}/#/heart?from={now - 1_800_000}&to={now}")
        # The service answers a few requests a second.
        time.sleep(1)
        said = re.match(r"(\d+) times from beat to beat", page.all("vitals-tachogram")[0].get_attribute("aria-label") or "")
        return said and int(said[1]) >= 12
    page.wait("a dozen beats are there", is_drawn, 60)
    now = int(1000 * time.time())
    page.open(f"{home.address}/#/heart?from={now - 30_000}&to={now}")
    page.see("Variability, RMSSD")
    page.wait("the beats have a line", lambda: page.all(".rr .line"))
    page.run("document.querySelector('vitals-tachogram').focus()")
    page.keys(Keys.END)
    page.wait("a beat is chosen", lambda: re.search(r"\d ms", page.all("vitals-beats-card .readout")[0].text))
    page.press("As a table", "//vitals-beats-card")
    page.wait("the table has a beat in each row", lambda: page.all("vitals-beats-card tbody tr"))
    trial.look("heart-from-beat-to-beat")
    page.press("Day")
    page.see("Zoom in to an hour or less")
    page.see("Recorded", ".kv")
    trial.look("heart-of-a-day")
    page.press("Month")
    page.see("Zoom in to a day or less")
    home.wear()
    page.press("Today")
    trial.waits_for_heart()


def span(trial):
    first, last = shown_range(trial)
    return last - first


def shown_range(trial):
    found = re.search(r"from=(\d+)&to=(\d+)", trial.browser.driver.current_url)
    return [int(part) for part in found.groups()] if found else [0, 0]


STEPS = [sees_any_period, sees_each_beat]
