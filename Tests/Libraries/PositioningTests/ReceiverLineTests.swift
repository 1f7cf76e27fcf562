import Fitness
import Positioning
import Telemetry
import TestSupport
import Testing

@Suite("Lines of gpsd", .timeLimit(.minutes(60)))
struct ReceiverLineTests {
    /// As gpsd 3.22 writes it, of Debian 12.
    static let report = """
        {"class":"TPV","device":"tcp://127.0.0.1:23471","mode":3,"time":"2026-11-22T12:00:05.000Z","ept":0.005,\
        "lat":52.520016667,"lon":13.404961667,"altHAE":78.0000,"altMSL":34.0000,"alt":34.0000,"epv":34.500,"track":45.0000,\
        "magtrack":49.0590,"magvar":4.1,"speed":2.572,"climb":0.000,"epc":69.00,"geoidSep":44.000,"eph":19.000,"sep":34.200}
        """

    private func line(_ text: String) throws -> ReceiverLine { try ReceiverLine(Array(text.utf8)) }

    private func refused(_ text: String) -> String? {
        do throws(MalformedValue) {
            _ = try ReceiverLine(Array(text.utf8))
            return nil
        } catch { return error.description }
    }

    @Test("A report is read field by field")
    func reads() throws {
        var fix = ReceiverFix(
            time: 1_795_348_805_000, place: Place(latitude: 52.520016667, longitude: 13.404961667), hasAltitude: true)
        fix.accuracyMetres = 19
        fix.altitudeMetres = 34
        fix.verticalAccuracyMetres = 34.5
        fix.metresPerSecond = 2.572
        fix.courseDegrees = 45
        fix.device = "tcp://127.0.0.1:23471"
        #expect(try line(Self.report) == .fix(fix))
    }

    @Test("A report in two dimensions has no altitude, and its accuracy may come in parts")
    func flat() throws {
        let text = """
            {"class":"TPV","mode":2,"time":"2026-11-22T12:00:05Z","lat":-1,"lon":180,"altMSL":7,"epv":1,"epx":3,"epy":4,\
            "track":360}
            """
        guard case .fix(let fix) = try line(text) else { throw TestFailure("no fix") }
        #expect(fix.place == Place(latitude: -1, longitude: 180))
        #expect(!fix.hasAltitude && fix.altitudeMetres == nil && fix.verticalAccuracyMetres == nil)
        #expect(fix.accuracyMetres == 5)
        #expect(fix.courseDegrees == 0)
        #expect(fix.metresPerSecond == nil && fix.device == nil)
    }

    @Test(
        "A receiver that does not know where or when it is has no fix",
        arguments: [
            #"{"class":"TPV","device":"/dev/ttyACM0","mode":0}"#, #"{"class":"TPV","mode":1,"lat":1,"lon":2}"#,
            #"{"class":"TPV","mode":1,"time":"2026-11-22T12:00:05.000Z","lat":1,"lon":2}"#,
            #"{"class":"TPV","mode":3,"lat":1,"lon":2}"#,
            #"{"class":"TPV","mode":2,"time":"2026-11-22T12:00:05.000Z","lat":1}"#,
            #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":0}"#,
        ])
    func noFix(text: String) throws {
        #expect(try line(text) == .noFix)
    }

    @Test("Other lines are told apart, and those that say nothing of use are passed over")
    func others() throws {
        let version = #"{"class":"VERSION","release":"3.22","rev":"3.22","proto_major":3,"proto_minor":14}"#
        #expect(try line(version) == .version("3.22"))
        #expect(try line(#"{"class":"SKY","uSat":7,"nSat":2,"satellites":[{"used":true}]}"#) == .satellites(used: 7))
        let older =
            #"{"class":"SKY","satellites":[{"PRN":1,"used":true},{"PRN":2,"used":false},{"PRN":3,"used":true},{}]}"#
        #expect(try line(older) == .satellites(used: 2))
        for text in [
            #"{"class":"SKY","hdop":1.2}"#, #"{"class":"WATCH","enable":true}"#, #"{"class":"DEVICES","devices":[]}"#,
            #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":"2026-11-22T12:00:05.000Z"}"#,
            #"{"class":"ERROR","message":"no"}"#, #"{"class":"AIS","type":1}"#, #"{"class":"DEVICE"}"#,
        ] {
            #expect(try line(text) == .other)
        }
    }

