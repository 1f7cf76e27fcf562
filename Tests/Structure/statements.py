#!/usr/bin/env python3
"""Shows whether every SQL statement of the consumer is one that more than one database understands. It ends with 1, and says why, if not.

    Tests/Structure/statements.py                  judges this package
    Tests/Structure/statements.py --list           prints every text that it takes for SQL, with its place
    Tests/Structure/statements.py --package PATH   judges another package

What the consumer keeps is to be kept by another database one day, by a second target like Storage, without a change to any statement. So
statements keep to what both have; what they may not have, and what to write instead, is in RULES below.

PRAGMAs, names of SQLite's own, and what is done to a database as a whole are Storage's, for the gateway and for everybody else, too. For
the rest, the gateway's outbox is left out: it is a small database of one process on a small machine, and SQLite for good. So are
migrations: the types and clauses of tables are what a driver has to translate, once.

The sources are read as text: every string literal is looked at, also pieces of statements. An interpolated name stands for what the same
file says it is (`let columns = "…"`), or else for one name that is not known. So what is put together of several pieces is judged piece by
piece; what only shows when it is run, such as a limit of -1 that is bound, is not seen.

Parameters are `?`, or all numbered (`?1`), which lets one be used twice. They have the types of the values that are bound, which a driver
knows: an integer, a real, a text or bytes. Only NULL has none. It gets its type from the column that it is compared with or put into, so
no statement asks whether a parameter is NULL, and whoever builds the statement leaves that condition out.
"""

import argparse
import dataclasses
import pathlib
import re
import sys

#: What an interpolation stands for that the file does not explain.
UNKNOWN = "unknown_0"

#: Only these may look at SQLite itself.
DRIVER = "Sources/Plumbing/Storage/"
#: Whose statements keep to the subset.
NEUTRAL = "Sources/Consumer/"

_SQL = re.compile(
    r"\?\d*\s+IS\s+(?:NOT\s+)?NULL|\b(?:SELECT|INSERT\s+(?:OR\s+\w+\s+)?INTO|REPLACE\s+INTO|UPDATE\s+[\w\"]+\s+SET|DELETE\s+FROM|VALUES|WHERE|GROUP\s+BY|ORDER\s+BY|LIMIT"
    r"|ON\s+CONFLICT|RETURNING|PRAGMA|VACUUM|ANALYZE|REINDEX|ATTACH|INDEXED\s+BY|(?:CREATE|DROP|ALTER)\s+(?:\w+\s+)?(?:TABLE|INDEX|TRIGGER|VIEW))\b")
_SMALL = re.compile(
    r"^\s*(?:select\s[^.:;]+\sfrom\s+\w+|insert\s+(?:or\s+\w+\s+)?into\s+\w+|update\s+\w+\s+set\s+\w+\s*=|delete\s+from\s+\w+\s*(?:where\b|$)"
    r"|pragma\s+\w+)", re.I)
_AGGREGATE = re.compile(r"\b(?:count|sum|avg|min|max|total|group_concat|string_agg)\s*\(", re.I)
_WORDS = frozenset("""
    ALL AND AS ASC BETWEEN BY CASE CAST COALESCE CONFLICT DESC DISTINCT DO ELSE END ESCAPE EXCLUDED EXISTS FALSE FROM GROUP HAVING IN INTEGER IS
    LIKE LIMIT NOT NULL OFFSET ON OR ORDER SELECT SET TEXT BLOB REAL THEN TRUE UNION UPDATE VALUES WHEN WHERE NOTHING INTO RETURNING WITH JOIN
    """.split())

