"""Packages that are made up, each with one thing that rooms.py has to find, or must not mistake for one.

    python3 -B -m unittest Tests/Structure/rooms_test.py
"""

import pathlib
import subprocess
import sys
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().with_name("rooms.py")
sys.path.insert(0, str(SCRIPT.parent))
import rooms  # noqa: E402

HEADING = """\
// Rows:
//
//   programs    Top/program
//   libraries   High   Side
//               Low
//   C           CThing
//
// That is all.
"""

#: What keeps every promise. Each test changes some of it.
GOOD = {
    "Package.swift": HEADING,
    "Sources/Top/program/main.swift": "import High\nEntry().run()\n",
    "Sources/Top/program/Parts/Entry.swift": "import Low\nstruct Entry { func run() {} }\n",
    "Sources/Libraries/High/High.swift": "public import Low\n",
    "Sources/Libraries/Side/Side.swift": "",
    "Sources/Libraries/Low/Low.swift": "internal import CThing\nimport Foundation\n",
    "Sources/C/CThing/module.modulemap": "",
}


class Rooms(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.package = pathlib.Path(folder.name)

    def write(self, files):
        for name, text in files.items():
            path = self.package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")

    def wrong(self, files, excused=None):
        self.write(GOOD | files)
        return rooms.judge(self.package, excused or {})[0]

    def folders(self, files):
        """What is wrong with the folders of a target that has these files besides."""
        return self.wrong({f"Sources/Top/program/{name}": text for name, text in files.items()})

    def test_says_nothing_of_a_good_package(self):
        self.assertEqual(self.wrong({}), [])

    def test_finds_a_circle_of_two_folders(self):
        self.assertEqual(
            self.folders({"A/One.swift": "struct One {\n    var other: Two?\n}\n", "B/Two.swift": "final class Two { let one: [One] = [] }\n"}),
            ["program: A, B form a circle", "    A uses Two of B in A/One.swift:2", "    B uses One of A in B/Two.swift:1"])

    def test_finds_a_circle_of_three_and_leaves_out_what_only_uses_it(self):
        found = self.folders({
            "A/A.swift": "struct AA { let b: BB }\n", "B/B.swift": "struct BB { let c: CC }\n", "C/C.swift": "enum CC { case a([AA]) }\n",
            "D/D.swift": "struct DD { let a: AA }\n"})
        self.assertEqual(found[0], "program: A, B, C form a circle")
        self.assertEqual(len(found), 4)

    def test_takes_the_root_for_a_folder(self):
        found = self.folders({"Settings.swift": "struct Settings {}\n", "Parts/Use.swift": "struct Use { let settings: Settings }\n"})
        self.assertEqual(found[0], "program: Parts, the root form a circle")
        self.assertIn("    the root uses Entry of Parts in main.swift:2", found)

    def test_takes_folders_in_folders_for_their_uppermost(self):
        self.assertEqual(self.folders({"A/Deep/One.swift": "struct One { let two: Two }\n", "A/Two.swift": "struct Two { let one: [One] }\n"}), [])

    def test_counts_an_extension_as_a_use(self):
        found = self.folders({"A/One.swift": "struct One { let two: Two }\n", "B/Two.swift": "struct Two {}\nextension One.Inner {}\n"})
        self.assertIn("    B uses One of A in B/Two.swift:2", found)

    def test_counts_functions_and_values(self):
        found = self.folders({
            "A/One.swift": "func spelt(_ number: Int) -> String { limit.description }\n",
            "B/Two.swift": "let limit = 7\nstruct Two { let text = spelt(limit) }\n"})
        self.assertEqual(found[1:], ["    A uses limit of B in A/One.swift:1", "    B uses spelt of A in B/Two.swift:2"])

    def test_sees_every_way_to_define_a_type(self):
        for definition in (
                "public struct One {}", "@frozen public enum One {}", "indirect enum One {}", "package protocol One {}", "actor One {}",
                "public final class One {}", "typealias One = Int", "@available(*, deprecated) struct One {}", "class One<Two> {}"):
            with self.subTest(definition):
                self.assertEqual(
                    len(self.folders({"A/One.swift": f"{definition}\nextension Three {{}}\n", "B/Three.swift": "struct Three { var one: One }\n"})), 3)

    def test_does_not_count_members_private_names_comments_and_strings(self):
        one = "struct One { let three: Three }\nprivate struct Mine {}\n"
        for text in (
                "// One\n/* One /* and */ One */", 'let text = "One \\" One"', 'let text = """\n    One "One" One\n    """', 'let text = #"One"One\\(One)"#',
                "let text: Other.One", "struct Mine { let mine: Mine }", "struct Outer {\n    struct One {}\n    let one: One\n}",
                "private struct One {}\nlet one = One()", "let mine: Mine"):
            with self.subTest(text):
                self.assertEqual(self.folders({"A/One.swift": one, "B/Two.swift": f"struct Three {{}}\n{text}\n"}), [])

    def test_counts_what_is_interpolated(self):
        for text in ('"\\(One.name)"', '"""\n    \\(f("a", (One.name))) b\n    """', '#"\\#(One.name)"#', '"\\("\\(One.name)")"'):
            with self.subTest(text):
                found = self.folders({"A/One.swift": "struct One { let two: Two }\n", "B/Two.swift": f"struct Two {{ let text = {text} }}\n"})
                self.assertEqual(found[:1], ["program: A, B form a circle"])

    def test_goes_on_behind_a_string(self):
        found = self.folders({"A/One.swift": "struct One { let two: Two }\n", "B/Two.swift": 'struct Two { let a = "b\\(c)", one: One }\n'})
        self.assertEqual(found[:1], ["program: A, B form a circle"])

    def test_excuses_a_target_until_its_circle_grows(self):
        circle = {"Sources/Top/program/A/One.swift": "struct One { let two: Two }\n", "Sources/Top/program/B/Two.swift": "struct Two { let one: [One] }\n"}
        self.write(GOOD | circle)
        self.assertEqual(rooms.judge(self.package, {"program": 2}), ([], ["program: 2 folders in its largest circle"]))
        self.assertEqual(
            rooms.judge(self.package, {"program": 3}), ([], ["program: 2 folders in its largest circle, and 3 were allowed: write 2 into EXCUSED"]))
        self.assertEqual(rooms.judge(self.package, {"program": 1})[0][0], "program: its largest circle grew from 1 folders to 2")

    def test_says_when_nothing_has_to_be_excused(self):
        self.write(GOOD)
        self.assertEqual(rooms.judge(self.package, {"program": 2}), ([], ["program: 0 folders in its largest circle: take it out of EXCUSED"]))
        self.assertEqual(rooms.judge(self.package, {"gone": 2})[0], ["gone is in EXCUSED, and not in Sources"])

    def test_finds_imports_upwards_and_sideways(self):
        self.assertEqual(
            self.wrong({"Sources/Libraries/Low/More.swift": "\n@testable import High\n"}), ["Low imports High of a higher row in More.swift:2"])
        self.assertEqual(self.wrong({"Sources/Libraries/Low/More.swift": "", "Sources/Libraries/Side/Side.swift": "package import struct High.Thing\n"}),
            ["Side imports High of the same row in Side.swift:1"])

    def test_finds_targets_that_the_heading_lacks_and_the_other_way_round(self):
        self.assertEqual(self.wrong({"Sources/Libraries/New/New.swift": ""}), ["New is in no row of Package.swift's heading"])
        self.assertIn("Gone is in Package.swift's heading, and not in Sources", self.wrong({"Package.swift": HEADING.replace("Side", "Side   Gone")}))
        self.assertEqual(len(self.wrong({"Package.swift": "// swift-tools-version:6.0\n"})), 1)

    def test_finds_a_c_library_that_two_targets_import(self):
        self.assertEqual(
            self.wrong({"Sources/Libraries/Side/Side.swift": "import CThing\n"}),
            ["CThing, of the lowest row, is imported by Low, Side, and should be by one target"])

    def test_finds_support_that_only_builds_with_tests(self):
        found = self.wrong({
            "Tests/Libraries/HighSupport/Shared.swift": "import High\nimport Testing\n", "Tests/Libraries/HighTests/Some.swift": "import Testing\n",
            "Tests/Libraries/LowSupport/Shared.swift": "// import Testing\n"})
        self.assertEqual([line.split(",")[0] for line in found], ["HighSupport: Shared.swift imports Testing"])

    def test_ends_with_1_and_says_what_is_wrong(self):
        self.write(GOOD | {"Sources/Libraries/Low/More.swift": "import High\n"})
        ran = subprocess.run([sys.executable, "-B", SCRIPT, "--package", self.package], capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 1)
        self.assertIn("Low imports High of a higher row in More.swift:1\n", ran.stdout)


if __name__ == "__main__":
    unittest.main()
