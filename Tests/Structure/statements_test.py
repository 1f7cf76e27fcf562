"""Statements that are made up, each with one thing that statements.py has to find, or must not mistake for one.

    python3 -B -m unittest Tests/Structure/statements_test.py
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().with_name("statements.py")
sys.path.insert(0, str(SCRIPT.parent))
import statements  # noqa: E402

QUOTES = '"' * 3


class Statements(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package = pathlib.Path(folder.name)

    def wrong(self, code, path="Sources/Consumer/Records/Rows.swift"):
        file = self.package / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(code, encoding="utf-8")
        return statements.judge(self.package)

    def assertFinds(self, sql, words, line=1):
        """That exactly one thing is wrong with a statement."""
        found = self.wrong(f'let sql = "{sql}"\n')
        self.assertEqual(len(found), 1, found)
        self.assertIn(words, found[0])
        self.assertTrue(found[0].startswith(f"Sources/Consumer/Records/Rows.swift:{line}: "), found)

    def assertGood(self, *statements_):
        for sql in statements_:
            self.assertEqual(self.wrong(f'let sql = "{sql}"\n'), [])

    def test_says_nothing_of_good_statements(self):
        self.assertGood(
            "SELECT a, b FROM t WHERE a = ? AND (b, c) > (?, ?) ORDER BY a, b LIMIT ? OFFSET ?",
            "INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET b = excluded.b + t.b",
            "INSERT INTO t (a, b) VALUES (?, ?) ON CONFLICT (a) DO NOTHING",
            "INSERT INTO t (a) VALUES (?) RETURNING number",
            "UPDATE t SET a = ?1 WHERE b = ?2 AND a < ?1",
            "DELETE FROM t WHERE (a, b) IN (SELECT a, b FROM t WHERE c = ?1 LIMIT ?2)",
            "SELECT count(*), max(a), coalesce(min(b), 0) FROM t WHERE person = ?",
            "SELECT kind, sum(t.number) FROM t JOIN s ON s.number = t.s GROUP BY kind",
            "SELECT a FROM t AS one WHERE b = (SELECT max(b) FROM t WHERE a = one.a)",
            "SELECT min(low) AS l FROM (SELECT min(day) AS low FROM days UNION ALL SELECT min(hour) / 24 FROM hours) AS kept",
            "SELECT CASE WHEN a > ? THEN a ELSE 0 END AS greater FROM t WHERE name IN ('user', 'LIMIT -1', 'max(a, b)')",
            "SELECT a FROM t WHERE until_ms IS NULL")

    def test_says_nothing_of_what_is_no_sql(self):
        self.assertGood("choose one of --user and --email: delete nothing", "where and when a user is told", "max(a, b)", "no more than the LIMITS")

    def test_finds_what_replaces_or_ignores(self):
        for verb in ["INSERT OR REPLACE", "INSERT OR IGNORE"]:
            self.assertFinds(f"{verb} INTO t (a) VALUES (?)", "ON CONFLICT (columns)")
        self.assertFinds("REPLACE INTO t (a) VALUES (?)", "ON CONFLICT (columns)")

    def test_finds_a_conflict_without_its_columns(self):
        for rest in ["DO NOTHING", "DO UPDATE SET a = excluded.a"]:
            self.assertFinds(f"INSERT INTO t (a) VALUES (?) ON CONFLICT {rest}", "name the columns")

    def test_finds_a_column_of_no_row_in_particular(self):
        self.assertFinds("INSERT INTO t (a, n) VALUES (?, ?) ON CONFLICT (a) DO UPDATE SET n = n + excluded.n", "say of which row")

    def test_finds_limits_below_zero_and_with_commas(self):
        self.assertFinds("SELECT a FROM t ORDER BY a LIMIT -1 OFFSET ?", "not negative")
        self.assertFinds("SELECT a FROM t ORDER BY a LIMIT ?, ?", "LIMIT … OFFSET …")

    def test_finds_the_greater_of_two(self):
        for call in ["max(a, ?)", "min(0, min(a))", "max(a, (SELECT b FROM s))"]:
            self.assertFinds(f"UPDATE t SET a = {call} WHERE b = ?", "with several values")

    def test_finds_functions_of_sqlites(self):
        self.assertFinds("UPDATE t SET a = iif(b = ?, 1, 0)", "CASE")
        self.assertFinds("SELECT ifnull(a, 0) AS a FROM t", "coalesce")
        self.assertFinds("UPDATE t SET a = randomblob(16)", "a function of SQLite's")

    def test_finds_the_name_of_an_index(self):
        self.assertFinds("SELECT a FROM t INDEXED BY some WHERE a = ?", "no statement names an index")

    def test_finds_row_ids(self):
        for name in ["rowid", "oid", "_rowid_"]:
            self.assertFinds(f"DELETE FROM t WHERE {name} = ?", "the column of the key")
        self.assertIn("RETURNING", self.wrong("return database.lastInsertedRow\n")[0])

    def test_finds_columns_that_are_read_by_their_numbers(self):
        for call in ["row.int(0)", "$0.textIfPresent(12)", "found.blob(3)", "row.isNull(1)"]:
            self.assertIn("by its name", self.wrong(f"number = try {call}\n")[0])
        self.assertEqual(self.wrong('number = try row.int("number") // row.int(0)\nlet other = Value.integer(3)\nlet n = Row.int\n'), [])

    def test_finds_words_of_sql_elsewhere(self):
        for name in ["user", "window"]:
            self.assertFinds(f"SELECT a FROM t WHERE {name} = ?", "person, slot")

    def test_finds_a_bare_column_beside_an_aggregate(self):
        self.assertFinds("SELECT person, made_ms, max(version) FROM secrets GROUP BY person", "made_ms: a bare column")
        self.assertFinds("SELECT a, count(*) FROM t", "a: a bare column")
        self.assertFinds("SELECT x FROM (SELECT max(b) AS x, c FROM t) AS u", "c: a bare column")
        self.assertFinds("SELECT a, b FROM t GROUP BY a", "b: a bare column")
        self.assertFinds("SELECT \\(columns), max(a) FROM t", "a bare column")

    def test_finds_numbers_beside_question_marks(self):
        self.assertFinds("SELECT a FROM t WHERE a = ?1 AND b = ?", "number all of them, or none")

    def test_finds_a_parameter_without_a_type(self):
        self.assertFinds("SELECT a FROM t WHERE (? IS NULL OR a < 3)", "has no type")
        self.assertIn("has no type", self.wrong('let condition = who == nil ? "?1 IS NULL" : "person = ?1"\n')[0])

    def test_finds_a_query_without_a_name(self):
        self.assertFinds("SELECT a FROM (SELECT a FROM t) WHERE a = ?", "name it with AS")

    def test_finds_all_columns_and_quoted_names(self):
        self.assertFinds("SELECT * FROM t WHERE a = ?", "name the columns")
        self.assertFinds("SELECT `a` FROM t WHERE a = ?", "not quoted")

    def test_finds_what_is_the_drivers(self):
        self.assertFinds("PRAGMA user_version", "a PRAGMA is Storage's")
        self.assertFinds("SELECT name FROM sqlite_schema", "a name of SQLite's own")
        self.assertFinds("BEGIN IMMEDIATE", "transaction")
        self.assertGood("SELECT a FROM t")
        found = self.wrong('let sql = "PRAGMA page_count"\n', "Sources/Gateway/vitals-gateway/Room.swift")
        self.assertEqual(len(found), 1, found)

    def test_finds_changes_of_the_schema(self):
        self.assertFinds("CREATE INDEX some ON t (a)", "migrations only")

    def test_finds_statements_in_small_letters(self):
        self.assertFinds("select a from t", "capitals")

    def test_looks_into_interpolations_and_at_what_they_stand_for(self):
        found = self.wrong('let sql = "SELECT a FROM t WHERE \\(all ? "a == ?" : "a IN (SELECT b FROM s LIMIT -1)")"\n')
        self.assertEqual(len(found), 1, found)
        self.assertIn("not negative", found[0])
        found = self.wrong('static let columns = "a, user"\nlet one = "SELECT \\(Self.columns) FROM t WHERE a = ?"\n')
        self.assertEqual(len(found), 1, found)
        self.assertIn("Rows.swift:2: user", found[0])
        self.assertIn("with several values", self.wrong('let sql = "UPDATE t SET a = max(\\(one), \\(other))"\n')[0])

    def test_looks_at_texts_over_several_lines_and_says_where_they_begin(self):
        found = self.wrong(f"// One.\n\nlet sql = {QUOTES}\n    SELECT a FROM t\n    ORDER BY a LIMIT -1\n    {QUOTES}\nlet other = \"SELECT a FROM t LIMIT 1\"\n")
        self.assertEqual(len(found), 1, found)
        self.assertTrue(found[0].startswith("Sources/Consumer/Records/Rows.swift:3: LIMIT -"), found)

    def test_leaves_comments_alone(self):
        self.assertEqual(self.wrong('// "SELECT * FROM t"\n/* "PRAGMA user_version" */\nlet sql = "SELECT a FROM t" // "LIMIT -1"\n'), [])

    def test_leaves_migrations_the_outbox_and_storage_alone(self):
        step = f'[\n    Migration(\n        "store/1", number: 1,\n        {QUOTES}\n        CREATE TABLE t (user TEXT) STRICT;\n        {QUOTES}),\n'
        later = f'    Migration("store/2", "ALTER TABLE t RENAME COLUMN user TO person"),\n]\n'
        self.assertEqual(self.wrong(step + later), [])
        self.assertEqual(self.wrong('let sql = "INSERT OR REPLACE INTO t (a) VALUES (?)"\n', "Sources/Gateway/vitals-gateway/Outbox/Rows.swift"), [])
        self.assertEqual(self.wrong('let sql = "PRAGMA user_version"\n', "Sources/Plumbing/Storage/Database.swift"), [])

    def test_does_not_take_what_follows_a_migration_for_one(self):
        code = 'let steps = [Migration("store/1", "CREATE TABLE t (a TEXT)")]\nlet sql = "CREATE TABLE u (a TEXT)"\n'
        self.assertEqual(len(self.wrong(code)), 1)

    def test_the_script_ends_with_what_it_found(self):
        self.wrong('let sql = "SELECT a FROM t LIMIT -1"\n')
        run = [sys.executable, "-B", str(SCRIPT), "--package", str(self.package)]
        ended = subprocess.run(run, capture_output=True, text=True, check=False)
        self.assertEqual(ended.returncode, 1, ended.stderr)
        self.assertIn("not negative", ended.stdout)
        self.wrong('let sql = "SELECT a FROM t LIMIT 1"\n')
        ended = subprocess.run(run, capture_output=True, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stdout.strip()), (0, ""), ended.stderr)


if __name__ == "__main__":
    unittest.main()
