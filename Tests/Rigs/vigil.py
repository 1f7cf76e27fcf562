"""Two guardians, and people whom they watch over; and what is to be kept account of: the positions that phones have said, the
alerts that are due, and what each guardian was told. For the rig of guardians, which says what is tried."""

import collections
import dataclasses
import threading
import time

from borders import AHEAD, Circle, Fix, crossings, is_clear
from family import ALERTS, CODE, Family
from wandering import RADIUS, Way

#: The dependents. Grace is the guardian of all of them, Hugo of some.
DEPENDENTS = ["runner", "rider", "wanderer", "owner", "home", "walker"]
HUGOS = ["owner", "home"]

#: How soon an alert has to be with the guardian's program, in seconds: what follows from a position, what follows from the clock
#: (which is looked at every five seconds), and what is due while programs are killed.
SOON, LOOKED, KILLED = 5, 12, 60


@dataclasses.dataclass
class Due:
    """An alert that a guardian has to be told once."""

    scenario: str
    guardian: str
    dependent: str
    kind: str
    #: Between which times it says that it was, in Unix milliseconds.
    times: tuple[int, int]
    #: From when on it was due, by the monotonic clock, and within how many seconds.
    since: float
    limit: float = SOON


@dataclasses.dataclass
class Watch:
    """An area that a guardian has set up."""

    scenario: str
    guardian: str
    dependent: str
    area: object
    #: What is told.
    kinds: tuple
    #: Since when, in Unix milliseconds, and in which positions of the dependent it is allowed.
    begin: int
    first: int
    last: int | None = None
    limit: float = SOON
    id: str = ""


@dataclasses.dataclass
class Said:
    """A position that a phone has said, and when the consumer could know it."""

    fix: Fix
    #: By the consumer's clock, in Unix milliseconds, and by the monotonic one.
    now: int
    at: float