#: For every statement that is not a migration: what to look for, and what is wrong with it.
RULES = [
    (r"\bOR\s+(?:REPLACE|IGNORE|ABORT|FAIL|ROLLBACK)\b|\bREPLACE\s+INTO\b", "write INSERT … ON CONFLICT (columns) DO UPDATE or DO NOTHING"),
    (r"\bON\s+CONFLICT\b(?!\s*\()", "name the columns of the conflict: ON CONFLICT (columns)"),
    (r"\bLIMIT\s+-", "a limit is not negative: leave it out, or write the greatest integer"),
    (r"\bLIMIT\s+[?\w]+\s*,", "write LIMIT … OFFSET …"),
    (r"\biif\s*\(", "write CASE WHEN … THEN … ELSE … END"),
    (r"\bifnull\s*\(", "write coalesce"),
    (r"\b(?:NOT\s+)?INDEXED(?:\s+BY)?\b", "no statement names an index"),
    (r"\b(?:rowid|_rowid_|oid)\b", "name the column of the key, or use RETURNING"),
    (r"\b(?:user|window)\b(?!\s*\()", "is a word of SQL elsewhere: person, slot"),
    (r"==", "write ="),
    (r"\bGLOB\b|\bREGEXP\b|\bMATCH\b", "is SQLite's"),
    (r"\b(?:randomblob|zeroblob|typeof|quote|strftime|julianday|unixepoch|group_concat|total|last_insert_rowid|changes|char|hex|unhex|printf|instr)\s*\(",
     "is a function of SQLite's"),
    (r"[\"`\[]", "names are not quoted"),
    (r"\bSELECT\s+(?:DISTINCT\s+)?(?:\w+\.)?\*|,\s*\w+\.\*", "name the columns: rows are read by them"),
    (r"\?\d*\s+IS\s+(?:NOT\s+)?NULL\b", "a parameter that is NULL has no type: leave the condition out"),
    (r"[:@$][A-Za-z_]\w*", "parameters are ? or numbered"),
    (r"\b(?:CREATE|DROP|ALTER|REINDEX|ANALYZE|ATTACH)\b", "the schema changes in migrations only"),
]

#: For every text outside of Storage.
DRIVERS_RULES = [
    (r"\bPRAGMA\b|\bpragma_\w+", "a PRAGMA is Storage's"),
    (r"\bsqlite_\w+", "a name of SQLite's own is Storage's"),
    (r"\bVACUUM\b", "to vacuum is Storage's"),
    (r"^\s*(?:BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE)(?:\s+(?:DEFERRED|IMMEDIATE|EXCLUSIVE|TRANSACTION|TO|\w+))*\s*;?\s*$", "a transaction is Storage's: see Database.transaction"),
]


@dataclasses.dataclass(frozen=True)
class Literal:
    """A string literal of Swift, with a name in place of each interpolation."""

    line: int
    text: str
    #: The code between it and the literal before.
    before: str
    #: Whether it is the second literal of `Migration("name", …)`.
    is_migration: bool = False


def _interpolation(text: str, at: int, hashes: str) -> int:
    """Where the parenthesis ends that opens before `at`."""
    depth = 1
    while at < len(text) and depth:
        if text[at] == '"':
            at = _end(text, at, "")
            continue
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        at += 1
    return at


def _end(text: str, at: int, hashes: str) -> int:
    """Where the literal ends that opens at `at`."""
    quote = '"""' if text.startswith('"""', at) else '"'
    at += len(quote)
    while at < len(text):
        if text.startswith(quote + hashes, at):
            return at + len(quote + hashes)
        if text.startswith("\\" + hashes, at):
            at += 1 + len(hashes)
            at = _interpolation(text, at + 1, hashes) if text.startswith("(", at) else at + 1
            continue
        if quote == '"' and text[at] == "\n":
            return at
        at += 1
    return at


def literals_of(text: str) -> list[Literal]:
    """Every literal, those within interpolations, too."""
    found: list[Literal] = []
    named: dict[str, str] = {}
    _scan(text, 0, len(text), found, named)
    # A name may be explained after it is used.
    found = [dataclasses.replace(each, text=_resolved(each.text, named)) for each in found]
    for at in range(1, len(found)):
        if re.search(r"\bMigration\(\s*$", found[at - 1].before) and re.fullmatch(r"\s*,\s*(?:number:\s*\d+\s*,\s*)?", found[at].before):
            found[at] = dataclasses.replace(found[at], is_migration=True)
    return found


_MARK = re.compile("\x01([^\x02]*)\x02")


def _resolved(text: str, named: dict[str, str]) -> str:
    for _ in range(4):
        text = _MARK.sub(lambda mark: named.get(mark[1].rsplit(".", 1)[-1].strip(), UNKNOWN), text)
    return _MARK.sub(UNKNOWN, text)


