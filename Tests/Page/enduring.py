"""Whether the page stays as small as it is: for an hour with twelve heart rates a second, and while somebody walks through its places."""

import time

#: Less than the differences between two looks.
NOISE = {"bytes": 300_000, "nodes": 200, "listeners": 50}
#: What an hour may add.
GROWTH = NOISE | {"bytes": 1_000_000}
#: The line has three minutes.
SETTLING = 200


def walks_about(trial):
    """Each place, again and again: what was there for it has to go with it."""
    page = trial.browser
    places = page.run("return [...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href')).filter((to) => to.startsWith('#/'))")
    assert len(places) > 2, places

    def walk(place, rounds):
        for to in [place, "#/you"] * rounds:
            page.run("location.hash = arguments[0]; return new Promise((done) => setTimeout(done, 200))", to)
        return settled(page)
    left = []
    for place in dict.fromkeys(places):
        # The browser translates what it runs often, which takes room, too.
        walk(place, 5)
        before, after = walk(place, 5), walk(place, 20)
        trial.notes.append(f"{place}, twenty times: {said(before)}, then {said(after)}")
        left += [f"{place} leaves {name} behind: {said(before)}, then {said(after)}" for name, noise in NOISE.items() if after[name] - before[name] > noise]
    assert not left, "\n".join(left)


def settled(page):
    """What the page holds when nothing goes any more: the last views stay until what they have asked for is answered."""
    weights = [page.weigh()]

    def is_still():
        time.sleep(2)
        weights.append(page.weigh())
        return weights[-1]["nodes"] == weights[-2]["nodes"]
    page.wait("nothing goes any more", is_still, 30)
    return weights[-1]


def lives_for(minutes):
    def lives_long(trial):
        """Heart rates at twelve a second, for so many minutes. The page is weighed every minute."""
        page, home = trial.browser, trial.home
        watcher = home.watcher()
        time.sleep(SETTLING)
        weights, heard, began = [], len(watcher.heard), time.monotonic()
        while True:
            weights.append(page.weigh())
            print(f"after {(time.monotonic() - began) / 60:.0f} minutes: {said(weights[-1])}", flush=True)
            if time.monotonic() - began > 60 * minutes - 30:
                break
            time.sleep(60)
            trial.sees_the_line_go_on()
        took = time.monotonic() - began
        rate = (len(watcher.heard) - heard) / took
        trial.notes.append(f"{took / 60:.0f} minutes at {rate:.1f} heart rates a second: {said(weights[0])}, then {said(weights[-1])}")
        assert rate > 11, f"the sensor tells only {rate:.1f} heart rates a second"
        # Between the means of the first and the last quarter, three quarters of the time have passed.
        quarter = max(1, len(weights) // 4)
        for name, limit in GROWTH.items():
            first, last = (sum(one[name] for one in some) / quarter for some in (weights[:quarter], weights[-quarter:]))
            growth = (last - first) * 3600 / (0.75 * took)
            assert growth <= limit, f"{name} grow by {growth:.0f} an hour"
    return lives_long


def said(weight):
    return f"{weight['bytes'] / 1e6:.2f} MB, {weight['nodes']} nodes, {weight['listeners']} listeners"
