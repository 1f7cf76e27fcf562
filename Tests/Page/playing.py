"""What all parts of the trial use: how a view is judged, and what is typed in several of them."""

from browser import SIZES, THEMES

PASSWORD = "Heart-9beat-Run"
#: A name as no name should be: markup, a script, a control character, a turn of direction, an emoji, and a very long word.
HOSTILE = "<img src=x onerror=document.title='broken'><script>document.title='broken'</script>\u202eevil\U0001f980"
LONG = "W" * 90
#: A script that hands what the page keeps of its device to a function that follows, and waits for `done`.
WITH_DEVICE = """
    const done = arguments[arguments.length - 1];
    const read = (act) => {
      const opening = indexedDB.open("vitals", 1);
      opening.onsuccess = () => {
        const asked = opening.result.transaction("credentials").objectStore("credentials").get("device");
        asked.onsuccess = () => { opening.result.close(); act(asked.result); };
      };
    };
    read("""


class Trial:
    def __init__(self, home, browser, pictures):
        self.home, self.browser, self.pictures = home, browser, pictures
        self.views, self.findings, self.notes = [], [], []

    def look(self, name):
        """Judges the view that is shown, as everybody may see it."""
        for size in SIZES:
            for theme in THEMES:
                self.browser.dress(size, theme)
                where = f"{name}, {size}, {theme}"
                self.findings += [f"{where}: {finding}" for finding in self.browser.findings()]
                if self.browser.is_too_wide():
                    self.findings.append(f"{where}: it can be scrolled sideways")
                if self.pictures:
                    self.browser.picture(self.pictures / f"{name}-{size}-{theme}.png")
        self.browser.dress("desktop", "light")
        self.views.append(name)

    def waits_for_heart(self):
        page = self.browser
        page.wait("a live heart rate", lambda: page.all(".hero") and page.all(".hero")[0].text.split("\n")[0].isdigit())
