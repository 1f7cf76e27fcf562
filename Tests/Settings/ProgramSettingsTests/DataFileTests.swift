import Daemon
import Telemetry
import TestSupport
import Testing

@testable import ProgramSettings

@Suite("Files of data")
struct DataFileTests {
    @Test("are read element by element, each with its line")
    func elements() throws {
        let text = """
            [
              {"id": "one", "text": "a ] and a , and a \\" within"},

              {
                "id": "two", "more": [1, [2]]
              }, 3
            ]

            """
        let file = try DataFile("data.json", Array(text.utf8))
        #expect(file.elements.map(\.line) == [2, 4, 6])
        #expect(file.elements[0].value["text"] == "a ] and a , and a \" within")
        #expect(file.elements[1].value == ["id": "two", "more": [1, [2]]])
        #expect(file.elements[2].value == 3)
        #expect(try DataFile("data.json", Array(" [ ] ".utf8)).elements.isEmpty)
    }

    /// Where each goes wrong.
    static let broken: [(String, Int, String)] = [
        ("", 1, "begins with ["), ("{}", 1, "begins with ["), ("[", 1, "a ] is missing"),
        ("[1,\n2", 2, "does not end"), ("[1,\n2 ", 2, "a comma or ]"), ("[1,\n", 2, "a ] is missing"), ("[1,\n\n\n]", 4, "an element is missing"),
        ("[,1]", 1, "an element is missing"),
        ("[\n{\"a\": 1},\n{\"a\" 1}]", 3, "JSON"), ("[\n\"a\nb\"]", 2, "JSON"), ("[\n\"a\n]", 2, "a quotation mark is missing"),
        ("[\n{\"a\": 1, \"a\": 2}]", 2, "same name"), ("[1]\n2", 2, "nothing may follow"),
        ("[\n{\"a\": \"\\", 2, "a quotation mark is missing"), ("[\n1}]", 2, "a comma or ]"), ("[\n'a']", 2, "JSON"),
    ]

    @Test("are refused with the line and the reason", arguments: broken)
    func faults(text: String, line: Int, said: String) throws {
        do throws(DataFault) {
            _ = try DataFile("data.json", Array(text.utf8))
            Issue.record("was read")
        } catch {
            #expect(error.line == line && error.said.contains(said), "\(error)")
        }
    }

    @Test("are refused by the setting that names them, and one that is not there is no file")
    func settings() throws {
        let folder = try TemporaryFolder()
        try folder.write("[\n1,\n2 3]", to: "data.json")
        try folder.write(
            #"{ here: "data.json", there: "none.json", all: ["data.json", "/etc/a"] }"#, to: "settings.json5")
        func read<Value>(_ read: (Section) throws(SettingsError) -> Value) throws(SettingsError) -> Value {
            try Settings.read(folder.path("settings.json5")) { section throws(SettingsError) in
                let value = try read(section)
                for key in ["here", "there"] { _ = try section.dataPath(key, installed: "none") }
                _ = try section.paths("all")
                return value
            }
        }
        func refused(_ key: String) -> SettingsError? {
            thrown(SettingsError.self) {
                try read { section throws(SettingsError) in
                    let path = try section.dataPath(key, installed: "none") ?? "nothing"
                    return try section.refusingFaults(of: key) { () throws(DataFault) in try DataFile(path).elements }
                }
            }
        }
        let broken = try #require(refused("here"))
        #expect(broken.key == "here" && broken.problem.contains("\(folder.path)/data.json, line 3: "), "\(broken)")
        let missing = try #require(refused("there"))
        #expect(missing.key == "there" && missing.problem.contains("none.json: there is no such file"), "\(missing)")
        let paths = try read { section throws(SettingsError) in
            (try section.paths("all"), try section.paths("none"), try section.dataPath("nowhere", installed: "none"))
        }
        #expect(paths.0 == [folder.path("data.json"), "/etc/a"] && paths.1.isEmpty && paths.2 == nil)
        #expect(DataFile.installed("no-such-file.json") == nil)
        #expect(throws: DataFault.self) { try DataFile("\(folder.path)/data.json", atMost: 3) }
    }
}
