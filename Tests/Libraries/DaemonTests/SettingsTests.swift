import Foundation
import TestSupport
import Testing

@testable import Daemon

private enum Transport: String, CaseIterable {
    case tcp, webSocket
}

private struct Broker: Equatable {
    let host: String
    let port: Int
    let password: String?

    init(_ section: Section) throws(SettingsError) {
        host = try section.string("host", default: "localhost")
        port = try section.integer("port", in: 1...65535, default: 1883)
        password = try section.path("passwordFile", default: nil)
    }
}

/// Settings with a key of every kind.
private struct Gateway {
    let id: String
    let name: String?
    let broker: Broker
    let database: String
    let interval: Duration
    let limit: Duration?
    let factor: Double
    let isLive: Bool
    let transport: Transport
    let level: String
    let tags: [String]
    let sensors: [(id: String, name: String)]
    let rooms: [String]
    let hasUplink: Bool

    init(_ section: Section) throws(SettingsError) {
        id = try section.id("id")
        name = try section.string("name", default: nil)
        broker = try Broker(section.section("broker"))
        database = try section.path("database", default: "outbox.db")
        interval = try section.duration("interval", in: .milliseconds(100) ... .seconds(600), default: .seconds(5))
        limit = try section.duration("limit", in: .zero ... .seconds(86400), default: nil)
        factor = try section.number("factor", in: 0...10, default: 1)
        isLive = try section.bool("live", default: true)
        transport = try section.choice("transport", default: Transport.tcp)
        level = try section.choice("level", from: ["info", "debug"], default: "info")
        tags = try section.strings("tags", default: [])
        sensors = try section.sectionsByID("sensors") { id, section throws(SettingsError) in
            (id, try section.string("name"))
        }
        rooms = try section.sections("rooms") { section throws(SettingsError) in try section.string("name") }
        hasUplink = try section.section("uplink", default: nil)?.bool("on") ?? false
        if name?.hasPrefix("no") == true {
            throw section.refusal(of: "name", "\(name ?? "") is taken", hint: "choose another")
        }
    }

    static func parse(_ text: String, path: String = "gateway.json5") throws -> Gateway {
        try Settings.parse(Array(text.utf8), path: path, example: "{ id: \"home\" }", Gateway.init)
    }
}

@Suite("Settings")
struct SettingsTests {
    @Test("reads a value of every kind")
    func readsAll() throws {
        let text = """
            // A comment
            {
                id: 'home', "name": "Home",
                broker: { host: "pi.local", port: 0x75b, passwordFile: "secrets/password" },
                database: '/var/lib/vitals/outbox.db', interval: "250 ms", limit: 90, factor: .5, live: false,
                transport: "webSocket", level: "debug", tags: ["a", "b",],
                sensors: { watch: { name: "W" }, strap: { name: "S" } },
                rooms: [{ name: "kitchen" }, { name: "attic" }], uplink: { on: true },
            }
            """
        let gateway = try Gateway.parse(text, path: "/etc/vitals/gateway.json5")
        #expect(gateway.id == "home" && gateway.name == "Home")
        #expect(gateway.broker.host == "pi.local" && gateway.broker.port == 1883)
        #expect(gateway.broker.password == "/etc/vitals/secrets/password")
        #expect(gateway.database == "/var/lib/vitals/outbox.db")
        #expect(gateway.interval == .milliseconds(250) && gateway.limit == .seconds(90))
        #expect(gateway.factor == 0.5 && !gateway.isLive)
        #expect(gateway.transport == .webSocket && gateway.level == "debug" && gateway.tags == ["a", "b"])
        #expect(gateway.sensors.map(\.id) == ["strap", "watch"] && gateway.sensors.map(\.name) == ["S", "W"])
        #expect(gateway.rooms == ["kitchen", "attic"] && gateway.hasUplink)
    }

