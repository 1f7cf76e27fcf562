"""What the page shows of days, in a real Chromium. The rig figures (Tests/Rigs/figures.py) calls it, and has the broker, the service
and the page's server. It reads one object from its input:

    {"address": "http://…", "email": "…", "password": "…", "ahead": 1234, "views": ["#/days/2027-03-22", …]}

`ahead` is by how many milliseconds the service's clock is ahead of this machine's: so is the page's. For each view it prints a line: figures by
their labels, under the headings of their cards, such as {"The day": {"Steps": "8,120", "Distance": "6.31km"}}; under "" is what a chart of
heart rates says of all of it.
"""

import contextlib
import json
import sys
import tempfile

from browser import Browser

#: The page's clock.
CLOCK = """{
    const Real = Date, ahead = %d;
    globalThis.Date = class extends Real {
        constructor(...parts) { if (parts.length > 0) super(...parts); else super(Real.now() + ahead); }
        static now() { return Real.now() + ahead; }
    };
}"""
#: What is there is of the view before.
AGES = "for (const one of document.querySelectorAll('main *')) one.dataset.old = ''"
IS_SHOWN = "return document.querySelector('main .facts:not([data-old]), main .empty:not([data-old]), main .readout:not([data-old]) b') !== null"
FIGURES = """
    const found = {};
    for (const list of document.querySelectorAll('main .facts:not([data-old])')) {
        const heading = list.closest(':has(h2)').querySelector('h2').textContent;
        for (const one of list.children)
            (found[heading] ??= {})[one.querySelector('dt').textContent] = one.querySelector('dd').textContent;
    }
    const all = document.querySelector('main .readout:not([data-old])');
    if (all) (found[''] ??= {})[''] = [...all.children].map((one) => one.textContent).join(' ');
    return found;
"""


def main():
    asked = json.load(sys.stdin)
    with tempfile.TemporaryDirectory() as folder, contextlib.closing(Browser(folder)) as page:
        page.on_new_pages(CLOCK % asked["ahead"])
        page.open(asked["address"])
        page.see("Sign in")
        page.type("E-mail or phone number", asked["email"])
        page.type("Password", asked["password"])
        page.press("Sign in", "//form")
        page.wait("they are signed in", lambda: page.all("a[href='#/days']"))
        for view in asked["views"]:
            page.run(AGES)
            page.run("location.hash = arguments[0]", view)
            page.wait(f"{view} is shown", lambda: page.run(IS_SHOWN))
            print(json.dumps(page.run(FIGURES)), flush=True)


main()
