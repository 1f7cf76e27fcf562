"""Signing in with providers: what goes wrong on the way there and back, what is kept meanwhile, and deleting without a password."""

from playing import PASSWORD

SCHOOL, CLUB = "<b>School</b>", "Club"


def leaves(trial):
    """Signs out, and the door offers the operator's providers."""
    page = trial.browser
    page.open(f"{trial.home.address}/#/you")
    page.press("Sign out")
    page.press("Sign out", "//dialog")
    page.see(f"Continue with {SCHOOL}", "form")
    trial.look("sign-in-with-providers")
    page.press("Sign up")
    page.see(f"Continue with {CLUB}", "form")
    page.press("Sign in")


def goes_to(trial, label, choice="Continue as Ada"):
    page = trial.browser
    page.press(f"Continue with {label}")
    page.see("Who are you?", "h1")
    page.press(choice)


def nothing_is_left(trial):
    """Neither in the address nor in the tab."""
    page = trial.browser
    address, kept = page.run("return [location.search + location.hash, Object.keys(sessionStorage)]")
    assert address in ("#/sign-in", "#/today", "#/you"), f"the answer is still in the address: {address}"
    assert not [key for key in kept if key != "vitals"], f"something is kept: {kept}"


def fails(trial):
    page, school = trial.browser, trial.home.school
    goes_to(trial, SCHOOL, "Not now")
    page.see(f"You have not signed in with {SCHOOL}", "form")
    nothing_is_left(trial)
    trial.look("sign-in-cancelled")
    with school.that(state="0" * 32):
        goes_to(trial, SCHOOL)
        page.see("This answer was not asked for here", "form")
        nothing_is_left(trial)
    # Somebody else's code, in a link that somebody is made to follow.
    page.open(f"{trial.home.address}/?code=theirs&state=theirs")
    page.see("This answer was not asked for here", "form")
    assert not school.exchanged, "a code that was not asked for has been exchanged"
    with school.that(is_away=True):
        goes_to(trial, SCHOOL)
        page.see(f"{SCHOOL} cannot be reached now", "form")
        page.forgive("/token")
    with school.that(nonce="0" * 32):
        goes_to(trial, SCHOOL)
        page.see("is not what was asked for", "form")
    # A code that has been used, with an answer that is otherwise right.
    with school.that(code=school.exchanged[-1]["code"]):
        goes_to(trial, SCHOOL)
        page.see(f"{SCHOOL} did not sign you in: <b>the code</b> is not known", "form")
        page.forgive("/token")
    nothing_is_left(trial)


def signs_in(trial):
    """Somebody new, who stays signed in."""
    page, school = trial.browser, trial.home.school
    goes_to(trial, SCHOOL)
    page.see("You are registered and signed in")
    page.see("Welcome", "h1")
    nothing_is_left(trial)
    assert page.run("return sessionStorage.length") == 0, "the device is kept in the open"
    verifier, question = school.exchanged[-1]["code_verifier"], school.asked[-1]
    assert len(verifier) >= 43 and verifier not in question.values(), "who sees the question can exchange the code"
    assert len({question["state"] for question in school.asked}) == len(school.asked), "a state was used twice"
    page.driver.refresh()
    page.see("Welcome", "h1")
    page.open(f"{trial.home.address}/#/you")
    page.see("Signs in with")
    page.see(SCHOOL)
    assert not page.all("summary") or "Change the password" not in [one.text for one in page.all("summary")], "there is no password to change"


def deletes_everything(trial):
    page, school = trial.browser, trial.home.school
    page.type("Name", "Ada of the school")
    page.type("Date of birth", "1985-12-10")
    page.type("Gender", "Female")
    page.type("Height in cm", "165")
    page.type("Weight in kg", "58")
    page.press("Save", "//form")
    page.see("Data Saved Successfully")
    page.press("Delete everything")
    page.see("Show first that it is you", "dialog")
    trial.look("delete-with-a-provider")
    goes_to(trial, SCHOOL, "Not now")
    page.see(f"You have not signed in with {SCHOOL}", "dialog")
    page.press("Close", "//dialog")
    nothing_is_left(trial)
    # Somebody else cannot delete what is theirs.
    page.press("Delete everything")
    with school.that(subject="eve"):
        goes_to(trial, SCHOOL)
        page.press("Delete everything", "//dialog")
        page.see("about somebody else", "dialog")
    page.press("Cancel", "//dialog")
    page.see("Ada of the school")
    page.press("Delete everything")
    goes_to(trial, SCHOOL)
    page.see("Delete everything of yours?", "dialog")
    page.see("Documents", "dialog")
    page.press("Delete everything", "//dialog")
    page.see("Everything of yours was deleted")
    page.wait("the profile is asked for", lambda: page.focus.startswith("Name"))
    nothing_is_left(trial)


def deletes_the_account(trial):
    page = trial.browser
    page.press("Delete the account")
    goes_to(trial, SCHOOL)
    page.see("Delete your account?", "dialog")
    page.press("Delete the account", "//dialog")
    page.see("Your account was deleted")
    page.see("Sign in", "form")
    page.forgive("WebSocket connection to")


def signs_in_without_a_code(trial):
    """With a provider who sends the token instead of a code; and then as Ada again."""
    page, club = trial.browser, trial.home.club
    with club.that(nonce="0" * 32):
        goes_to(trial, CLUB)
        page.see("is not what was asked for", "form")
    goes_to(trial, CLUB)
    page.see("You are registered and signed in")
    nothing_is_left(trial)
    page.open(f"{trial.home.address}/#/you")
    page.press("Sign out")
    page.press("Sign out", "//dialog")
    page.type("E-mail or phone number", "ada@example.org")
    page.type("Password", PASSWORD)
    page.press("Sign in", "//form")
    trial.waits_for_heart()


STEPS = [leaves, fails, signs_in, deletes_everything, deletes_the_account, signs_in_without_a_code]