    @Test("takes the default of what is absent, in absent sections too")
    func defaults() throws {
        let gateway = try Gateway.parse("{ id: 'home' }", path: "state/gateway.json5")
        #expect(gateway.name == nil && gateway.limit == nil && gateway.broker.password == nil)
        #expect(gateway.broker.host == "localhost" && gateway.broker.port == 1883)
        #expect(gateway.database == "state/outbox.db")
        #expect(gateway.interval == .seconds(5) && gateway.factor == 1 && gateway.isLive)
        #expect(gateway.transport == .tcp && gateway.level == "info" && gateway.tags.isEmpty)
        #expect(gateway.sensors.isEmpty && gateway.rooms.isEmpty && !gateway.hasUplink)
    }

    @Test(
        "says what is wrong, where, and what would be right",
        arguments: [
            ("{ id: 'a', broker: { prot: 1 } }", "broker.prot: unknown key; did you mean \"port\"?"),
            ("{ id: 'a', databse: 'x' }", "databse: unknown key; did you mean \"database\"?"),
            (
                "{ id: 'a', broker: { password_file: 'x' } }",
                "broker.password_file: unknown key; did you mean \"passwordFile\"?"
            ),
            (
                "{ id: 'a', broker: { colour: 1 } }",
                "broker.colour: unknown key; known here: host, passwordFile, port"
            ),
            ("{ id: 'a', rooms: [{ name: 'x', nam: 1 }] }", "rooms[0].nam: unknown key; did you mean \"name\"?"),
            ("{ id: 'a', sensors: { s: { name: 'x', y: 1 } } }", "sensors.s.y: unknown key; known here: name"),
            (
                "{ id: 'a', '\\u001b[2J': 1, broker: {} }",
                "\\u{1b}[2J: unknown key; known here: broker, database, factor, id, interval, level, limit, live, name, "
                    + "rooms, sensors, tags, transport, uplink"
            ),
            ("{}", "id: missing; expected an id (1 to 36 characters from a-z, 0-9 and -)\nexample: id: \"home\""),
            (
                "{ di: 'home' }",
                "id: missing; expected an id (1 to 36 characters from a-z, 0-9 and -)\nthere is a key \"di\"; is \"id\" meant?"
            ),
            (
                "{ id: 'My Home' }",
                "id: expected an id (1 to 36 characters from a-z, 0-9 and -), found \"My Home\"\nexample: id: \"home\""
            ),
            (
                "{ id: 'a', broker: { port: '1883' } }",
                "broker.port: expected an integer from 1 to 65535, found \"1883\"\nexample: port: 1883"
            ),
            (
                "{ id: 'a', broker: { port: 70000 } }",
                "broker.port: expected an integer from 1 to 65535, found 70000\nexample: port: 1883"
            ),
            (
                "{ id: 'a', broker: { port: 1.5 } }",
                "broker.port: expected an integer from 1 to 65535, found 1.5\nexample: port: 1883"
            ),
            (
                "{ id: 'a', broker: { port: 1e30 } }",
                "broker.port: expected an integer from 1 to 65535, found 1e+30\nexample: port: 1883"
            ),
            ("{ id: 'a', broker: 1883 }", "broker: expected an object, found 1883\nexample: broker: {}"),
            ("{ id: 'a', name: null }", "name: expected a string, found null\nexample: name: \"…\""),
            ("{ id: 'a', name: '' }", "name: expected a string, found \"\"\nexample: name: \"…\""),
            (
                "{ id: 'a', interval: '5 minutes' }",
                "interval: expected a duration from 100 ms to 10 min, found \"5 minutes\"\nexample: interval: \"5 s\""
            ),
            (
                "{ id: 'a', interval: 601 }",
                "interval: expected a duration from 100 ms to 10 min, found 601\nexample: interval: \"5 s\""
            ),
            ("{ id: 'a', limit: -1 }", "limit: expected a duration from 0 s to 1 d, found -1\nexample: limit: \"0 s\""),
            ("{ id: 'a', factor: NaN }", "factor: expected a number from 0 to 10, found nan\nexample: factor: 1.0"),
            ("{ id: 'a', live: 'yes' }", "live: expected true or false, found \"yes\"\nexample: live: true"),
            (
                "{ id: 'a', transport: 'udp' }",
                "transport: expected one of \"tcp\", \"webSocket\", found \"udp\"\nexample: transport: \"tcp\""
            ),
            ("{ id: 'a', level: 5 }", "level: expected one of \"info\", \"debug\", found 5\nexample: level: \"info\""),
            (
                "{ id: 'a', tags: ['x', 1] }",
                "tags: expected an array of strings, found an array\nexample: tags: [\"…\"]"
            ),
            ("{ id: 'a', database: 3 }", "database: expected a path, found 3\nexample: database: \"outbox.db\""),
            ("{ id: 'a', rooms: {} }", "rooms: expected an array of objects, found an object\nexample: rooms: []"),
            ("{ id: 'a', rooms: [{ name: 'x' }, 2] }", "rooms[1]: expected an object, found 2"),
            ("{ id: 'a', rooms: [{}] }", "rooms[0].name: missing; expected a string\nexample: name: \"…\""),
            (
                "{ id: 'a', sensors: [] }",
                "sensors: expected an object of objects by id, found an array\nexample: sensors: {}"
            ),
            ("{ id: 'a', sensors: { s: 1 } }", "sensors.s: expected an object, found 1"),
            (
                "{ id: 'a', sensors: { Strap: {} } }",
                "sensors: \"Strap\" is not an id\nan id is 1 to 36 characters from a-z, 0-9 and -, such as \"strap\""
            ),
            ("{ id: 'a', name: 'nobody' }", "name: nobody is taken\nchoose another"),
            ("{ id: 'a', name: 'no\\nbody' }", "name: no\\nbody is taken\nchoose another"),
            (
                "[]",
                "expected an object, found an array\na settings file looks like { id: \"home\" }"
            ),
        ])
    func errors(text: String, message: String) {
        let error = thrown(SettingsError.self) { try Gateway.parse(text) }
        #expect(error?.description == "gateway.json5: " + message)
        #expect(error?.exitCode == .configuration)
        // Somebody who does as the hint says is not refused for it again.
        guard let error, let hint = error.hint else { return }
        if let file = hint.split(separator: " looks like ").last, hint.hasPrefix("a settings file") {
            #expect((try? Gateway.parse(String(file))) != nil, "\(hint)")
        } else if hint.hasPrefix("example: ") {
            var repaired = String(hint.dropFirst("example: ".count))
            for section in error.key.split(separator: ".").dropLast().reversed() {
                let name = section.prefix { $0 != "[" }
                repaired = name == section ? "\(name): { \(repaired) }" : "\(name): [{ \(repaired) }]"
            }
            let others = error.key == "id" ? "" : "id: 'a', "
            #expect((try? Gateway.parse("{ \(others)\(repaired) }")) != nil, "\(repaired)")
        }
    }

