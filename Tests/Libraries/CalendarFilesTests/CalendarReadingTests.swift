import CalendarFiles
import Fitness
import TestSupport
import Testing

private let weekly = "DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY;BYDAY=MO,TH"

@Suite("Reading events of calendars", .timeLimit(.minutes(60)))
struct CalendarReadingTests {
    @Test("reads what other programs write for an event of each week")
    func others() throws {
        // As Nextcloud's calendar writes it, with the zone that it takes along.
        let zone = """
            BEGIN:VTIMEZONE
            TZID:Europe/Berlin
            BEGIN:DAYLIGHT
            TZOFFSETFROM:+0100
            TZOFFSETTO:+0200
            TZNAME:CEST
            DTSTART:19700329T020000
            RRULE:FREQ=YEARLY;BYMONTH=3;BYDAY=-1SU
            END:DAYLIGHT
            END:VTIMEZONE

            """
        let nextcloud = try calendarEvent(
            in: resource(
                """
                CREATED:20261120T101010Z
                DTSTAMP:20261120T101112Z
                LAST-MODIFIED:20261120T101112Z
                SEQUENCE:4
                DTSTART;TZID=Europe/Berlin:20261123T073000
                DTEND;TZID=Europe/Berlin:20261123T080000
                RRULE:FREQ=WEEKLY;BYDAY=MO,WE,FR
                STATUS:CONFIRMED
                SUMMARY:Läufe\\, früh
                BEGIN:VALARM
                ACTION:DISPLAY
                TRIGGER;RELATED=START:-PT15M
                DESCRIPTION:This is an event reminder
                END:VALARM
                """, other: zone))
        #expect(nextcloud.summary == "Läufe, früh" && nextcloud.minute == 450 && nextcloud.weekdays == [1, 3, 5])
        #expect(nextcloud.firstDay == CalendarDay("2026-11-23") && nextcloud.alarmMinutes == 15)
        #expect(nextcloud.modified == 1_795_169_472_000 && nextcloud.sequence == 4)
        // Apple's, whose own "no alarm" stands before the alarm, and whose rule has no weekday.
        let apple = try calendarEvent(
            in: resource(
                """
                TRANSP:OPAQUE
                DTSTART;TZID=Europe/Berlin:20261125T190000
                DTEND;TZID=Europe/Berlin:20261125T200000
                X-APPLE-TRAVEL-ADVISORY-BEHAVIOR:AUTOMATIC
                RRULE:FREQ=WEEKLY;INTERVAL=1
                SUMMARY:Yoga
                BEGIN:VALARM
                ACTION:NONE
                TRIGGER;VALUE=DATE-TIME:19760401T005545Z
                END:VALARM
                BEGIN:VALARM
                UID:1
                X-WR-ALARMUID:1
                ACTION:AUDIO
                TRIGGER:PT0S
                ATTACH;VALUE=URI:Chord
                END:VALARM
                """))
        #expect(apple.weekdays == [3] && apple.minute == 1140 && apple.alarmMinutes == 0 && apple.modified == nil)
        // Thunderbird's "every weekday", and its time without a zone.
        let thunderbird = try calendarEvent(
            in: resource(
                """
                DTSTAMP:20261120T101112Z
                DTSTART:20261123T060000
                DURATION:PT15M
                RRULE:FREQ=DAILY;BYDAY=MO,TU,WE,TH,FR
                SUMMARY:Up
                """))
        #expect(thunderbird.weekdays == [1, 2, 3, 4, 5] && thunderbird.alarmMinutes == nil)
        #expect(thunderbird.modified == 1_795_169_472_000)
        let daily = try calendarEvent(in: resource("DTSTART:20261123T235900\nRRULE:FREQ=DAILY"))
        #expect(daily.weekdays == Set(1...7) && daily.minute == 1439 && daily.summary.isEmpty)
    }

