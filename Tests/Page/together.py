"""Posts, groups with a challenge, training partners, and sharing with others."""

import json

from oneself import receiver
from playing import HOSTILE, LONG


def posts(trial):
    home, page = trial.home, trial.browser
    page.press("People")
    page.press("Posts")
    page.see("Nobody has posted anything yet")
    page.type("What you want to say", "A good week <i>")
    page.press("Post it")
    page.see("Posted")
    page.see("A good week <i>", ".posts")
    home.vitals("grace", "posts", "add", f"Mine, too {HOSTILE}", "--to", "friends")
    page.see("Mine, too", ".posts")
    trial.look("posts")
    page.press(f"Thumbs up for {LONG}: 0")
    page.wait("it is given", lambda: page.all(".post [aria-pressed='true']"))
    theirs = next(one for one in map(json.loads, home.vitals("grace", "posts", "--json").splitlines()) if one["own"])
    assert theirs["ups"] == 1, theirs
    sees_what_is_behind(trial, theirs)
    page.press(f"Report the post of {LONG}")
    page.type("Reason", "It is too long", "//dialog")
    trial.look("post-report")
    page.press("Report", "//dialog")
    page.see("Reported")
    page.press("Delete")
    page.press("Delete", "//dialog")
    page.wait("it is gone", lambda: "A good week" not in page.all(".posts")[0].text)
    home.vitals("grace", "posts", "delete", theirs["post"], "--yes")
    page.see("Nobody has posted anything yet")


def sees_what_is_behind(trial, latest):
    """There may be nothing to see among the latest posts, and more behind them."""
    page = trial.browser
    page.press("Groups")
    page.see("You are in no group")
    with page.replying(found_nothing("posts", f"{latest['time'] + 1}-{latest['post']}")):
        page.press("Posts")
        page.see("Nothing for you among the latest posts")
    page.press("Show more")
    page.see("A good week <i>", ".posts")
    page.wait("the focus is at the first of them", lambda: page.focus.startswith("Thumbs up for "))


def found_nothing(what, cursor):
    """In JavaScript, what makes a list look as if nothing were found in it so far; others also have what is asked of somebody."""
    return f"""(read) => Array.isArray(read?.data?.{what}) && !read.data.asked
        ? {{ status: "ok", data: {{ {what}: [], next: "{cursor}" }} }} : read"""


def competes(trial):
    home, page = trial.home, trial.browser
    page.press("Groups")
    page.see("You are in no group")
    page.type("Name of the group", "Early <b>birds</b>")
    page.press("Create")
    page.see("There is no challenge now")
    assert [one.text for one in page.all("nav [aria-current]")] == ["People"], "the navigation does not say where one is"
    page.press("Get a code for others")
    page.wait("there is a code", lambda: page.all("[role=status] b"))
    code = page.all(".row[role=status] b")[0].text
    home.vitals("grace", "groups", "join", code, "--compete")
    page.type("What counts", "Distance on foot")
    page.press("Begin")
    page.see("The challenge has begun")
    page.see("Distance on foot ·", "vitals-group-table")
    page.box("I want to compete").click()
    page.see(LONG, "vitals-group-table")
    page.wait("both are in the table", lambda: len(page.all("vitals-group-table li")) == 2)
    trial.look("group")
    page.box("I want to compete").click()
    page.wait("one is in the table", lambda: len(page.all("vitals-group-table li")) == 1)
    page.press("Delete the group")
    page.press("Delete", "//dialog")
    page.see("You are in no group")
    assert "birds" not in home.vitals("grace", "groups")
    joins(trial)


def joins(trial):
    """A group of somebody else's, for which only they get codes."""
    home, page = trial.home, trial.browser
    home.vitals("grace", "groups", "create", "Owls")
    code = json.loads(home.vitals("grace", "groups", "code", "Owls", "--json"))["code"]
    page.type("Code", code, "//vitals-join-group")
    page.press("Join")
    page.see("Owls", "h2")
    assert "Get a code for others" not in page.all("main")[0].text, "a code is offered that only the owner gets"
    page.press("Leave")
    page.press("Leave", "//dialog")
    page.see("You are in no group")
    home.vitals("grace", "groups", "delete", "Owls", "--yes")


