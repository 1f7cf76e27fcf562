"""Oneself, signing out, and a forgotten password."""

from playing import PASSWORD, WITH_DEVICE

#: A script that notes each text that a dialog shows.
WATCHING = """
    window.shown = [];
    const dialog = document.querySelector("dialog");
    new MutationObserver(() => window.shown.push(dialog.textContent)).observe(dialog, { childList: true, subtree: true, characterData: true });
"""


def looks_at_themselves(trial):
    page = trial.browser
    page.open(f"{trial.home.address}/#/you")
    page.see("165")
    page.see("This browser")
    trial.look("you")
    page.press("Edit")
    page.type("Weight in kg", "1")
    page.press("Save", "//form")
    page.see("Enter Proper Weight")
    page.press("Cancel", "//form")
    page.see("Changes Discarded")
    page.press("Edit")
    page.type("Weight in kg", "59.5")
    page.press("Save", "//form")
    page.see("Data Saved Successfully")
    page.see("59.5")
    page.open(f"{trial.home.address}/#/nowhere")
    page.see("There is no such view", "h1")
    trial.look("no-such-view")


def signs_out(trial):
    """Signing out revokes the device: nothing is left of it here or at the broker."""
    page = trial.browser
    page.open(f"{trial.home.address}/#/you")
    assert "Browser on Linux" in trial.elsewhere("devices")
    page.press("Sign out")
    page.see("Sign out on this device?")
    page.press("Cancel", "//dialog")
    page.press("Sign out")
    page.press("Sign out", "//dialog")
    page.see("Sign in", "form")
    assert "Browser on Linux" not in trial.home.vitals("ada", "devices"), "the device is still signed in"
    assert "webpush" not in trial.home.vitals("ada", "push"), "notifications still go to a browser that is signed out"
    assert page.driver.execute_async_script(f"{WITH_DEVICE} (kept) => done(kept === undefined))"), "something of the device is kept"


def is_signed_out(trial):
    """Somebody signs in for this tab only, and is signed out from elsewhere."""
    page = trial.browser
    page.type("E-mail or phone number", "ada@example.org")
    page.type("Password", PASSWORD.lower())
    page.press("Stay signed in on this device", "//form")
    page.press("Sign in", "//form")
    page.see("is not right")
    page.type("Password", PASSWORD)

    def is_in():
        # Whoever has failed waits a moment before the next try, and the button says for how long.
        if page.all("form .btn:not([aria-disabled])"):
            page.press("Sign in", "//form")
        page.wait("there is an answer", lambda: not page.all("form .btn[aria-busy]"))
        return not page.all("form")
    page.wait("the right password is taken", is_in)
    trial.waits_for_heart()
    page.driver.refresh()
    trial.waits_for_heart()
    device = next(line.split()[0] for line in trial.home.vitals("ada", "devices").splitlines() if "Browser on Linux" in line)
    trial.home.vitals("ada", "devices", "revoke", device)
    page.see("This device was signed out.")
    page.see("Sign in", "form")
    page.forgive("WebSocket connection to")


def resets_the_password(trial):
    page = trial.browser
    page.press("Forgotten password")
    page.type("E-mail or phone number", "ada@example.org")
    trial.look("reset")
    page.press("I have a code")
    code = trial.home.reset_code("ada@example.org")
    page.type("Code from the message", code)
    page.type("New password", f"{PASSWORD}-2")
    trial.look("reset-with-a-code")
    page.press("Set the password", "//form")
    page.see("Keep what belongs to it, or delete it for good?")
    trial.look("reset-whose")
    page.press("Keep it")
    page.see("The password is changed")
    page.type("E-mail or phone number", "ada@example.org")
    page.type("Password", f"{PASSWORD}-2")
    page.press("Sign in", "//form")
    trial.waits_for_heart()


def deletes_everything(trial):
    """All that is theirs goes, the account stays, and the page asks who they are."""
    page, home = trial.browser, trial.home
    # The reset has signed out all other devices.
    password = home.folder / "password"
    password.write_text(f"{PASSWORD}-2\n")
    home.vitals("ada", "sign-in", "ada@example.org", "--password-file", str(password))
    home.vitals("ada", "goals", "set", "--steps", "7000")
    page.open(f"{home.address}/#/you")
    page.press("Delete everything")
    page.see("Step counts", "dialog")
    page.run(WATCHING)
    page.type("Password", f"{PASSWORD}-2", "//dialog")
    page.press("Delete everything", "//dialog")
    page.see("Everything of yours was deleted")
    page.wait("the profile is asked for", lambda: page.focus.startswith("Name"))
    shown = page.run("return window.shown")
    assert any("readings are deleted" in text for text in shown), f"how far it has come was not shown: {shown}"
    assert "no profile" in home.vitals("ada", "profile").lower() or not home.vitals("ada", "profile").strip()
    trial.look("deleted-everything")


def deletes_the_account(trial):
    """Somebody new, with a password and without a gateway."""
    page = trial.browser
    page.press("Sign out")
    page.press("Sign out", "//dialog")
    page.press("Sign up")
    page.type("E-mail or phone number", "lin@example.org")
    page.type("Password", PASSWORD)
    page.press("Sign up", "//form")
    page.see("You are registered and signed in")
    page.open(f"{trial.home.address}/#/you")
    page.press("Delete the account")
    page.see("Delete your account?", "dialog")
    page.type("Password", PASSWORD, "//dialog")
    page.press("Delete the account", "//dialog")
    page.see("Your account was deleted")
    page.see("Sign in", "form")
    page.type("E-mail or phone number", "lin@example.org")
    page.type("Password", PASSWORD)
    page.press("Sign in", "//form")
    page.see("is not right")
    page.forgive("WebSocket connection to")


STEPS = [looks_at_themselves, signs_out, is_signed_out, resets_the_password, deletes_everything, deletes_the_account]
