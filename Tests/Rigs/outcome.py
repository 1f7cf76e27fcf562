"""What a rig says when it is through: figures for the table, and whatever broke a promise, in words."""

import dataclasses


@dataclasses.dataclass
class Outcome:
    """One row of the table. All hold where the four counts are zero and there are no problems."""

    rig: str
    #: What was tried: kills, states, calls, messages.
    cases: int = 0
    #: Readings that a promise covered and that are not stored.
    lost: int = 0
    #: Readings that are stored more than once.
    duplicated: int = 0
    #: Databases that fail their checks, readings that were never sent, blocks that do not open.
    corrupt: int = 0
    #: Forgeries that were taken for genuine.
    forged: int = 0
    #: The longest time until everything worked again, in seconds; None where nothing had to recover.
    recovery: float | None = None
    #: Whatever else broke a promise: a line each.
    problems: list[str] = dataclasses.field(default_factory=list)
    #: Figures worth keeping: a line each.
    remarks: list[str] = dataclasses.field(default_factory=list)

    @property
    def holds(self) -> bool:
        return not (self.lost or self.duplicated or self.corrupt or self.forged or self.problems)