def finds_a_partner(trial):
    home, page = trial.home, trial.browser
    page.press("Partners")
    page.see("You have no training partner yet")
    page.type("Area", "Riverside", "//vitals-offer-form")
    page.type("Pace, min/km", "6:15-5:30", "//vitals-offer-form")
    page.press("Offer")
    page.see("Type two paces such as 5:30-6:15, the faster one first, from 1:00 to 60:00", "vitals-offer-form")
    page.type("Pace, min/km", "5:30-6:15", "//vitals-offer-form")
    page.press("Offer")
    page.see("Others can find your offer now")
    page.see("Riverside · 5:30–6:15", "vitals-own-partners")
    page.type("Contact", "ada@example.org", "//vitals-contact-form")
    page.press("Save", "//vitals-contact-form")
    page.see("Contact saved")
    finds_by_pace(trial)
    offer = json.loads(home.vitals("grace", "partners", "find", "--json").splitlines()[0])["offer"]
    home.vitals("grace", "partners", "ask", offer, "--text", f"Sundays? {HOSTILE}")
    page.see("Sundays?", "vitals-own-partners")
    page.all("vitals-own-partners [aria-label^='Accept: Run, ']")[0].click()
    page.see(LONG, "vitals-own-partners")
    trial.look("partners")
    assert "ada@example.org" in home.vitals("grace", "partners")
    page.driver.refresh()
    page.wait("the contact is shown", lambda: page.field("Contact", "//vitals-contact-form").get_attribute("value") == "ada@example.org")
    page.type("Contact", "", "//vitals-contact-form")
    page.press("Save", "//vitals-contact-form")
    page.see("Contact saved")
    assert "ada@example.org" not in home.vitals("grace", "partners")
    page.press(f"Remove: {LONG}")
    page.press("Remove", "//dialog")
    page.wait("it is over", lambda: LONG not in page.all("vitals-own-partners")[0].text)
    page.press("Withdraw: Run, Riverside")
    page.see("You have no training partner yet")


def finds_by_pace(trial):
    """An offer is found by a pace that overlaps its own."""
    home, page = trial.home, trial.browser
    for area, pace in [("Old Town", "4:00-4:30"), ("Lakeside", "6:00-7:00")]:
        home.vitals("grace", "partners", "offer", "running", "--area", area, "--pace", pace)
    page.type("Pace, min/km", "5:30-6:15", "//vitals-find-partner")
    page.press("Search")
    page.see("Lakeside · 6:00–7:00", "vitals-find-partner")
    assert "Old Town" not in page.all("vitals-find-partner")[0].text
    page.type("Pace, min/km", "", "//vitals-find-partner")
    page.press("Search")
    page.see("Old Town · 4:00–4:30", "vitals-find-partner")
    assert page.all("[aria-label='Ask: Run, Old Town']"), "all offers are asked about by the same words"
    with page.replying(found_nothing("offers", "0")):
        page.press("Search")
        page.see("Nobody among the first offers", "vitals-find-partner")
    page.press("Show more")
    page.wait("the focus is at the first offer", lambda: page.focus.startswith("Ask: Run, "))


def shares(trial):
    """To a service that stands in for others: what is shown first is what arrives."""
    home, page = trial.home, trial.browser
    with receiver() as (port, got):
        page.open(f"{home.address}/#/you")
        page.press("Add a service")
        page.type("Address", f"json://127.0.0.1:{port}/", "//dialog")
        page.type("Name", "Diary", "//dialog")
        page.press("Add", "//dialog")
        page.see("Diary", "vitals-services-card")
        page.press("Days")
        page.press("Post")
        page.see("Post it to", "dialog")
        trial.look("share")
        shown = page.field("Text", "//dialog").get_attribute("value")
        assert shown, "there is no text"
        page.press("Post", "//dialog")
        page.see("Posted", "dialog .rows", 40)
        assert shown in json.loads(got[-1])["message"], f"shown was {shown!r}, and this came: {got}"
        page.press("Close", "//dialog")
        # A post keeps its lines.
        home.vitals("ada", "posts", "add", "Two lines,\nand this is the second", "--to", "friends")
        page.open(f"{home.address}/#/people/posts")
        page.see("and this is the second", ".posts")
        page.press("Share", "//*[contains(@class, 'posts')]")
        page.see("Post it to", "dialog")
        shown = page.field("Text", "//dialog").get_attribute("value")
        assert "Two lines,\nand this is the second" in shown, f"{shown!r}"
        trial.look("share-a-post")
        page.press("Post", "//dialog")
        page.see("Posted", "dialog .rows", 40)
        assert "Two lines,\nand this is the second" in json.loads(got[-1])["message"], got[-1]
        page.press("Close", "//dialog")
        page.press("Delete")
        page.press("Delete", "//dialog")
        page.wait("the post is gone", lambda: all("the second" not in one.text for one in page.all(".posts")))
    # Nobody listens there any more, and that is told.
    page.press("Days")
    page.press("Post")
    page.see("Post it to", "dialog")
    page.press("Post", "//dialog")
    page.wait("it is told that it was not posted", lambda: page.all("dialog .rows small") and page.all("dialog .rows small")[0].text not in ("", "Posted"), 60)
    trial.look("share-failed")
    page.press("Close", "//dialog")
    page.open(f"{home.address}/#/you")
    page.press("Remove: Diary")
    page.press("Remove", "//dialog")
    page.see("You have not added a service yet")
    page.press("Today")


STEPS = [posts, competes, finds_a_partner, shares]