    @Test(
        "A line that is no object with a class, or has a field that cannot be, is refused",
        arguments: [
            "", "nonsense", "[]", "{}", #"{"class":7}"#, #"{"class":"TPV"}"#, #"{"class":"TPV","mode":4}"#,
            #"{"class":"TPV","mode":"3"}"#, #"{"class":"TPV","mode":1,"mode":3}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":91,"lon":2}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":nan}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":-180.1}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":"1","lon":2}"#,
            #"{"class":"TPV","mode":3,"time":"2026-13-22T12:00:05Z","lat":1,"lon":2}"#,
            #"{"class":"TPV","mode":3,"time":"1969-11-22T12:00:05Z","lat":1,"lon":2}"#,
            #"{"class":"TPV","mode":3,"time":1795348805,"lat":1,"lon":2}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"eph":-1}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"epx":1e300}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"altMSL":[]}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"epv":true}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"speed":-0.1}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"track":361}"#,
            #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":1,"lon":2,"device":1}"#,
            #"{"class":"SKY","uSat":-1}"#, #"{"class":"VERSION","release":3}"#,
        ])
    func refusals(text: String) {
        #expect(refused(text) != nil)
    }

    @Test("An error names the field, and not what it holds; a line has a limit")
    func errors() {
        let text = #"{"class":"TPV","mode":3,"time":"2026-11-22T12:00:05Z","lat":91.5,"lon":2}"#
        #expect(refused(text) == "line of gpsd: out of range: \"lat\"")
        let padded = #"{"class":"TPV","mode":0}"#
        let spaces = String(repeating: " ", count: ReceiverLine.maximumLength - padded.utf8.count)
        #expect(refused(padded + spaces) == nil)
        #expect(refused(padded + spaces + " ") == "line of gpsd: out of range: more than 16384 bytes")
    }
}

@Suite("A sieve for fixes", .timeLimit(.minutes(60)))
struct FixSieveTests {
    /// A fix so many seconds and metres on, to the east along the equator.
    private func fix(_ seconds: Double, metres: Double, accuracy: Double? = nil) -> ReceiverFix {
        let place = Place(latitude: 0, longitude: metres / 111_195.08)
        var fix = ReceiverFix(time: 1_795_000_000_000 + Int64(seconds * 1000), place: place)
        fix.accuracyMetres = accuracy
        return fix
    }

    private func passed(_ fixes: [ReceiverFix], metresPerSecond: Double = 100) -> [Bool] {
        var sieve = FixSieve(metresPerSecond: metresPerSecond)
        return fixes.map { sieve.passes($0) }
    }

    @Test("Fixes that are reached at a speed that somebody has pass")
    func passes() {
        let run = (0..<10).map { fix(Double($0), metres: Double($0) * 5) }
        #expect(!passed(run).contains(false))
        let train = (0..<10).map { fix(Double($0), metres: Double($0) * 90) }
        #expect(!passed(train).contains(false))
        #expect(passed(train, metresPerSecond: 12) != passed(train))
        #expect(passed([fix(0, metres: 0), fix(3600, metres: 300_000)]) == [true, true])
    }

    @Test("A jump is left out, and what follows it is not")
    func jump() {
        let fixes = [
            fix(0, metres: 0), fix(1, metres: 500), fix(2, metres: 5), fix(3, metres: -900), fix(4, metres: 9),
        ]
        #expect(passed(fixes) == [true, false, true, false, true])
    }

    @Test("A fix that is off by no more than its accuracy is no jump")
    func accuracy() {
        let fixes = [fix(0, metres: 0, accuracy: 300), fix(1, metres: 500, accuracy: 110)]
        #expect(passed(fixes) == [true, true])
        #expect(passed([fixes[0], fix(1, metres: 500, accuracy: 90)]) == [true, false])
    }

    @Test("A fix of the same time or an earlier one is left out")
    func order() {
        #expect(
            passed([fix(5, metres: 0), fix(5, metres: 1), fix(4, metres: 1), fix(6, metres: 1)]) == [
                true, false, false, true,
            ])
    }

    @Test("What three fixes in a row agree on is believed: another place, or an earlier date")
    func confirmed() {
        let moved = [fix(0, metres: 0)] + (1...4).map { fix(Double($0), metres: 1_000_000 + Double($0)) }
        #expect(passed(moved) == [true, false, false, true, true])
        let dated = [fix(1_000_000, metres: 0)] + (1...4).map { fix(Double($0), metres: 1) }
        #expect(passed(dated) == [true, false, false, true, true])
        // Jumps that do not agree with each other are believed never.
        let wild = [fix(0, metres: 0)] + (1...9).map { fix(Double($0), metres: $0 % 2 == 0 ? 500_000 : 900_000) }
        #expect(passed(wild) == [true] + Array(repeating: false, count: 9))
        // Two that agree, and one in between that does not.
        let mixed = [
            fix(0, metres: 0), fix(1, metres: 500_000), fix(2, metres: 500_000), fix(3, metres: 3),
            fix(4, metres: 500_000),
        ]
        #expect(passed(mixed) == [true, false, false, true, false])
    }
}
