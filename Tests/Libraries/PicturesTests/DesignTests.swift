import Fitness
import Foundation
import Pictures
import TestSupport
import Testing

@Suite("Designs of pictures", .timeLimit(.minutes(60)))
struct DesignTests {
    private func poster() throws -> WorkoutPoster {
        var poster = WorkoutPoster(title: "Run", .pace)
        poster.day = CalendarDay(year: 2026, month: 11, day: 21)
        (poster.metres, poster.seconds, poster.metresPerSecond) = (9040, 2833, 3.18)
        (poster.heartRate, poster.ascentMetres, poster.kilocalories) = (154.4, 51.6, 1486)
        // A square of a kilometre, from its south-western corner, clockwise.
        poster.way = [
            [(0.0, 0.0), (0, 1000), (1000, 1000), (1000, 0)].map { WorkoutPoster.Spot(east: $0.0, north: $0.1) }
        ]
        poster.profile = [
            (0...100).map { index in
                let metres = Double(index) * 30
                return .init(metres: metres, metresPerSecond: 3 + sin(metres / 300), altitude: 100 + metres / 30)
            }
        ]
        return poster
    }

    @Test("a workout's picture says its numbers, by the tenth of a kilometre if its ends are hidden")
    func numbers() throws {
        var poster = try poster()
        let hidden = try Look(poster.picture(.light)).texts()
        for words in [
            "Run", "Saturday, 21 November 2026", "Vitals", "9.0\u{A0}km", "47:13", "5:15\u{A0}/km", "154\u{A0}bpm",
            "52\u{A0}m", "1,486\u{A0}kcal", "Start and end are hidden", "200 m", "N", "2.0 km", "6:00", "150",
            "Pace, min/km\u{A0}\u{A0}over the distance that is shown", "Altitude, m",
        ] {
            #expect(hidden.contains(words), "\(words) is missing in \(hidden)")
        }
        poster.areEndsHidden = false
        (poster.heartRate, poster.day) = (nil, nil)
        let shown = try Look(poster.picture(.dark)).texts()
        #expect(
            shown.contains("9.04\u{A0}km") && shown.contains("5:14\u{A0}/km")
                && !shown.contains("Start and end are hidden"))
        #expect(!shown.contains { $0.contains("2026") || $0.contains("bpm") || $0.contains("eart") }, "\(shown)")
    }

    @Test("a workout's picture is in miles and feet for people who read them, and tells no more of what is hidden")
    func imperial() throws {
        var poster = try poster()
        poster.units = .imperial
        let hidden = try Look(poster.picture(.light)).texts()
        // 9.04 km are told as 9.0 km, which are 5.592 miles.
        for words in [
            "5.6\u{A0}mi", "8:27\u{A0}/mi", "169\u{A0}ft", "1,000 ft", "1.0 mi", "12:00", "400",
            "Pace, min/mi\u{A0}\u{A0}over the distance that is shown", "Altitude, ft",
        ] {
            #expect(hidden.contains(words), "\(words) is missing in \(hidden)")
        }
        #expect(!hidden.contains { $0.hasSuffix("km") || $0.hasSuffix(" m") || $0.contains("/km") }, "\(hidden)")
        poster.areEndsHidden = false
        poster.swiftness = .speed
        let shown = try Look(poster.picture(.light)).texts()
        #expect(shown.contains("5.62\u{A0}mi") && shown.contains("7.1\u{A0}mph"), "\(shown)")
        #expect(shown.contains { $0.hasPrefix("Speed, mph") }, "\(shown)")
        poster.metres = 250
        poster.profile = [(0...10).map { .init(metres: Double($0) * 25, metresPerSecond: 3, altitude: nil) }]
        let short = try Look(poster.picture(.light)).texts()
        #expect(short.contains("820\u{A0}ft") && short.contains("200 ft"), "\(short)")
    }

    @Test(
        "the way is drawn with north at the top, as large as there is room, and marked only if its ends are not hidden")
    func way() throws {
        var poster = try poster()
        poster.profile = []
        let look = try Look(poster.picture(.light))
        // The three sides of the square, each as long as the others.
        let (count, box) = try look.count("d3202c")
        let (width, height) = (box[2] - box[0], box[3] - box[1])
        #expect(abs(width - height) <= 2 && height > 500 && abs(count - 3 * 8 * width) < 8 * 100, "\(count) \(box)")
        let (left, right, bottom) = (box[0] + 4, box[2] - 4, box[3] - 4)
        let pixels = try look.pixels((left, bottom - 90), (right, bottom - 90), ((left + right) / 2, bottom - 90))
        #expect(pixels.colours.prefix(2) == ["d3202c", "d3202c"] && pixels.colours[2] != "d3202c")
        // South is open.
        #expect(try look.pixels(((left + right) / 2, bottom)).colours[0] != "d3202c")
        poster.areEndsHidden = false
        let marked = try Look(poster.picture(.light))
        #expect(try marked.pixels((left, bottom), (right, bottom)).colours == ["ffffff", "ffffff"])
        #expect(try look.pixels((left, bottom), (right, bottom)).colours == ["d3202c", "d3202c"])
    }

    @Test(
        "each theme has the design's colours",
        arguments: [(Theme.light, "f2f5f4", "ffffff"), (.dark, "0d1413", "151d1c")])
    func themes(_ theme: Theme, _ ground: String, _ surface: String) throws {
        let look = try Look(poster().picture(theme))
        #expect(try look.pixels((2, 2), (1180, 600)).colours == [ground, ground])
        #expect(try look.count(surface).count > 100_000)
    }

    @Test("what is not known has no place, and a picture of numbers alone is less high")
    func unknown() throws {
        var bare = WorkoutPoster(title: "Juggling </text>", .speed)
        let empty = try bare.picture(.light)
        #expect((empty.width, empty.height) == (1200, 214))
        #expect(try Look(empty).texts() == ["Juggling </text>", "Vitals"])
        bare.seconds = 3723
        #expect(try bare.picture(.light).height == 348)
        #expect(try Look(bare.picture(.light)).texts().contains("1:02:03"))
        for hasWay in [true, false] {
            var poster = try poster()
            if hasWay { poster.profile = [] } else { poster.way = [] }
            let texts = try Look(poster.picture(.light)).texts()
            #expect(texts.contains("N") == hasWay && texts.contains("Altitude, m") != hasWay)
        }
    }

    @Test("nothing that a way or a profile may hold is drawn outside, and the largest way fits")
    func hostile() throws {
        var poster = try poster()
        poster.title = String(repeating: "W", count: 64)
        poster.way = [[.init(east: 5, north: 5)], [.init(east: 2e7, north: -1e7), .init(east: -2e7, north: 1e7)], []]
        let odd: [Int: Double] = [150: 1e9, 160: -1e9]
        let stations = (0..<400).map { index -> WorkoutPoster.Station in
            let altitude: Double? = index == 70 ? 9000 : nil
            return WorkoutPoster.Station(
                metres: Double(index) * 1e4, metresPerSecond: odd[index] ?? 3, altitude: altitude)
        }
        poster.profile = [[], [.init(metres: 0, metresPerSecond: 0, altitude: -400)], stations]
        (poster.metres, poster.seconds, poster.metresPerSecond) = (1e300, -5, 0)
        for theme in Theme.allCases {
            let elements = try Look(poster.picture(theme)).elements()
            #expect(elements.contains { $0.text.hasPrefix("WWWW") && $0.text.hasSuffix("…") })
            for element in elements where element.name == "path" {
                #expect(coordinates(element.attributes["d"]).allSatisfy { (-1...1201).contains($0) }, "\(element)")
            }
        }
        poster.way = [(0..<60_000).map { .init(east: Double($0), north: 0) }]
        #expect(throws: PictureError.self) { try poster.picture(.light) }
    }

    // MARK: A goal

    @Test(
        "a goal's ring is drawn as far as the goal was reached, and ticked only if it was",
        arguments: [
            (nil, false), (0, false), (0.5, false), (0.999, false), (1, true), (3, true), (.nan, false), (0.5, true),
        ] as [(Double?, Bool)])
    func dial(share: Double?, isReached: Bool) throws {
        let dial = GoalDial(
            title: "A goal", share: share, isReached: isReached, headline: "50 %", lines: ["5,000 steps"])
        let look = try Look(dial.picture(.light))
        func at(_ degrees: Double) -> (Int, Int) {
            let angle = (degrees - 90) * Double.pi / 180
            return (Int(480 + 336 * cos(angle)), Int(480 + 336 * sin(angle)))
        }
        // Far enough from the round ends of half a ring.
        let colours = try look.pixels(at(20), at(90), at(160), at(200), at(270), at(340)).colours
        let (drawn, open) = ("0a6a6f", "e9eeec")
        let quarters = share.map { $0 >= 0.9 ? 6 : $0 >= 0.5 ? 3 : 0 } ?? 0
        #expect(colours == (0..<6).map { $0 < quarters ? drawn : open })
        // The tick's lowest point.
        let tick = try look.pixels((468, 318), (524, 258)).colours
        #expect(tick.allSatisfy { ($0 == drawn) == isReached }, "\(tick)")
    }

    // MARK: A month

    private func month(_ days: [String: MonthOfRings.Day], _ marked: String? = nil) throws -> MonthOfRings {
        let found = days.compactMap { day, entry in CalendarDay(day).map { ($0, entry) } }
        return MonthOfRings(
            try #require(CalendarMonth("2026-11")), Dictionary(uniqueKeysWithValues: found),
            marked: marked.flatMap { CalendarDay($0) })
    }

    @Test("a month has a ring for each day that is known, with a part for each goal, filled as far as it was reached")
    func rings() throws {
        let month = try month([
            "2026-11-02": .init(steps: 0.5, distance: 1, energy: 0),
            "2026-11-03": .init(steps: 1, distance: 1.4, energy: 2),
            "2026-11-04": .init(distance: 0.25), "2026-11-05": .init(), "2026-12-01": .init(steps: 1),
        ])
        let look = try Look(month.picture(.light))
        #expect(look.picture.width == 1200)
        let texts = try look.texts()
        #expect((1...30).allSatisfy { texts.contains("\($0)") } && !texts.contains("31"))
        #expect(texts.contains("November 2026") && texts.contains("Sun"))
        #expect(
            texts.contains("Clockwise from the top: steps, distance, energy. Disc: all reached, on 1 day."), "\(texts)")
        // Monday the 2nd is in the first column of the second row: its ring's centre is (150, 463).
        let (x, y, radius) = (150.0, 463.0, 48.0)
        func at(_ degrees: Double, _ column: Double = 0) -> (Int, Int) {
            let angle = (degrees - 90) * Double.pi / 180
            return (Int(x + column * 150 + radius * cos(angle)), Int(y + radius * sin(angle)))
        }
        // Thirds from 0, 120 and 240 degrees: half of the first, all of the second, nothing of the third.
        let first = try look.pixels(at(30), at(100), at(180), at(225), at(300)).colours
        #expect(first == ["0a6a6f", "e9eeec", "0a6a6f", "0a6a6f", "e9eeec"])
        // The 3rd is a full disc, with its number in another colour; the 4th has one goal, so one ring.
        #expect(
            try look.pixels(at(0, 1), at(60, 1), (Int(x + 150), Int(y - 30))).colours == ["0a6a6f", "0a6a6f", "0a6a6f"])
        #expect(
            try look.pixels(at(2, 2), at(80, 2), at(120, 2), at(340, 2)).colours == [
                "0a6a6f", "0a6a6f", "e9eeec", "e9eeec",
            ])
        // The 5th has no goals, and the 6th is not known.
        for column in [3.0, 4] {
            #expect(try look.pixels(at(60, column), at(180, column)).colours == ["ffffff", "ffffff"])
        }
    }

    @Test("the marked day has another ground, months have as many weeks as they have, and no number breaks a ring")
    func months() throws {
        let plain = try Look(month(["2026-11-21": .init(steps: 0.5)]).picture(.light))
        let marked = try Look(month(["2026-11-21": .init(steps: 0.5)], "2026-11-21").picture(.light))
        #expect(try plain.count("dcefed").count == 0 && marked.count("dcefed").count > 5000)
        let heights = try ["2026-02", "2026-08", "2027-02"].map { text in
            try MonthOfRings(try #require(CalendarMonth(text)), [:]).picture(.dark).height
        }
        // Five weeks, six, and four.
        #expect(heights[1] - heights[0] == 142 && heights[0] - heights[2] == 142)
        #expect(
            try Look(MonthOfRings(try #require(CalendarMonth("2027-02")), [:]).picture(.dark)).texts().contains(
                "No goals in this month."))
        let odd = [Double.nan, -1, .infinity, 1e300, -.infinity, 0.999]
        let days = odd.enumerated().map {
            ("2026-11-0\($0.offset + 1)", MonthOfRings.Day(steps: $0.element, energy: $0.element))
        }
        let picture = try month(Dictionary(uniqueKeysWithValues: days)).picture(.light)
        #expect(try Look(picture).texts().contains { $0.hasSuffix("on 2 days.") })
    }
}