def _scan(text: str, at: int, end: int, found: list[Literal], named: dict[str, str]) -> None:
    last = at
    while at < end:
        if text.startswith("//", at):
            at = text.find("\n", at) % (end + 1)
            continue
        if text.startswith("/*", at):
            at = (text.find("*/", at) + 2) or end
            continue
        opening = re.compile(r'(#*)(?="""|")').match(text, at)
        if not opening or (opening[1] == "" and text[at] != '"'):
            at += 1
            continue
        start = opening.end()
        stop = _end(text, start, opening[1])
        quote = '"""' if text.startswith('"""', start) else '"'
        body = text[start + len(quote):stop - len(quote + opening[1])]
        words, position = [], 0
        while position < len(body):
            if body.startswith("\\" + opening[1], position):
                inner = position + 1 + len(opening[1])
                if body.startswith("(", inner):
                    close = _interpolation(body, inner + 1, opening[1])
                    inside = body[inner + 1:close - 1]
                    base = start + len(quote) + inner + 1
                    _scan(text, base, base + len(inside), found, named)
                    words.append(f"\x01{inside}\x02")
                    position = close
                else:
                    words.append({"n": "\n", "t": "\t", "\n": " "}.get(body[inner:inner + 1], body[inner:inner + 1]))
                    position = inner + 1
                continue
            words.append(body[position])
            position += 1
        before = text[max(last, start - 400):start]
        literal = Literal(text.count("\n", 0, start) + 1, "".join(words), before)
        found.append(literal)
        if name := re.search(r"\b(?:let|var)\s+(\w+)(?:\s*:\s*String)?\s*=\s*(?:\w+\s*\()?\s*#*$", before):
            named.setdefault(name[1], literal.text)
        last = at = max(stop, at + 1)


def is_sql(text: str) -> bool:
    return _SQL.search(text) is not None or _SMALL.match(text) is not None


def _without_strings(sql: str) -> str:
    return re.sub(r"'(?:[^']|'')*'", "'…'", re.sub(r"--[^\n]*", "", sql))


def _close(sql: str, opening: int) -> int:
    depth = 0
    for at in range(opening, len(sql)):
        depth += {"(": 1, ")": -1}.get(sql[at], 0)
        if depth == 0:
            return at
    return len(sql)


def _commas(sql: str) -> list[str]:
    parts, depth, begin = [], 0, 0
    for at, letter in enumerate(sql):
        depth += {"(": 1, ")": -1}.get(letter, 0)
        if letter == "," and depth == 0:
            parts.append(sql[begin:at])
            begin = at + 1
    return parts + [sql[begin:]]


def _without_queries(sql: str) -> str:
    """The same without queries in parentheses."""
    while inner := re.search(r"\(\s*SELECT\b", sql, re.I):
        sql = sql[:inner.start()] + "'…'" + sql[_close(sql, inner.start()) + 1:]
    return sql


def _columns(expression: str) -> set[str]:
    """The names in an expression that are neither words of SQL nor functions, without what functions are applied to if they aggregate."""
    while found := _AGGREGATE.search(expression):
        expression = expression[:found.start()] + "'…'" + expression[_close(expression, found.end() - 1) + 1:]
    expression = re.sub(r"\bAS\s+\w+\s*$", "", expression.strip(), flags=re.I)
    names = re.findall(r"(?<![\w.?'])([A-Za-z_][\w.]*)(?!\s*\()(?![\w.])", expression)
    return {name for name in names if name.upper() not in _WORDS and name != UNKNOWN}


def _selections(sql: str) -> list[tuple[str, str]]:
    """What each SELECT selects, and what it groups by."""
    found = []
    for select in re.finditer(r"\bSELECT\b(?:\s+DISTINCT\b)?", sql, re.I):
        rest, depth = sql[select.end():], 0
        # Up to the parenthesis that closes around it.
        for at, letter in enumerate(rest):
            depth += {"(": 1, ")": -1}.get(letter, 0)
            if depth < 0:
                rest = rest[:at]
                break
        rest = re.split(r"\bUNION\b", _without_queries(rest), flags=re.I)[0]
        items = re.split(r"\b(?:FROM|WHERE|GROUP\s+BY|ORDER\s+BY|LIMIT)\b", rest, flags=re.I)[0]
        groups = re.search(r"\bGROUP\s+BY\b(.*?)(?:\bHAVING\b|\bORDER\b|\bLIMIT\b|$)", rest, re.I | re.S)
        found.append((items, groups[1] if groups else ""))
    return found


