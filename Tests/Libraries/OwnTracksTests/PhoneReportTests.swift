import Fitness
import OwnTracks
import TestSupport
import Testing

@Suite("Messages of OwnTracks", .timeLimit(.minutes(60)))
struct PhoneReportTests {
    @Test(
        "A message of which nothing is kept is named by its type",
        arguments: [
            (#"{"_type":"lwt","tst":1795261361}"#, PhoneReport.Kind.will),
            (#"{"_type":"cmd","action":"reportLocation"}"#, .command),
            (#"{"_type":"configuration","host":"x","port":"not looked at"}"#, .configuration),
            (#"{"_type":"card","tid":"AL","name":"Ada","face":"AAAA"}"#, .card),
            (#"{"_type":"status","iOS":{"locale":"de"},"android":{"wifi":1}}"#, .status),
            (#"{"_type":"request","request":"tour","tour":{}}"#, .request),
            (#"{"_type":"beacon","uuid":"x","prox":1}"#, .beacon),
            (#"{"_type":"dump","configuration":{}}"#, .dump),
        ])
    func others(text: String, kind: PhoneReport.Kind) throws {
        #expect(try report(text) == .other(kind))
    }

    @Test("A type that nobody knows is unknown, and no bytes at all say nothing")
    func neither() throws {
        #expect(try report(#"{"_type":"hologram","lat":"x"}"#) == .unknown)
        #expect(try report(#"{"_type":""}"#) == .unknown)
        #expect(try report("") == .nothing)
    }

    @Test("Each type of the booklet is read as something")
    func allKinds() {
        for kind in PhoneReport.Kind.allCases {
            let text = "{\"_type\":\"\(kind.rawValue)\"}"
            let read = try? report(text)
            switch kind {
            case .location: #expect(refusal(text) == Refusal(.missing, "lat"))
            case .transition: #expect(refusal(text) == Refusal(.missing, "event"))
            case .steps: #expect(refusal(text) == Refusal(.missing, "steps"))
            case .encrypted: #expect(refusal(text) == Refusal(.missing, "data"))
            case .waypoint: #expect(read == .regions([], areAll: false))
            case .waypoints: #expect(refusal(text) == Refusal(.malformed, nil))
            default: #expect(read == .other(kind))
            }
        }
    }

    @Test(
        "What is not one JSON object with each name once is refused",
        arguments: [
            "{", "null", "7", "\"location\"", "[]", "{}x", "{\"_type\":\"lwt\"}{}", "\u{FEFF}{\"_type\":\"lwt\"}",
            "{\"_type\":\"lwt\",}", "{'_type':'lwt'}", "{\"_type\":\"location\",\"lat\":NaN,\"lon\":1,\"tst\":1}",
            "{\"_type\":\"location\",\"lat\":Infinity,\"lon\":1,\"tst\":1}",
            "{\"_type\":\"location\",\"lat\":1e999,\"lon\":1,\"tst\":1}",
            "{\"_type\":\"lwt\",\"_type\":\"location\"}",
            "{\"_type\":\"location\",\"lat\":1,\"lon\":1,\"tst\":1,\"l\\u0061t\":2}",
            "{\"_type\":\"waypoints\",\"waypoints\":[{\"tst\":1,\"tst\":2}]}",
            "{\"_type\":\"\\ud800\"}",
        ])
    func malformed(text: String) {
        let reason = refusal(text)?.reason
        #expect(reason == .malformed || reason == .wrongType)
        #expect(refusal(text)?.field == nil)
    }

    @Test("Bytes that are not UTF-8, too many, or nested too deep are refused")
    func hostile() {
        #expect(refusal([0xFF, 0xFE]) == Refusal(.malformed))
        #expect(
            refusal(Array(#"{"_type":"lwt","x":""#.utf8) + [0xC0, 0x80] + Array(#""}"#.utf8)) == Refusal(.malformed))
        let padding = String(repeating: " ", count: PhoneReport.maximumLength - 15)
        #expect(refusal(#"{"_type":"lwt"}"# + padding) == nil)
        #expect(refusal(#"{"_type":"lwt"} "# + padding) == Refusal(.tooLong))
        let deep = String(repeating: "[", count: 17) + String(repeating: "]", count: 17)
        #expect(refusal(#"{"_type":"lwt","x":\#(deep)}"#) == Refusal(.malformed))
        #expect(refusal(#"{"lat":1}"#) == Refusal(.missing, "_type"))
        #expect(refusal(#"{"_type":1}"#) == Refusal(.wrongType, "_type"))
        #expect(refusal(#"{"_type":["location"]}"#) == Refusal(.wrongType, "_type"))
    }

    @Test("Nothing ends the program, whatever is cut or changed in a message")
    func damaged() throws {
        var generator = SeededGenerator(seed: 15)
        let genuine = Array(PhoneLocationTests.iOS.utf8)
        var refused = 0
        for _ in 0..<3000 {
            var bytes = Array(genuine.prefix(Int.random(in: 1...genuine.count, using: &generator)))
            if Bool.random(using: &generator) { bytes = genuine }
            for _ in 0..<Int.random(in: 0...3, using: &generator) {
                bytes[Int.random(in: bytes.indices, using: &generator)] = UInt8.random(in: 0...255, using: &generator)
            }
            do throws(OwnTracksError) {
                _ = try PhoneReport(payload: bytes)
            } catch { refused += 1 }
        }
        #expect(refused > 1500)
    }

    @Test("A transition is read, with a place or without one")
    func transitions() throws {
        let text = """
            {"_type":"transition","wtst":1795000000,"lat":52.5,"lon":13.4,"tst":1795261361,"acc":65,"tid":"AL",\
            "event":"leave","desc":"Home","t":"c","rid":"6da9cf"}
            """
        guard case .transition(let read) = try report(text) else { throw TestFailure("no transition") }
        #expect(read.event == .leave)
        #expect(read.time == 1_795_261_361_000)
        #expect(read.regionMade == 1_795_000_000_000)
        #expect(read.place == Place(latitude: 52.5, longitude: 13.4))
        #expect(read.accuracyMetres == 65)
        #expect(read.region == "Home")
        #expect(read.regionID == "6da9cf")
        #expect(read.trigger == .region)
        #expect(read.trackerID == "AL")
        #expect(try report(String(decoding: read.bytes, as: UTF8.self)) == .transition(read))
        let least = try report(#"{"_type":"transition","event":"enter","tst":1}"#)
        #expect(least == .transition(PhoneTransition(.enter, time: 1000)))
    }

    @Test(
        "A transition that says too little or what cannot be is refused",
        arguments: [
            (#""tst":1"#, Refusal(.missing, "event")), (#""event":"enter""#, Refusal(.missing, "tst")),
            (#""event":"Enter","tst":1"#, Refusal(.outOfRange, "event")),
            (#""event":1,"tst":1"#, Refusal(.wrongType, "event")),
            (#""event":"enter","tst":1,"lat":1"#, Refusal(.missing, "lon")),
            (#""event":"enter","tst":1,"lat":1,"lon":181"#, Refusal(.outOfRange, "lon")),
            (#""event":"enter","tst":1,"acc":-5"#, Refusal(.outOfRange, "acc")),
            (#""event":"enter","tst":1,"desc":{}"#, Refusal(.wrongType, "desc")),
        ])
    func refusedTransitions(fields: String, expected: Refusal) {
        #expect(refusal("{\"_type\":\"transition\",\(fields)}") == expected)
    }

    @Test("Steps are read, and -1 says that there are none to tell")
    func steps() throws {
        let text = """
            {"_type":"steps","tst":1795261400,"from":1795200000,"to":1795261361,"steps":8042,"floorsup":3,"floorsdown":2,\
            "distance":6100}
            """
        guard case .steps(let read) = try report(text) else { throw TestFailure("no steps") }
        #expect(read.steps == 8042)
        #expect(read.from == 1_795_200_000_000)
        #expect(read.to == 1_795_261_361_000)
        #expect(read.time == 1_795_261_400_000)
        #expect(read.distanceMetres == 6100)
        #expect(read.floorsUp == 3)
        #expect(read.floorsDown == 2)
        #expect(try report(String(decoding: read.bytes, as: UTF8.self)) == .steps(read))
        let none = try report(#"{"_type":"steps","steps":-1,"from":1,"to":1}"#)
        #expect(none == .steps(PhoneSteps(nil, from: 1000, to: 1000)))
        guard case .steps(let nothing) = none else { return }
        #expect(try report(String(decoding: nothing.bytes, as: UTF8.self)) == none)
    }

    @Test(
        "Steps that say too little or what cannot be are refused",
        arguments: [
            (#""from":1,"to":2"#, Refusal(.missing, "steps")), (#""steps":1,"to":2"#, Refusal(.missing, "from")),
            (#""steps":1,"from":1"#, Refusal(.missing, "to")),
            (#""steps":1,"from":3,"to":2"#, Refusal(.outOfRange, "to")),
            (#""steps":-2,"from":1,"to":2"#, Refusal(.outOfRange, "steps")),
            (#""steps":9223372036854775807,"from":1,"to":2"#, Refusal(.outOfRange, "steps")),
            (#""steps":18446744073709551616,"from":1,"to":2"#, Refusal(.wrongType, "steps")),
            (#""steps":1.5,"from":1,"to":2"#, Refusal(.wrongType, "steps")),
            (#""steps":"1","from":1,"to":2"#, Refusal(.wrongType, "steps")),
        ])
    func refusedSteps(fields: String, expected: Refusal) {
        #expect(refusal("{\"_type\":\"steps\",\(fields)}") == expected)
    }

    @Test("Commands are written as the booklet has them")
    func commands() {
        func text(_ command: PhoneCommand) -> String { String(decoding: command.bytes, as: UTF8.self) }
        #expect(text(.reportLocation) == #"{"_type":"cmd","action":"reportLocation"}"#)
        #expect(text(.reportSteps(nil)) == #"{"_type":"cmd","action":"reportSteps"}"#)
        let steps = text(.reportSteps(1_795_200_000_000...1_795_261_361_000))
        #expect(steps == #"{"_type":"cmd","action":"reportSteps","from":1795200000,"to":1795261361}"#)
    }

    @Test("A phone's topics lie beneath its base, and no others do")
    func topics() {
        let base = "vitals/v1/users/ada/phone"
        for topic in PhoneTopic.allCases {
            #expect(PhoneTopic(topic.text(under: base), under: base) == topic)
        }
        #expect(PhoneTopic.event.text(under: base) == "vitals/v1/users/ada/phone/event")
        #expect(PhoneTopic.location.text(under: base) == base)
        for other in [
            "", "vitals", base + "/", base + "s", base + "/event/x", base + "/Event", base + "sevent", "x/" + base,
            base + "//",
        ] {
            #expect(PhoneTopic(other, under: base) == nil)
        }
        let expanded = PhoneTopic.base("a/%u/%d/100%/%x/%u", user: "ada%d", device: "phone")
        #expect(expanded == "a/ada%d/phone/100%/%x/ada%d")
    }
}