class Vigil(Family):
    """Everybody, and the account that is kept."""

    def begin(self, dice, outcome):
        self.said: dict[str, list[Said]] = collections.defaultdict(list)
        self.watches: list[Watch] = []
        self.due: list[Due] = []
        #: Of each guardian, all notifications by their ids.
        self.listed = collections.defaultdict(dict)
        self.lock = threading.Lock()
        self.dice, self.outcome = dice, outcome
        self.people, self.phones = {}, {}
        self.numbers = {name: f"+49151{dice.randrange(10**7):07}{index}" for index, name in enumerate(DEPENDENTS)}
        self.grace = self.guardian("Grace", f"+49161{dice.randrange(10**7):07}")
        self.hugo = self.guardian("Hugo", f"+49161{dice.randrange(10**7):07}")
        self.each([lambda name=name: self.set_up(name) for name in DEPENDENTS])
        self.claim("strap", self.people["runner"])
        self.settle()

    def set_up(self, name):
        user = self.people[name] = self.sign_up(self.numbers[name])["user"]
        self.profile(user, name.capitalize())
        self.voice.data(user, "consent/set", {"record_location": True})
        self.phones[name] = self.phone(user, is_sealed=name != "rider")
        self.voice.data(user, "guardians/code", {"code": CODE})
        self.become(self.grace, name)
        if name in HUGOS:
            self.become(self.hugo, name)

    def become(self, guardian, name):
        reply = self.connect(guardian.user, self.numbers[name])
        if reply["status"] != "ok":
            raise RuntimeError(f"the right code of {name} did not connect: {reply}")
        self.allow(guardian, name, True)

    def allow(self, guardian, name, is_allowed):
        self.voice.data(self.people[name], "guardians/allow", {
            "guardian": guardian.user, "location": is_allowed, "motion": is_allowed, "heart_rate": is_allowed})

    def each(self, works):
        """Does all of these at once; a problem of one is a problem of the rig."""
        def attempt(work):
            try:
                work()
            except Exception as error:
                self.outcome.problems.append(f"{error!r}")

        threads = [threading.Thread(target=attempt, args=(work,)) for work in works]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def must(self, scenario, is_so, words):
        self.outcome.cases += 1
        if not is_so:
            self.outcome.problems.append(f"{scenario}: {words}")

    # What phones say

    def report(self, fix, **more):
        said = {"_type": "location", "lat": fix.place[0], "lon": fix.place[1], "tst": fix.time / 1000} | more
        if fix.time % 1000 == 0:
            said["tst"] = fix.time // 1000
        return said | ({} if fix.accuracy is None else {"acc": fix.accuracy})

    def say(self, phone, fix, **more):
        """A phone says where it is. What it may not say is not taken into account."""
        if fix.time <= self.now() + AHEAD:
            with self.lock:
                self.said[phone.owner].append(Said(fix, self.now(), time.monotonic()))
        phone.say(self.report(fix, **more))

    def go(self, phone, fixes, areas=(), are_certain=False):
        """A phone says all of this, but for what is in doubt. If consumers may be killed, each again until one has taken it."""
        clear = [fix for fix in fixes if is_clear(fix, areas)]
        for before, fix in zip([None, *clear], clear):
            # What comes in one batch is put in order: one that is late has to come after those that overtake it were taken.
            if before and fix.time < before.time:
                self.settle()
            if are_certain:
                with self.lock:
                    self.said[phone.owner].append(Said(fix, self.now(), time.monotonic()))
                self.surely(lambda fix=fix: phone.say(self.report(fix)))
                # Since then it is known.
                self.said[phone.owner][-1].at = time.monotonic()
            else:
                self.say(phone, fix)
        self.settle()

    # What guardians watch

    def watch(self, scenario, guardian, dependent, area, enter=True, limit=SOON, **more):
        fields = {"dependent": dependent, "name": area.name, "enter": enter} | area.fields | more
        kinds = ("left-area", "entered-area") if enter else ("left-area",)
        begin = self.now()
        id = self.voice.data(guardian, "areas/set", fields)["area"]
        made = Watch(scenario, guardian, dependent, area, kinds, begin, len(self.said[dependent]), limit=limit, id=id)
        self.watches.append(made)
        return made

    def expect(self, scenario, guardian, dependent, kind, times, limit=SOON):
        times = times if isinstance(times, tuple) else (times, times)
        self.due.append(Due(scenario, guardian, dependent, kind, times, time.monotonic(), limit))

    def expect_crossings(self):
        """The alerts that are due of all areas, by what the phones have said."""
        for watch in self.watches:
            said = self.said[watch.dependent]
            by = {}
            for index, one in enumerate(said):
                by.setdefault(id(one.fix), (index, one))
            for found in crossings([one.fix for one in said], watch.area):
                index, one = by[id(found.by)]
                is_watched = watch.first <= index and (watch.last is None or index < watch.last)
                if found.kind in watch.kinds and found.time >= watch.begin and is_watched:
                    # A crossing is never later than the consumer's clock.
                    times = (found.time, found.time) if found.time <= one.now else (one.now - 500, one.now + 5000)
                    self.due.append(Due(
                        watch.scenario, watch.guardian, watch.dependent, found.kind, times, one.at, watch.limit))

    def latest(self, user):
        """The latest time of which a phone of a person has said where it was, in Unix milliseconds."""
        return max((one.fix.time for one in self.said[user]), default=0)

    # What they were told

    def collect(self, guardian):
        for one in self.voice.notifications(guardian.user):
            self.listed[guardian.user][one["id"]] = one

    def judge(self, guardians, outcome):
        """Holds what each guardian was told against what was due. Returns the rows of the table."""
        rows = collections.defaultdict(lambda: [0, 0, 0, 0])
        for guardian in guardians:
            self.collect(guardian)
            alerts = [one for one in self.listed[guardian.user].values() if one["kind"] in ALERTS]
            due = [one for one in self.due if one.guardian == guardian.user]
            for one in due:
                rows[one.scenario][0] += 1
                fitting = [
                    told for told in alerts if (told["from"], told["kind"]) == (one.dependent, one.kind)
                    and one.times[0] <= told["time"] <= one.times[1]]
                if not fitting:
                    outcome.lost += 1
                    outcome.problems.append(f"{one.scenario}: {one.kind} of {one.times} was due, and nobody was told")
                    continue
                rows[one.scenario][1] += 1
                alerts.remove(fitting[0])
                came = guardian.told.get(fitting[0]["id"])
                if came is None or came - one.since > one.limit:
                    rows[one.scenario][3] += 1
                    outcome.problems.append(
                        f"{one.scenario}: {one.kind} of {one.times} came "
                        + ("only in the list" if came is None else f"after {came - one.since:.1f} s"))
            for told in alerts:
                scenario = self.scenario(told)
                rows[scenario][2] += 1
                outcome.duplicated += 1
                outcome.problems.append(f"{scenario}: {told['kind']} of {told['time']} was told, and not due: {told['text']}")
        outcome.cases += len(self.due)
        return dict(rows)

    def scenario(self, told):
        """To which scenario an alert belongs that was not due: by the name of the area."""
        fitting = [x.scenario for x in self.watches if x.dependent == told["from"] and f" {x.area.name} " in told["text"]]
        return fitting[0] if fitting else told["kind"]


def table(rows):
    head = ("scenario", "due", "told", "twice", "late")
    wide = max(map(len, [*rows, head[0]]))
    lines = [(name, *map(str, row)) for name, row in rows.items()]
    return [f"{line[0]:{wide}}  " + "  ".join(f"{cell:>5}" for cell in line[1:]) for line in [head, *lines]]


def circle(name, middle):
    return Circle(name, middle, RADIUS)


def way(dice, area, phone, start):
    return Way(dice, area.middle, phone.id, start)