def judge_statement(sql: str, is_drivers_alone: bool = False) -> list[str]:
    """What is wrong with a statement, or a piece of one."""
    sql = _without_strings(sql)
    wrong = [f"{found[0].strip()}: {why}" for rule, why in DRIVERS_RULES if (found := re.search(rule, sql))]
    if is_drivers_alone:
        return wrong
    wrong += [f"{found[0].strip()}: {why}" for rule, why in RULES if (found := re.search(rule, sql, re.I))]
    for found in re.finditer(r"\b(?:min|max)\s*\(", sql, re.I):
        inside = sql[found.end():_close(sql, found.end() - 1)]
        if len(_commas(inside)) > 1:
            wrong.append(f"{found[0]}{inside}): with several values it is SQLite's: write CASE, or compare in Swift")
    if re.search(r"\?\d", sql) and re.search(r"\?(?!\d)", sql):
        wrong.append("? and ?1 in one statement: number all of them, or none")
    for items, groups in _selections(sql):
        parts = _commas(items)
        if any(re.match(rf"\s*{UNKNOWN}\s*\(", part) for part in parts) and len(parts) > 1:
            wrong.append("a function that is not known, beside columns")
        if not groups.strip() and not any(_AGGREGATE.search(part) for part in parts):
            continue
        bare = set().union(*map(_columns, parts)) - _columns(groups)
        # What is not known is a column, or several, where nothing else is beside it.
        bare |= {part.strip() for part in parts if part.strip() == UNKNOWN and UNKNOWN not in groups}
        if bare:
            wrong.append(f"{', '.join(sorted(bare))}: a bare column beside an aggregate, which is not grouped by")
    for found in re.finditer(r"\bFROM\s*\(", sql, re.I):
        close = _close(sql, found.end() - 1)
        if close < len(sql) and not re.match(r"\)\s*AS\s+\w", sql[close:], re.I):
            wrong.append("FROM (…): name it with AS")
    if update := re.search(r"\bDO\s+UPDATE\s+SET\b(.*?)(?:\bWHERE\b|\bRETURNING\b|$)", sql, re.I | re.S):
        for part in _commas(update[1]):
            bare = {name for name in _columns(part.partition("=")[2]) if "." not in name}
            if bare:
                wrong.append(f"{', '.join(sorted(bare))}: say of which row in DO UPDATE: the table's name or excluded")
    if _SMALL.match(sql) and not _SQL.search(sql):
        wrong.append("write SQL's words in capitals, so that statements are found")
    return wrong


def texts_of(package: pathlib.Path) -> list[tuple[str, Literal]]:
    """Every text of the sources outside of Storage that looks like SQL, with its file."""
    found = []
    for path in sorted((package / "Sources").rglob("*.swift")):
        name = path.relative_to(package).as_posix()
        if name.startswith(DRIVER):
            continue
        for literal in literals_of(path.read_text(encoding="utf-8", errors="replace")):
            if is_sql(literal.text) or any(re.search(rule, literal.text) for rule, _ in DRIVERS_RULES):
                found.append((name, literal))
    return found


def judge(package: pathlib.Path) -> list[str]:
    wrong = []
    for name, literal in texts_of(package):
        if literal.is_migration:
            continue
        for why in judge_statement(literal.text, is_drivers_alone=not name.startswith(NEUTRAL)):
            wrong.append(f"{name}:{literal.line}: {why}\n    in: {' '.join(literal.text.split())[:200]}")
    for path in sorted((package / NEUTRAL).rglob("*.swift")):
        for at, line in enumerate(path.read_text(encoding="utf-8", errors="replace").splitlines(), 1):
            place = f"{path.relative_to(package).as_posix()}:{at}"
            if re.search(r"\blastInsertedRow\b", line.partition("//")[0]):
                wrong.append(f"{place}: lastInsertedRow: use RETURNING")
            if found := re.search(r"\.(?:int|real|text|blob|isNull)(?:IfPresent)?\(\d+\)", line.partition("//")[0]):
                wrong.append(f"{place}: {found[0]}: read the column by its name, or the only one by Row.int and so on")
    return wrong


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--package", type=pathlib.Path, default=pathlib.Path(__file__).resolve().parents[2], help="the folder of Package.swift")
    parser.add_argument("--list", action="store_true", help="print every text that is taken for SQL")
    words = parser.parse_args()
    if words.list:
        for name, literal in texts_of(words.package):
            kind = "migration" if literal.is_migration else "statement"
            print(f"{name}:{literal.line}: {kind}: {' '.join(literal.text.split())}")
        return 0
    wrong = judge(words.package)
    print(*wrong, sep="\n")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