    @Test(
        "refuses a key that appears twice, wherever it is and however it is spelt",
        arguments: [
            ("{ id: 'a',\n  name: 'b',\n  id: 'c' }", "the key \"id\" appears twice, on lines 1 and 3"),
            ("{ id: 'a', broker: { port: 1, 'port': 2 } }", "the key \"port\" appears twice, on line 1"),
            (
                "{ id: 'a', rooms: [{ name: 'b' }, { name: 'c', \"n\\u0061me\": 'd' }] }",
                "the key \"name\" appears twice"
            ),
            ("{ id: 'a', sensors: { s: { name: 'b' }, s: { name: 'c' } } }", "the key \"s\" appears twice, on line 1"),
        ])
    func duplicates(text: String, problem: String) {
        let error = thrown(SettingsError.self) { try Gateway.parse(text) }
        #expect(error?.problem.hasPrefix(problem) == true, "\(String(describing: error))")
        #expect(error?.hint == "keep one of the two")
    }

    @Test(
        "names the line of what is not JSON5",
        arguments: [
            ("", "line 1: the text ends where a value is expected"),
            ("// nothing\n", "line 2: the text ends where a value is expected"),
            ("{\n  id: 'a'\n  name: 'b'\n}", "line 3: a comma or } is missing"),
            ("{\n  tags: ['a' 'b'] }", "line 2: a comma or ] is missing"),
            ("{\n\n  id 'a' }", "line 3: a colon is missing after the key"),
            ("{\n  id: 'a\n}", "line 2: the string has no closing quote"),
            ("{ id: 'a", "line 1: the string has no closing quote"),
            ("{ id: /* \n no end", "line 1: the comment has no */"),
            ("{ // {\n  broker: {\n    port: 1,\n", "line 2: what begins here has no }"),
            ("{\n  live: yes }", "line 2: \"yes\" is not a value; does it need quotes?"),
            ("{\n  id: }", "line 2: a value is missing"),
            ("{\n  id: 'a',, }", "line 2: a key is missing"),
            ("{\n  pass-word: 'a' }", "line 2: the key \"pass-word\" needs quotes"),
            ("{ id: 'a\\\nb' }\n}", "line 3: something follows the last }"),
            (String(repeating: "[", count: 33), "line 1: nested too deeply"),
            // Foundation's reader of Swift 6.0 ends the process on each of these.
            ("{\n  '\\q': 1 }", "line 2: \\q is not an escape"),
            ("{ '\\ud800': 1 }", "line 1: \\ud800 is not a character"),
            ("{ 'a\u{1}': 1 }", "line 1: a control character in a string"),
            ("{ a\\q: 1 }", "line 1: the key \"a\\q\" needs quotes"),
        ])
    func faults(text: String, place: String) {
        let error = thrown(SettingsError.self) { try Gateway.parse(text) }
        #expect(error?.problem == "not valid JSON5 (\(place))")
    }

