"""The page in German: every view, judged as in English, with nothing on it that is still English."""

import datetime
import json
import re

from home import PROJECT

#: The views that have an address of their own, and the word that is their heading.
VIEWS = {
    "today": "today", "heart": "heartRate", "workouts": "workouts", "workouts/start": "startWorkout", "workouts/plans": "plans", "workouts/gear": "gear",
    "workouts/statistics": "statistics", "days": "days", f"days/{datetime.date.today()}": "days", f"weeks/{datetime.date.today()}": "days", "years": "days",
    "days/goals": "goals", "people": "people", "people/looking-after": "people", "people/who-sees-me": "people", "lately": "lately", "sensors": "sensors",
    "people/posts": "people", "people/groups": "people", "people/partners": "people", "training": "training", "training/exercises": "exercises",
    "meals": "meals", "quotes": "likedQuotes", "reminders": "reminders", "music": "music", "help": "help", "you": "you", "nowhere": "noSuchView",
}
#: Of each kind, the first that a list leads to is looked at, too.
DETAILS = {"workouts": "workout", "reminders": "reminder", "sensors": "sensor"}
#: What is read, and what is read out.
TEXTS = """
    const texts = new Set();
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) texts.add(walker.currentNode.textContent.trim());
    for (const name of ["aria-label", "placeholder", "alt", "data-title"]) {
      for (const one of document.querySelectorAll(`[${name}]`)) texts.add(one.getAttribute(name).trim());
    }
    return [...texts];
"""


def words(language):
    """What the page says, by its keys."""
    text = (PROJECT / f"Sources/page/words/{language}.ts").read_text(encoding="utf-8").split("\n};\n")[0]
    found = {key.strip('"'): json.loads(f'"{said}"') for key, said in re.findall(r'(?<![\w"])("(?:[^"\\]|\\.)*"|\w+): "((?:[^"\\]|\\.)*)"', text)}
    assert len(found) > 500, f"the words of {language} cannot be read"
    return found


def speaks_german(trial):
    page, home = trial.browser, trial.home
    english, german = words("english"), words("german")
    assert english.keys() == german.keys(), english.keys() ^ german.keys()
    # What is a word in both languages is of both.
    foreign = {text for text in english.values() if "{" not in text} - set(german.values())
    trial.elsewhere("profile", "set", "--locale", "de-DE")
    page.open(f"{home.address}/#/today")
    page.driver.refresh()
    page.see("Heute", "h1")

    def looks_at(address, title):
        page.open(f"{home.address}/#/{address}")
        page.see(german[title], "h1")
        page.wait("all is there", lambda: not page.all(".skeleton"))
        name = title if title in DETAILS.values() else re.sub(r"\d+-\d+-\d+", "day", address)
        trial.look(f"german-{name.replace('/', '-')}")
        for text in page.run(TEXTS):
            if text in foreign:
                trial.finds(f"{address}: “{text}” is English")

    for address, title in VIEWS.items():
        looks_at(address, title)
        if address in DETAILS:
            leads = page.run("return [...document.querySelectorAll('main a')].map((link) => link.getAttribute('href'))")
            first = next((to for to in leads if re.fullmatch(rf"#/{address}/([^/]+/[^/]+|[^/]{{12,}})", to)), None)
            if first:
                looks_at(first.removeprefix("#/"), DETAILS[address])
    trial.elsewhere("profile", "set", "--locale", "en-GB")
    page.open(f"{home.address}/#/today")
    page.driver.refresh()
    trial.waits_for_heart()


STEPS = [speaks_german]
