import CalendarFiles
import TestSupport
import Testing

private let weekly = "DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH"

/// A long resource of the same piece.
private func long(_ piece: String, _ bytes: Int) -> String {
    String(repeating: piece, count: bytes / piece.utf8.count)
}

@Suite("Hostile calendars", .timeLimit(.minutes(60)))
struct HostileCalendarTests {
    @Test("refuses what is larger, longer, deeper or has more parts than is allowed, before libical sees it")
    func limits() {
        let alarm = "BEGIN:VALARM\nEND:VALARM\n"
        for lines in [
            long("X-A:b\n", 66_000), "DESCRIPTION:" + long("x", 17_000),
            "DESCRIPTION:x\n" + long(" x\n", 30_000) + " x"
                + long("x", 8000), long("X:1\n", 9000), long(alarm, 301 * alarm.utf8.count),
            long("BEGIN:VALARM\n", 39), "CATEGORIES:" + long("a,", 16_100),
            "RRULE:FREQ=WEEKLY;BYDAY=" + long("MO,", 600),
            "X-A" + long(";A=b", 16_000) + ":x\nX-A" + long(";A=b", 16_000) + ":x",
        ] where refusal(resource(weekly + "\n" + lines)) != .tooLarge {
            Issue.record("\(lines.prefix(40)): \(String(describing: refusal(resource(weekly + "\n" + lines))))")
        }
        #expect(refusal(resource(weekly + "\n" + long("X-A:b\n", 6000))) == nil)
    }

    @Test("a rule that says that it is something else is none, and its value is not taken for an address")
    func rules() {
        for rule in [
            "VALUE=INTEGER:4", "VALUE=INTEGER:2147483647", "VALUE=TEXT:x", "VALUE=FLOAT:1.5", "VALUE=BOOLEAN:TRUE",
        ] {
            let lines = "DTSTART:20261123T073000\nRRULE;\(rule)"
            guard let error = refusal(resource(lines)) else {
                Issue.record("\(rule) is taken")
                continue
            }
            #expect(error != .tooLarge, "\(rule): \(error)")
        }
    }

    @Test("what is just within the limits costs little time")
    func time() {
        for lines in [
            long("X-A:b\n", 11_000), "CATEGORIES:" + long("a,", 15_900), "EXDATE:" + long("20261130T073000,", 16_300),
            "X-A" + long(";A=b", 16_000) + ":x", "ATTENDEE" + long(";CN=\"b\"", 16_000) + ":x",
            long("BEGIN:VALARM\nEND:VALARM\n", 6800), "DESCRIPTION:" + long("\\n", 16_000),
            "DTSTART;TZID=" + long("x", 16_000) + ":20261123T073000", long("RRULE:FREQ=WEEKLY;BYDAY=MO\n", 50_000),
            "RDATE;VALUE=PERIOD:" + long("20261130T073000/PT1H,", 16_200), "DESCRIPTION:x\n" + long(" x\n", 40_000),
            "RRULE:FREQ=WEEKLY;BYSETPOS=" + long("1,", 450), "RRULE:FREQ=SECONDLY;COUNT=2147483647",
            "GEO:" + long("1;", 15_000), "REQUEST-STATUS:" + long("1;", 15_000),
        ] {
            let clock = ContinuousClock()
            let spent = clock.measure { _ = refusal(resource(weekly + "\n" + lines)) }
            #expect(spent < .seconds(1), "\(lines.prefix(40)): \(spent)")
        }
    }

    @Test("500 damaged resources are errors or events, and none ends the program")
    func damaged() throws {
        let zone =
            "BEGIN:VTIMEZONE\nTZID:X\nBEGIN:STANDARD\nDTSTART:19701025T030000\nTZOFFSETFROM:+0200\n"
            + "TZOFFSETTO:+0100\nRRULE:FREQ=YEARLY;BYMONTH=10;BYDAY=-1SU\nEND:STANDARD\nEND:VTIMEZONE\n"
        let lines =
            weekly + "\nSUMMARY:Läufe\nDTSTAMP:20261120T101112Z\nLAST-MODIFIED:20261120T101112Z\nSEQUENCE:1\n"
            + "BEGIN:VALARM\nACTION:DISPLAY\nTRIGGER:-PT15M\nDESCRIPTION:x\nEND:VALARM"
        let bytes = resource(lines, other: zone)
        let words = [
            "FREQ", "BYDAY", ";", ":", ",", "\r\n", "BEGIN:", "END:", "-", "T", "P", "\"", "\\", "99999999999",
        ]
        var dice = SeededGenerator(seed: 77)
        var (errors, events) = (0, 0)
        for number in 0..<500 {
            var damaged = bytes
            if number % 5 == 0 { damaged.removeLast(Int.random(in: 1..<bytes.count, using: &dice)) }
            for _ in 0...number % 10 where !damaged.isEmpty {
                let place = Int.random(in: 0..<damaged.count, using: &dice)
                if number % 2 == 0, let word = words.randomElement(using: &dice) {
                    damaged.insert(contentsOf: word.utf8, at: place)
                } else {
                    damaged[place] = .random(in: 1...127, using: &dice)
                }
            }
            guard let event = try? calendarEvent(in: damaged) else {
                errors += 1
                continue
            }
            events += 1
            #expect((0..<1440).contains(event.minute) && !event.weekdays.isEmpty, "\(number)")
            #expect(event.weekdays.isSubset(of: Set(1...7)) && event.summary.utf8.count <= 256, "\(number)")
            // Whatever is read is written, and read as the same.
            let again = try calendarEvent(in: calendarFile(of: event, keeping: damaged))
            #expect(again.aligned.firstDay == event.aligned.firstDay && again.weekdays == event.weekdays, "\(number)")
            #expect(again.uid == event.uid, "\(number): \(event.uid.debugDescription)")
            #expect(again.summary == event.summary, "\(number): \(event.summary.debugDescription)")
        }
        #expect(errors > 100 && events > 50)
    }
}