    @Test(
        "refuses words that look like numbers, on some of which Foundation's reader ends the process",
        arguments: [
            "0x0x14", "0x", "0xG", "0x11223344556677889", "1.2.3", "1e", "1e+", "-", "+-1", "..", "0b1", "1_000",
        ])
    func noNumbers(word: String) {
        let error = thrown(SettingsError.self) { try Gateway.parse("{ id: 'a',\n limit: \(word) }") }
        #expect(error?.problem == "not valid JSON5 (line 2: \"\(word)\" is not a value; does it need quotes?)")
    }

    @Test(
        "takes every number of JSON5's for one",
        arguments: ["0", "-0", "+1", ".5", "5.", "1e3", "1E-3", "-0xfF", "NaN"])
    func numbers(word: String) {
        #expect(JSON5Fault.find(in: Array("{ a: \(word) }".utf8)) == nil)
        _ = thrown(SettingsError.self) { try Gateway.parse("{ id: 'a', limit: \(word) }") }
    }

    @Test(
        "refuses what is not UTF-8, in names too", arguments: [[0xFF], [0xEF, 0xBF], [0xED, 0xA0, 0x80]] as [[UInt8]])
    func notUTF8(wrong: [UInt8]) {
        // Foundation's reader ends the process on the first of these, before it can refuse it.
        for text in [
            Array("{ 'a".utf8) + wrong + Array("': 1 }".utf8), Array("{ a: '".utf8) + wrong + Array("' }".utf8),
        ] {
            let error = thrown(SettingsError.self) { try Settings.parse(text, path: "a.json5", Gateway.init) }
            #expect(error?.problem == "not valid JSON5 (not UTF-8)")
        }
    }

    @Test("finds no fault if the decoder finds none")
    func noFaults() {
        let right =
            "\u{FEFF}/**/{ a: [1, +2, -.5, 0x1F, 1e3, Infinity, -NaN, true, null,], $b: 'it\\'s', _c: {}, } // end"
        #expect(JSON5Fault.find(in: Array(right.utf8)) == nil)
        for length in 0..<right.utf8.count {
            _ = JSON5Fault.find(in: Array(right.utf8.prefix(length)))
        }
    }

    @Test(
        "reads durations",
        arguments: [
            ("5 s", Duration.seconds(5)), ("250ms", .milliseconds(250)), ("10 min", .seconds(600)),
            ("2 h", .seconds(7200)),
            ("1 d", .seconds(86400)), ("1.5 s", .milliseconds(1500)), ("0 s", .zero),
        ])
    func durations(text: String, duration: Duration) {
        #expect(parsedDuration(text) == duration)
    }

