"""A real Chromium, as a person uses it: what they see, press and type; and what a test needs to know besides: the browser's own
complaints, axe-core's findings, and pictures."""

import base64
import contextlib
import importlib.util
import json
import os
import sys
import time
import urllib.request
from pathlib import Path

import websocket
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException, StaleElementReferenceException, TimeoutException,
    WebDriverException)
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.support.ui import WebDriverWait

#: Phone and desktop, in CSS pixels.
SIZES = {"phone": (360, 780), "desktop": (1280, 800)}
THEMES = ("light", "dark")
PATIENCE = 20


def axe_source():
    """axe-core, which comes with a package for Playwright; nothing else of the package is used."""
    found = importlib.util.find_spec("axe_playwright_python")
    if found is None or found.submodule_search_locations is None:
        sys.exit("there is no axe-core: install what Tests/Page/requirements names")
    return (Path(found.submodule_search_locations[0]) / "axe.min.js").read_text(encoding="utf-8")


class Browser:
    """One browser with nothing stored in it."""

    def __init__(self, folder, language="en-GB"):
        options = webdriver.ChromeOptions()
        options.binary_location = "/usr/bin/chromium"
        # In a container there are no namespaces for its sandbox, and little shared memory.
        for word in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", f"--lang={language}",
                     f"--user-data-dir={folder}", "--disable-background-networking", "--no-first-run"):
            options.add_argument(word)
        options.add_experimental_option("prefs", {"intl.accept_languages": language})
        options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
        os.environ["LANGUAGE"] = language.replace("-", "_")
        self.driver = webdriver.Chrome(options=options, service=Service("/usr/bin/chromedriver"))
        self.complaints, self.said, self.marked = [], [], 0
        self.axe = axe_source()

    def close(self):
        self.driver.quit()

    def open(self, address):
        self.driver.get(address)

    def dress(self, size, theme, scale=1):
        """The size of the window, and the theme that the person's system asks for."""
        width, height = SIZES[size] if isinstance(size, str) else size
        self._tell("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale, mobile=width < 600)
        self._tell("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": theme},
            # Colours change at once then, and are judged as they are in the end.
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def _tell(self, command, **options):
        return self.driver.execute_cdp_cmd(command, options)

    # What a person sees and does

    def all(self, selector):
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def see(self, text, within="body", limit=PATIENCE):
        """Waits until a text can be seen."""
        try:
            self._wait(limit, lambda: any(text in (one.text or "") for one in self.all(within)))
        except TimeoutException:
            seen = "\n".join(one.text for one in self.all(within))
            raise AssertionError(f"“{text}” does not appear; what does: {seen[:1500]}\n{self.hear()}") from None

    def wait(self, what, is_so, limit=PATIENCE):
        try:
            self._wait(limit, is_so)
        except TimeoutException:
            raise AssertionError(f"not within {limit} s: {what}\n{self.all('body')[0].text[:1500]}\n{self.hear()}") from None

    def _wait(self, limit, is_so):
        # While one document follows another, what was found may be gone in more than one way.
        WebDriverWait(self.driver, limit, 0.05, [WebDriverException]).until(lambda _: is_so())

    def field(self, label, within=""):
        """The field with a label."""
        return self._the(f"{within}//label[normalize-space()={quoted(label)}]/following::*[self::input or self::select or self::textarea][1]")

    def box(self, label):
        """The box to tick with a label around it."""
        return self._the(f"//label[normalize-space()={quoted(label)}]//input")

    def type(self, label, text, within=""):
        field = self.field(label, within)
        if field.get_attribute("type") in ("date", "time"):
            # How these are typed depends on the system's language: this is what the field gets from it.
            self.driver.execute_script("arguments[0].value = arguments[1]", field, text)
        elif field.tag_name == "select":
            field.find_element(By.XPATH, f".//option[starts-with(normalize-space(), {quoted(text)})]").click()
        else:
            field.clear()
            field.send_keys(text)

    def press(self, name, within=""):
        """A button or a link, by its name: what stands on it, or what is read out for it."""
        named = f"@aria-label={quoted(name)} or not(@aria-label) and normalize-space()={quoted(name)}"
        path = f"{within}//*[self::button or self::a or self::summary or self::label][{named}]"
        self._the(path)
        # Once more, if the view drew it again between looking for it and pressing it, or something still moves over it.
        again = (StaleElementReferenceException, ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException)
        try:
            WebDriverWait(self.driver, PATIENCE, 0.05, again).until(lambda _: self.driver.find_element(By.XPATH, path).click() is None)
        except TimeoutException:
            raise AssertionError(f"{name} cannot be pressed\n{self.all('body')[0].text[:1500]}\n{self.hear()}") from None

    def follow(self, part):
        """Follows the first link whose address has this part."""
        self._the(f"//a[contains(@href, {quoted(part)})]").click()

    def _the(self, path):
        self._wait_for(path)
        return self.driver.find_element(By.XPATH, path)

    def _wait_for(self, path):
        def is_shown():
            return any(one.is_displayed() for one in self.driver.find_elements(By.XPATH, path))
        self.wait(f"there is {path}", is_shown)

    def keys(self, *keys):
        """Presses keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    @property
    def focus(self):
        """What has the focus: what is read out for it."""
        return self.run("const e = document.activeElement; return e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent")

    def saves_to(self, folder):
        """Where the browser puts what it saves, without asking."""
        self._tell("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))

    # What a test asks besides

    def tree(self):
        """What a screen reader is told: role and name of everything, in order."""
        nodes = self._tell("Accessibility.getFullAXTree")["nodes"]
        told = [(node.get("role", {}).get("value"), node.get("name", {}).get("value", "")) for node in nodes if not node.get("ignored")]
        return [(role, name) for role, name in told if role not in ("none", "generic", "InlineTextBox", "StaticText")]

    def tells(self, *expected):
        """Fails unless a screen reader is told all of this, each a role and a name. Returns everything that it is told."""
        tree = self.tree()
        for told in expected:
            assert told in tree, f"{told} is not told: {tree}"
        return tree

    def allow_notifications(self, address):
        """What a person says to the browser's own question, which no test can press."""
        self._tell("Browser.grantPermissions", origin=address, permissions=["notifications"])

    def on_new_pages(self, script):
        """Runs a script in each page before its own, from the next one on. What it returns ends that."""
        made = self._tell("Page.addScriptToEvaluateOnNewDocument", source=script)
        return lambda: self._tell("Page.removeScriptToEvaluateOnNewDocument", identifier=made["identifier"])

    @contextlib.contextmanager
    def debugging(self, kind, address):
        """What can be asked of a part of the browser, by its own debugger: the page at an address, or its service worker. A browser that
        has seen the page at several addresses has several of these."""
        place = self.driver.capabilities["goog:chromeOptions"]["debuggerAddress"]
        with urllib.request.urlopen(f"http://{place}/json/list", timeout=PATIENCE) as answer:
            found = next(one for one in json.load(answer) if one["type"] == kind and one["url"].startswith(f"{address}/"))
        with contextlib.closing(websocket.create_connection(
                found["webSocketDebuggerUrl"], timeout=PATIENCE, suppress_origin=True)) as connection:
            yield Debugger(connection)

    def run(self, script, *arguments):
        return self.driver.execute_script(script, *arguments)

    def hear(self):
        """The browser's complaints since the last time, which are kept, too."""
        heard = [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] in ("SEVERE", "WARNING")]
        self.complaints += heard
        return heard

    def unsaid(self):
        """The complaints that were neither forgiven nor given here before."""
        self.hear()
        unsaid = [one for one in self.complaints if one not in self.said]
        self.said += unsaid
        return unsaid

    def mark(self):
        """From here on, a test brings about complaints itself."""
        self.hear()
        self.marked = len(self.complaints)

    def forgive(self, part):
        """Forgets complaints that a test has brought about itself since it has set a mark."""
        self.hear()
        self.complaints[self.marked:] = [one for one in self.complaints[self.marked:] if part not in one]

    @contextlib.contextmanager
    def replying(self, change):
        """Meanwhile, the page reads of its messages what a function in JavaScript makes of them."""
        self.run(f"""
            const {{ parse }} = JSON, change = {change};
            window.realParse = parse;
            JSON.parse = (...text) => change(parse(...text));
        """)
        yield
        self.run("JSON.parse = window.realParse ?? JSON.parse")

    def findings(self):
        """What axe-core finds at the view that is shown."""
        # As a file of the page's own could not: by the debugger, which no policy stops.
        if not self.run("return 'axe' in window"):
            self._tell("Runtime.evaluate", expression=self.axe)
        done = self._tell("Runtime.evaluate", expression="axe.run(document, {resultTypes: ['violations']})"
                          ".then((r) => JSON.stringify(r.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 160) + ' ' + n.failureSummary)])))",
                          awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"axe-core: {done['exceptionDetails']}")
        return json.loads(done["result"]["value"])

    def is_too_wide(self):
        """Whether the page can be scrolled sideways."""
        return self.run("return document.documentElement.scrollWidth > document.documentElement.clientWidth")

    def picture(self, path, is_whole=False):
        """A picture of what is shown, or of the whole page with what can be scrolled to: a PNG, or a small WebP where that is the name's end."""
        path = Path(path)
        path.parent.mkdir(parents=True, exist_ok=True)
        options = {"quality": 80} if path.suffix == ".webp" else {}
        if is_whole:
            size = self._tell("Page.getLayoutMetrics")["cssContentSize"]
            # Chromium cannot draw pictures that are very high.
            options |= {"captureBeyondViewport": True, "clip": size | {"height": min(size["height"], 4_000), "scale": 1}}
        taken = self._tell("Page.captureScreenshot", format=path.suffix[1:], **options)
        path.write_bytes(base64.b64decode(taken["data"]))

    def hide_scrollbars(self):
        self._tell("Emulation.setScrollbarsHidden", hidden=True)

    def trust_any_certificate(self, is_so):
        self._tell("Security.setIgnoreCertificateErrors", ignore=is_so)

    def weigh(self):
        """What the page holds when nothing is left that could go: bytes, nodes and listeners."""
        # What a node holds goes only after the node.
        for _ in range(3):
            self._tell("HeapProfiler.collectGarbage")
        self._tell("Performance.enable")
        metrics = {one["name"]: one["value"] for one in self._tell("Performance.getMetrics")["metrics"]}
        return {"bytes": int(metrics["JSHeapUsedSize"]), "nodes": int(metrics["Nodes"]), "listeners": int(metrics["JSEventListeners"])}

    @contextlib.contextmanager
    def time(self, what, limit):
        """Fails if something takes longer than a limit, in seconds."""
        began = time.monotonic()
        yield
        took = time.monotonic() - began
        if took > limit:
            raise AssertionError(f"{what}: {took:.2f} s, where {limit} s are allowed")


class Debugger:
    """A connection to Chromium's debugger."""

    def __init__(self, connection):
        self.connection, self.asked, self.events = connection, 0, []

    def ask(self, method, **parameters):
        self.asked += 1
        self.connection.send(json.dumps({"id": self.asked, "method": method, "params": parameters}))
        while (said := json.loads(self.connection.recv())).get("id") != self.asked:
            self.events.append(said)
        if "error" in said:
            raise RuntimeError(f"{method}: {said['error']}")
        return said["result"]

    def told(self, method, read):
        """Waits for an event of which something can be read, which may have come already."""
        while not (found := [said for one in self.events if one["method"] == method and (said := read(one["params"]))]):
            self.events.append(json.loads(self.connection.recv()))
        return found[0]


def quoted(text):
    """A text as XPath spells it."""
    return f'"{text}"' if '"' not in text else "concat(" + ", '\"', ".join(f'"{part}"' for part in text.split('"')) + ")"
