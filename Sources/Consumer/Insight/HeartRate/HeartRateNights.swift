import Contract
import Days
import Desk
import Files
import Fitness
import Readings
import Records
import Telemetry

/// `heart-rate/night`: what the heart rates of a night come to, and how the time between its beats varied. Belongs to the thread of its
/// store and keys; read-only ones will do.
struct HeartRateNights {
    private let user: ID
    private let store: Store
    private let keys: Keys
    private let clock: NightClock
    private let days: Days

    /// - Parameter zone: that of people who do not say where they live.
    init(of user: ID, _ clock: NightClock, _ store: Store, _ keys: Keys, zone: String) {
        (self.user, self.clock, self.store, self.keys) = (user, clock, store, keys)
        days = Days(store, keys, Histories(store, keys, zone: zone))
    }

    /// What a request asks.
    struct Question {
        /// The day when the night ends; nil for the person's today.
        let day: CalendarDay?
        let clock: NightClock

        init(_ request: PeopleRequest) throws {
            day = try request.optionalDay("day")
            let (begin, end) = (try Self.minute(request, "begin"), try Self.minute(request, "end"))
            guard let clock = NightClock(begin: begin ?? NightFigures.usual.begin, end: end ?? NightFigures.usual.end) else {
                throw ReplyError(.invalid, "a night has to last from a minute to \(NightClock.longest / 60) hours", field: "end")
            }
            self.clock = clock
        }

        /// A time of day, such as `22:00`, in minutes.
        private static func minute(_ request: PeopleRequest, _ field: String) throws -> Int? {
            guard let text = try request.optionalText(field, atMost: 5) else { return nil }
            let parts = text.utf8.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ $0.count == 2 && $0.allSatisfy { (0x30...0x39).contains($0) } }),
                let hour = Int(String(parts[0]) ?? ""), let minute = Int(String(parts[1]) ?? ""), hour < 24, minute < 60
            else { throw ReplyError(.badRequest, "\"\(field)\" has to be a time of day such as 22:00", field: field) }
            return hour * 60 + minute
        }
    }

    /// The reply to a question.
    /// - Parameter now: Unix milliseconds.
    func answer(_ question: Question, now: Int64) throws(VaultError) -> JSON {
        let localDays = try days.histories.history(of: user).localDays
        let day = question.day ?? localDays.day(of: now)
        let times = clock.times(of: day, in: localDays).night
        var members = [JSON.Member("day", .string("\(day)"))]
        // A night that was skipped on the way over the date line has no times.
        if let first = times.first, let last = times.last {
            members += [JSON.Member("from", .integer(first.lowerBound)), JSON.Member("to", .integer(last.upperBound))]
        }
        guard let night = try days.night(of: user, on: day, clock) else { return .object(members) }
        let variability = try variability(times)
        var earlier = [variability.rmssd]
        for before in 1..<NightVariability.trendNights {
            let day = day.advanced(by: -before)
            let isRecorded = try days.night(of: user, on: day, clock) != nil
            earlier.append(isRecorded ? try self.variability(clock.times(of: day, in: localDays).night).rmssd : nil)
        }
        func rounded(_ value: Double?) -> JSON? { value.map { .number($0, decimals: 1) } }
        let lowest = night.lowest.map { JSON.object(present: ["bpm": rounded($0.mean), "time": .integer($0.from)]) }
        let figures: KeyValuePairs<String, JSON?> = [
            "recorded_s": .integer(Int64(night.recordedSeconds)), "mean": rounded(night.mean), "lowest": lowest,
            "dip_percent": rounded(night.dip), "windows": .array(variability.windows.map(Self.json)),
            "rmssd_ms": rounded(variability.rmssd), "sdnn_ms": rounded(variability.sdnn),
            "rmssd_trend_ms": rounded(NightVariability.trend(earlier)),
        ]
        return .object(members + figures.compactMap { name, value in value.map { JSON.Member(name, $0) } })
    }

    private static func json(_ window: NightVariability.Window) -> JSON {
        let summary = window.summary
        return .object(present: [
            "from": .integer(window.from), "beats": .integer(Int64(summary.beats)),
            "mean_rr_ms": summary.meanMilliseconds.map { .number($0, decimals: 1) },
            "rmssd_ms": summary.rmssd.map { .number($0, decimals: 1) }, "sdnn_ms": summary.sdnn.map { .number($0, decimals: 1) },
        ])
    }

    private func variability(_ times: [Range<Int64>]) throws(VaultError) -> NightVariability {
        var night = NightVariability()
        for times in times {
            _ = try StoredReadings(store: store, keys: keys).eachOfStreams(
                of: user, .heartRate, from: times.lowerBound, to: times.upperBound
            ) { reading, stream in
                guard reading.heartRate != nil, case .heartRate(let measurement) = reading.value else { return true }
                let intervals = measurement.rrIntervals.lazy.map { Double($0) * 1000 / 1024 }
                night.add(intervals, at: reading.moment.wall, of: stream)
                return true
            }
        }
        night.finish()
        return night
    }
}

extension RequestContract {
    static let heartRateNight = RequestContract(
        """
        What the heart rates of a night come to: figures only of a night of which at least \(NightFigures.least / 3600) hours are recorded, \
        and of times between beats only with \(NightVariability.leastWindows) windows of five minutes of which valid beats cover half.
        """,
        asks: [
            .known("day", .day.about("on which it ends; today if it is left out")),
            .known("begin", .text.about("a time of day; 22:00 if it is left out; at most \(NightClock.longest / 60) hours before the end")),
            .known("end", .text.about("a time of day; 08:00 if it is left out")),
        ],
        answers: .record([
            .always("day", .day), .known("from", .time), .known("to", .time), .known("recorded_s", .count),
            .known("mean", .number.about("beats per minute, over the recorded time")),
            .known(
                "lowest",
                .object(
                    "LowestHalfHour", "The half-hour with the lowest mean, and when it began.",
                    [.always("bpm", .number), .always("time", .time)])),
            .known("dip_percent", .number.about("how far the mean is below that of the day before")),
            .known(
                "windows",
                .array(
                    of: .object(
                        "NightWindow", "Five minutes of which valid beats cover at least half.",
                        [
                            .always("from", .time), .always("beats", .count), .known("mean_rr_ms", .number), .known("rmssd_ms", .number),
                            .known("sdnn_ms", .number),
                        ]))), .known("rmssd_ms", .number.about("the median of the windows")),
            .known("sdnn_ms", .number.about("the mean of the windows")),
            .known(
                "rmssd_trend_ms",
                .number.about("of \(NightVariability.trendNights) nights, if \(NightVariability.leastOfTrend) have one")),
        ]))
}