    @Test(
        "reads sizes",
        arguments: [("256 MB", 256_000_000), ("64kB", 64_000), ("1 GB", 1_000_000_000), ("7 B", 7)])
    func sizes(text: String, bytes: Int) {
        #expect(parsedBytes(text) == bytes)
        #expect(parsedBytes(spelt(bytes: bytes)) == bytes)
    }

    @Test(
        "refuses sizes without digits or unit, and what is beyond counting",
        arguments: ["", "MB", "256", "256 mb", "2.5 MB", "-1 MB", "99999999999 GB"])
    func malformedSizes(text: String) { #expect(parsedBytes(text) == nil) }

    @Test(
        "refuses durations without number or unit",
        arguments: ["", "5", "s", "-5 s", "5 sec", "1.2.3 s", "5 s ", "1e9 s", "٣ s", "99999999999 d"])
    func badDurations(text: String) {
        #expect(parsedDuration(text) == nil)
    }

    @Test(
        "spells durations in the largest unit that fits",
        arguments: [
            (Duration.milliseconds(1500), "1500 ms"), (.seconds(90), "90 s"), (.seconds(5400), "90 min"),
            (.seconds(86400), "1 d"),
            (.zero, "0 s"),
        ])
    func spellsDurations(duration: Duration, text: String) {
        #expect(spelt(duration) == text)
    }

    @Test("reads a file from the disk, and says why it cannot")
    func files() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("vitals-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appendingPathComponent("gateway.json5").path

        let missing = thrown(SettingsError.self) { try Settings.read(path, Gateway.init) }
        #expect(
            missing?.description
                == "\(path): cannot be read: No such file or directory\ncreate it, or name another with --settings FILE"
        )

        try Data("{ id: 'home' }".utf8).write(to: URL(fileURLWithPath: path))
        #expect(try Settings.read(path, Gateway.init).database == folder.path + "/outbox.db")
        #expect(try Settings.read(path) { section throws(SettingsError) in try section.string("id") } == "home")

        let isFolder = thrown(SettingsError.self) { try Settings.read(folder.path, Gateway.init) }
        #expect(isFolder?.problem == "cannot be read: Is a directory")

        try Data(repeating: 32, count: Settings.longestFile + 1).write(to: URL(fileURLWithPath: path))
        let long = thrown(SettingsError.self) { try Settings.read(path, Gateway.init) }
        #expect(long?.problem == "longer than 1048576 bytes")
    }

    @Test(
        "finds the nearest word",
        arguments: [
            ("prot", "port"), ("hsot", "host"), ("client_id", "clientId"), ("HOST", "host"), ("xyz", nil), ("", nil),
        ])
    func nearestWords(word: String, near: String?) {
        #expect(nearest(to: word, among: ["port", "host", "clientId"]) == near)
    }

    @Test("a settings file replaces options that the command line leaves out, and no others")
    func completesArguments() throws {
        let command = Command(
            name: "vitals-sensor", summary: "Emulates.",
            options: [
                .value("settings", "FILE", "a file"), .value("speed", "N", "how fast", default: "1"),
                .value("connect-timeout", "TIME", "how long", default: "41s"), .flag("loop", "again"),
            ])
        func arguments(_ text: String, _ words: [String] = []) throws -> Arguments {
            let file = NSTemporaryDirectory() + "vitals-\(UUID().uuidString).json5"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            defer { try? FileManager.default.removeItem(atPath: file) }
            guard case .run(let arguments) = try command.parse(["--settings", file] + words) else {
                throw Failure(.internalError, "not a command to run")
            }
            return try arguments.completed()
        }
        let completed = try arguments("{ speed: 60, connect_timeout: '2 s', loop: true }")
        #expect(try completed.double("speed", in: 0...100) == 60)
        #expect(try completed.duration("connect-timeout", in: .zero ... .seconds(60)) == .seconds(2))
        #expect(try completed.flag("loop"))
        let given = try arguments("{ speed: 60 }", ["--speed", "5"])
        #expect(try given.double("speed", in: 0...100) == 5)
        #expect(try !given.flag("loop"))
        #expect(
            thrown(SettingsError.self) { try arguments("{ sped: 60 }") }?.description.contains(
                "did you mean \"speed\"?") == true)
    }
}