    @Test(
        "says in words what an event is that does not come each week",
        arguments: [
            ("DTSTART;VALUE=DATE:20261123\nRRULE:FREQ=WEEKLY", "it lasts all day"),
            ("DTSTART:20261123T073000", "it does not repeat"),
            ("DTSTART:30000101T073000\nRRULE:FREQ=WEEKLY", "it is centuries away"),
            ("DTSTART:18991231T073000\nRRULE:FREQ=WEEKLY", "it is centuries away"),
            ("DTSTART:20261123T073000Z\nRRULE:FREQ=WEEKLY", "its time is in UTC"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=MONTHLY", "it repeats every month"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=YEARLY", "it repeats every year"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=SECONDLY", "it repeats several times a day"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY;INTERVAL=2", "it repeats every 2 weeks"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=DAILY;INTERVAL=3", "it repeats every 3 days"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY;COUNT=5", "it ends some day"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY;UNTIL=20271123T000000Z", "it ends some day"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=DAILY;BYMONTH=1", "it repeats only on some days of a year"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=DAILY;BYHOUR=7,8", "or at several times"),
            ("DTSTART:20261123T073000\nRRULE:FREQ=WEEKLY;BYDAY=2MO", "it repeats on one of a month's weekdays"),
            (weekly + "\nEXDATE:20261130T073000", "it leaves out some days"),
            (weekly + "\nRDATE:20261201T073000", "it has days besides"),
            (weekly + "\nRRULE:FREQ=DAILY", "it repeats by more than one rule"),
            (weekly + "\nRECURRENCE-ID:20261130T073000", "it is one day of another event"),
            (weekly + "\nSTATUS:CANCELLED", "it is cancelled"),
            (
                weekly + "\nEND:VEVENT\nBEGIN:VEVENT\nUID:u\nRECURRENCE-ID:20261130T073000\nDTSTART:20261130T083000",
                "some of its days differ"
            ),
        ] as [(String, String)])
    func kinds(_ lines: String, _ words: String) throws {
        guard case .unsupported(let said) = refusal(resource(lines)) else {
            Issue.record("\(lines): \(String(describing: refusal(resource(lines))))")
            return
        }
        #expect(said.contains(words))
    }

    @Test(
        "takes an alarm that is at the time or before it, in minutes, and no other",
        arguments: [
            ("TRIGGER:-PT1H30M", 90), ("TRIGGER:-P1D", 1440), ("TRIGGER:-P1W", 10_080), ("TRIGGER:-PT90S", 1),
            ("TRIGGER:PT0S", 0), ("TRIGGER:PT5M", nil), ("TRIGGER:-P99W", nil),
            ("TRIGGER;VALUE=DATE-TIME:20261123T070000Z", nil), ("TRIGGER:nonsense", nil), ("DESCRIPTION:x", nil),
        ] as [(String, Int?)])
    func alarms(_ line: String, _ minutes: Int?) throws {
        let alarm = "\nBEGIN:VALARM\nACTION:DISPLAY\n\(line)\nEND:VALARM"
        #expect(try calendarEvent(in: resource(weekly + alarm)).alarmMinutes == minutes)
        let mail = "\nBEGIN:VALARM\nACTION:EMAIL\nTRIGGER:-PT7M\nEND:VALARM"
        #expect(try calendarEvent(in: resource(weekly + mail + alarm)).alarmMinutes == minutes)
        let second = "\nBEGIN:VALARM\nACTION:AUDIO\nTRIGGER:-PT3M\nEND:VALARM"
        #expect(try calendarEvent(in: resource(weekly + alarm + second)).alarmMinutes == min(minutes ?? 3, 3))
        #expect(try calendarEvent(in: resource(weekly + second + alarm)).alarmMinutes == min(minutes ?? 3, 3))
    }

    @Test(
        "counts an alarm before the event's end from its beginning",
        arguments: [
            ("DTEND:20261123T083000", "-PT70M", 10), ("DTEND:20261123T083000", "-PT1H", 0),
            ("DTEND:20261123T083000", "-PT59M", nil),
            ("DURATION:PT30M", "-P1D", 1410), ("DTEND:20261124T003000", "-PT18H", 60), ("X-NOTHING:1", "-PT5M", 5),
            // What ends before it begins, all day, in another zone, or in centuries has no end that anybody can tell.
            ("DTEND:20261122T083000", "-PT70M", nil), ("DTEND;VALUE=DATE:20261124", "-PT70M", nil),
            ("DTEND;TZID=Europe/Paris:20261123T083000", "-PT70M", nil), ("DTEND:99991123T083000", "-PT70M", nil),
            ("DURATION:-PT30M", "-PT70M", nil), ("DURATION:P999999999W", "-PT70M", nil),
        ] as [(String, String, Int?)])
    func alarmsBeforeTheEnd(_ end: String, _ trigger: String, _ minutes: Int?) throws {
        let alarm = "\nBEGIN:VALARM\nACTION:DISPLAY\nTRIGGER;RELATED=END:\(trigger)\nEND:VALARM"
        #expect(try calendarEvent(in: resource("\(weekly)\n\(end)\(alarm)")).alarmMinutes == minutes)
    }

    @Test("was changed when the later of its two times says, as some programs keep one of them as it was")
    func changed() throws {
        let (early, late) = ("20261120T101112Z", "20261125T094640Z")
        for times in [
            "LAST-MODIFIED:\(early)\nDTSTAMP:\(late)", "DTSTAMP:\(early)\nLAST-MODIFIED:\(late)", "DTSTAMP:\(late)",
        ] {
            #expect(try calendarEvent(in: resource("\(weekly)\n\(times)")).modified == 1_795_600_000_000, "\(times)")
        }
    }

    @Test("takes nothing for an event that is none, or lacks what every event has")
    func damaged() throws {
        for bytes in [
            [], Array("nonsense".utf8), Array("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n".utf8), resource(weekly, uid: ""),
            resource(weekly, uid: String(repeating: "u", count: 256)), resource("RRULE:FREQ=WEEKLY"),
            resource("DTSTART:20260230T073000\nRRULE:FREQ=WEEKLY"), resource("DTSTART:20261123T\nRRULE:FREQ=WEEKLY"),
            resource("DTSTART:20261123T256000\nRRULE:FREQ=WEEKLY"), resource(weekly + "\nDTSTART:20261123T073000"),
            resource(weekly) + resource(weekly), resource(weekly + "\nSUMMARY:\u{0}"),
            resource(weekly) + [0xFF], Array(resource(weekly).dropFirst(30)),
        ] as [[UInt8]] {
            guard case .damaged = refusal(bytes) else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self)): \(String(describing: refusal(bytes)))")
                continue
            }
        }
        #expect(refusal(resource(weekly, uid: String(repeating: "u", count: 255))) == nil)
        let task = Array("BEGIN:VCALENDAR\r\nBEGIN:VTODO\r\nUID:u\r\nEND:VTODO\r\nEND:VCALENDAR\r\n".utf8)
        #expect(refusal(task) == .unsupported("it is a task"))
    }

    @Test("keeps the beginning of a long title, in whole characters, on one line")
    func titles() throws {
        let long = try calendarEvent(in: resource(weekly + "\nSUMMARY:" + String(repeating: "ü", count: 200)))
        #expect(long.summary == String(repeating: "ü", count: 128))
        let lines = try calendarEvent(in: resource(weekly + "\nSUMMARY:one\\ntwo\\;\\\\\u{7}"))
        #expect(lines.summary == "one two;\\")
        let odd = try calendarEvent(in: resource(weekly + "\nSUMMARY:" + String(repeating: "👨‍👩‍👧‍👦", count: 20)))
        #expect(odd.summary == String(repeating: "👨‍👩‍👧‍👦", count: 10))
    }
}
