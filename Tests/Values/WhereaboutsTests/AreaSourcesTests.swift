import Fitness
import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Whereabouts

/// Several phones, a phone's own transitions, and what is kept of an area.
@Suite(.timeLimit(.minutes(60))) struct AreaSourcesTests {
    /// What several phones say: the minute, the phone, and how far north of home it is. The state is written and read
    /// between every two.
    private func crossings(_ said: [(Double, String, Double)]) throws -> [Crossing] {
        var watch = AreaWatch()
        let shape = try garden()
        return try said.sorted { $0.0 < $1.0 }.compactMap { minute, phone, north in
            let crossing = watch.take(fix(minute, north), of: phone, shape, now: at(minute))
            watch = try #require(AreaWatch(kept: watch.json))
            return crossing
        }
    }

    /// A phone that is at one place for some minutes.
    private func stays(_ phone: String, _ north: Double, _ minutes: ClosedRange<Int>, every: Int = 1) -> [(
        Double, String, Double
    )] {
        stride(from: minutes.lowerBound, through: minutes.upperBound, by: every).map {
            (Double($0) + (phone == "tablet" ? 0.5 : 0), phone, north)
        }
    }

    @Test("with two phones, one of which lies at home, the person leaves and enters with the other")
    func twoPhones() throws {
        let tablet = stays("tablet", 0, 0...60)
        let phone = stays("phone", 0, 0...10) + stays("phone", 700, 11...30) + stays("phone", 0, 31...60)
        #expect(
            try crossings(tablet + phone) == [
                Crossing(kind: .left, time: at(11)), Crossing(kind: .entered, time: at(31)),
            ])
    }

    @Test("a phone that falls silent outside does not come home by its silence, while another lies there")
    func silentOutside() throws {
        let tablet = stays("tablet", 0, 0...300)
        let phone = stays("phone", 0, 0...10) + stays("phone", 700, 11...20)
        #expect(try crossings(tablet + phone) == [Crossing(kind: .left, time: at(11))])
        // Charged again at home, it has come home.
        let home = stays("phone", 0, 200...210)
        let both = [Crossing(kind: .left, time: at(11)), Crossing(kind: .entered, time: at(200))]
        #expect(try crossings(tablet + phone + home) == both)
    }

    @Test("a person who was away with both phones comes home with the one that still works, and can leave again")
    func oneOfTwoDies() throws {
        let both =
            stays("phone", 0, 0...10) + stays("tablet", 0, 0...10)
            + stays("phone", 700, 11...40) + stays("tablet", 700, 11...20)
        let after = stays("phone", 0, 60...90) + stays("phone", 700, 91...100)
        // The other one was out for longer than half an hour, and is charged at home.
        for charged in [[], stays("tablet", 0, 75...90)] {
            let told = try crossings(both + after + charged)
            #expect(told.map(\.kind) == [.left, .entered, .left])
            #expect(told.dropFirst().map(\.time) == [at(60), at(91)])
        }
    }

    @Test("a second phone that is new and says something wrong once crosses nothing")
    func newPhone() throws {
        #expect(try crossings(stays("phone", 0, 0...20) + [(5.1, "tablet", 900)] + stays("tablet", 0, 6...20)).isEmpty)
        // Away twice, it is away.
        #expect(try crossings(stays("phone", 0, 0...20) + stays("tablet", 900, 5...7)).map(\.kind) == [.left])
    }

    @Test("what a phone has queued for hours crosses nothing while another says where the person is now")
    func queued() throws {
        var watch = AreaWatch()
        let shape = try garden()
        for minute in 0...300 {
            #expect(watch.take(fix(Double(minute), 0), of: "phone", shape, now: at(Double(minute))) == nil)
        }
        for minute in 60...200 {
            #expect(watch.take(fix(Double(minute), 800), of: "tablet", shape, now: at(300)) == nil)
        }
        #expect(watch.isInside == true)
    }

    @Test("after a day a silent phone is forgotten, which is no crossing, and the person can leave again")
    func forgotten() throws {
        let tablet = stays("tablet", 0, 0...1500, every: 10)
        let phone = stays("phone", 0, 0...10) + stays("phone", 700, 11...20)
        #expect(try crossings(tablet + phone).count == 1)
        let leaves = stays("tablet", 700, 1501...1510)
        let twice = [Crossing(kind: .left, time: at(11)), Crossing(kind: .left, time: at(1501.5))]
        #expect(try crossings(tablet + phone + leaves) == twice)
    }

    @Test("a phone's own transition and our fixes are one crossing, whichever comes first")
    func transitions() throws {
        let shape = try garden()
        var watch = AreaWatch()
        for minute in 0...2 { #expect(watch.take(fix(Double(minute), 0), of: "phone", shape) == nil) }
        #expect(watch.take(.left, at: at(3), of: "phone") == Crossing(kind: .left, time: at(3)))
        #expect(watch.take(.left, at: at(3), of: "phone") == nil)
        for minute in 3...6 { #expect(watch.take(fix(Double(minute), 400), of: "phone", shape) == nil) }
        // Now the fixes are first.
        #expect(watch.take(fix(7, 0), of: "phone", shape) == nil)
        #expect(watch.take(fix(8, 0), of: "phone", shape) == Crossing(kind: .entered, time: at(7)))
        #expect(
            watch.take(.entered, at: at(8), of: "phone") == nil && watch.take(.entered, at: at(9), of: "phone") == nil)
        // Between the first fix outside and the second, with the time of the first.
        #expect(watch.take(fix(10, 400), of: "phone", shape) == nil)
        #expect(watch.take(.left, at: at(10), of: "phone")?.kind == .left)
        #expect(watch.take(fix(11, 400), of: "phone", shape) == nil)
        // Late, it says nothing.
        #expect(watch.take(.entered, at: at(10.5), of: "phone") == nil && watch.isInside == false)
    }

    @Test("the first side that a transition makes known is no crossing")
    func firstTransition() {
        var watch = AreaWatch()
        #expect(watch.take(.left, at: at(0), of: "phone") == nil && watch.isInside == false)
        #expect(watch.take(.entered, at: at(1), of: "phone")?.kind == .entered)
    }

    @Test("a transition of one phone is a crossing, and what another phone says of the same one is none")
    func transitionsOfTwo() throws {
        var watch = AreaWatch()
        let shape = try garden()
        for minute in 0...1 {
            _ = watch.take(fix(Double(minute), 0), of: "phone", shape)
            _ = watch.take(fix(Double(minute), 0), of: "tablet", shape)
        }
        #expect(watch.take(.left, at: at(2), of: "phone")?.kind == .left)
        #expect(watch.take(.left, at: at(2.1), of: "tablet") == nil)
        #expect(watch.take(.entered, at: at(5), of: "phone") == nil)
        #expect(watch.take(.entered, at: at(6), of: "tablet")?.kind == .entered)
    }

    @Test("at most eight sources are remembered, and what is kept is below 2 KB")
    func bounded() throws {
        var watch = AreaWatch()
        let shape = try garden()
        for index in 0..<1000 {
            let name = String(repeating: "n", count: 94) + "\(index)".suffix(4)
            for step in 0...2 {
                _ = watch.take(fix(Double(index) / 2 + Double(step) / 60, 900 * Double(index % 2) - 5), of: name, shape)
            }
            _ = watch.take(fix(Double(index) / 2 + 0.1, 900 * Double((index + 1) % 2) - 5), of: name, shape)
            #expect(watch.json.bytes.count < 2048)
        }
        let kept = try #require(AreaWatch(kept: watch.json))
        #expect(kept == watch)
        guard case .array(let sources)? = watch.json["sources"] else { throw TestFailure("no sources") }
        #expect(sources.count == 8)
        for name in [String(repeating: "n", count: 99), String(repeating: "\u{1}", count: 20)] {
            var other = AreaWatch()
            #expect(other.take(fix(0, 0), of: name, shape) == nil && other == AreaWatch())
        }
    }

    @Test("what is no state is not read")
    func malformed() throws {
        var watch = AreaWatch()
        let shape = try garden()
        for minute in 0...3 { _ = watch.take(fix(Double(minute), 0), of: "phone", shape) }
        _ = watch.take(fix(4, 900), of: "phone", shape)
        let text = String(decoding: watch.json.bytes, as: UTF8.self)
        #expect(try AreaWatch(kept: JSON(payload: Array(text.utf8))) == watch)
        for (part, other) in [
            ("\"phone\"", "7"), ("\"inside\"", "\"in\""), ("\"outside\"", "true"), ("\"seen\"", "\"saw\""),
            ("\"since\"", "\"from\""), ("\"sources\":[", "\"sources\":[7,"), ("\"sources\":[", "\"sources\":[{},"),
            ("\"latest\":true", "\"latest\":1"), ("\"seen\":1", "\"seen\":-1"), ("\"source\"", "\"name\""),
        ] {
            let changed = text.replacingOccurrences(of: part, with: other)
            #expect(changed != text)
            #expect(try AreaWatch(kept: JSON(payload: Array(changed.utf8))) == nil, "\(changed)")
        }
        for json: JSON in [.null, [], "", 7, ["sources": 7], ["sources": .array(Array(repeating: [:], count: 9))]] {
            #expect(AreaWatch(kept: json) == nil)
        }
        #expect(AreaWatch(kept: [:]) == AreaWatch())
    }
}
