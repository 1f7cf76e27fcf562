import Days
package import Desk
package import Features
import Files
import Fitness
import Readings
package import Records
package import Telemetry

// What people ask about their hearts: a curve, one moment, the intervals between beats, and how much these vary. Each
// request reads what is stored of the asker and of nobody else, because no field says whose data is meant: the topic
// says who asks.

/// Answers `heart-rate/graph`, `at`, `intervals`, `variability` and `night`.
package enum HeartRateRequests {
    /// How far the nearest sample may be from the time asked for, in milliseconds.
    static let reach: Int64 = 30_000
    /// How many intervals a reply has at most.
    static let mostIntervals = 2000
    /// The longest span for intervals and their variability, in milliseconds.
    static let longestSpan: Int64 = 24 * 3_600_000

    package static func verbs(_ readers: StoreReaders, _ context: PeopleContext) -> [Verb] {
        [
            readers.verb("heart-rate/graph", .heartRateGraph) { request in
                let (user, times) = (try request.user, try request.times())
                let points = try request.optionalInteger("points") ?? HeartRateGraph.usualPoints
                guard (1...HeartRateGraph.mostPoints).contains(points) else {
                    let words = "\"points\" has to be from 1 to \(HeartRateGraph.mostPoints)"
                    throw ReplyError(.invalid, words, field: "points")
                }
                return { source in
                    var graph = HeartRateGraph(times, points: points)
                    try graph.fill(of: user, source.store, source.keys)
                    return graph.json
                }
            },
            readers.verb("heart-rate/at", .heartRateAt) { request in
                let (user, time) = (try request.user, try request.time("time"))
                return { source in try at(time, of: user, source.store, source.keys) }
            },
            readers.verb("heart-rate/intervals", .heartRateIntervals) { request in
                let (user, times) = (try request.user, try request.times(atMost: longestSpan))
                return { source in try intervals(of: user, times, source.store, source.keys) }
            },
            readers.verb("heart-rate/variability", .heartRateVariability) { request in
                let (user, times) = (try request.user, try request.times(atMost: longestSpan))
                return { source in try variability(of: user, times, source.store, source.keys) }
            },
            // It reads the beats of seven nights.
            readers.verb("heart-rate/night", .heartRateNight, isLong: true) { request in
                let (user, question) = (try request.user, try HeartRateNights.Question(request))
                let (zone, now) = (context.settings.timeZone, context.now())
                return { source in
                    try HeartRateNights(of: user, question.clock, source.store, source.keys, zone: zone).answer(question, now: now)
                }
            },
        ]
    }

    /// The sample nearest to a time, Unix milliseconds; of two that are equally near, the earlier one. Of several sensors, those of
    /// the best one count, if it has any that are near.
    package static func at(_ time: Int64, of user: ID, _ store: Store, _ keys: Keys) throws -> JSON {
        let near = time - reach..<time + reach + 1
        var streams: Set<Int64> = []
        func nearest(_ counts: (Reading, Int64) -> Bool) throws -> Reading? {
            var nearest: Reading?
            _ = try StoredReadings(store: store, keys: keys).eachOfStreams(
                of: user, .heartRate, from: near.lowerBound, to: near.upperBound
            ) { reading, stream in
                guard reading.heartRate != nil else { return true }
                streams.insert(stream)
                let distance = (reading.moment.wall - time).magnitude
                if counts(reading, stream), nearest.map({ distance < ($0.moment.wall - time).magnitude }) ?? true { nearest = reading }
                return true
            }
            return nearest
        }
        var found = try nearest { _, _ in true }
        if streams.count > 1 {
            var best = BestHeartRates(try HeartRateTiers(store, keys).minutes(of: user, in: HeartRateGraph.needed(near)))
            found = try nearest { best.isBest($1, at: $0.moment.wall).ofSlot } ?? found
        }
        guard let nearest = found, case .heartRate(let measurement) = nearest.value else {
            throw ReplyError(.notFound, "there is no heart rate within \(reach / 1000) s of this time", field: "time")
        }
        var payload = HeartRatePayload(measurement, at: nearest.moment.wall)
        payload.energyKilojoules = nil
        return payload.json
    }

    /// The times between beats, each with the time of the reading that it came with.
    package static func intervals(of user: ID, _ times: Range<Int64>, _ store: Store, _ keys: Keys) throws -> JSON {
        var (walls, intervals): ([Int64], [JSON]) = ([], [])
        var next: Int64?
        try forEachSample(of: user, times, store, keys) { wall, measurement in
            let found = HeartRatePayload(measurement, at: wall).rrMilliseconds ?? []
            guard walls.count + found.count <= mostIntervals else {
                next = wall
                return false
            }
            walls += found.map { _ in wall }
            intervals += found.map { .integer(Int64($0)) }
            return true
        }
        if let time = next {
            // The next reply begins with all of its millisecond. If that alone is too much, the rest is left out: no
            // heart beats like that.
            let whole = walls.firstIndex(of: time) ?? walls.count
            if whole > 0 {
                (walls, intervals) = (Array(walls[..<whole]), Array(intervals[..<whole]))
            } else {
                next = time + 1
            }
        }
        return .object(present: [
            "time": .array(walls.map { .integer($0) }), "rr_ms": .array(intervals), "next": next.map { .integer($0) },
        ])
    }

    /// How much the times between beats vary.
    static func variability(of user: ID, _ times: Range<Int64>, _ store: Store, _ keys: Keys) throws -> JSON {
        var sums = HeartRateVariability.Sums()
        try forEachSample(of: user, times, store, keys) { wall, measurement in
            sums.add(measurement.rrIntervals.lazy.map { Double($0) * 1000 / 1024 }, at: wall)
            return true
        }
        let summary = sums.summary
        func rounded(_ milliseconds: Double?) -> JSON? { milliseconds.map { .number(HeartRateGraph.rounded($0)) } }
        return .object(present: [
            "beats": .integer(Int64(summary.beats)), "mean_rr_ms": rounded(summary.meanMilliseconds),
            "rmssd_ms": rounded(summary.rmssd), "sdnn_ms": rounded(summary.sdnn),
        ])
    }

    private static func forEachSample(
        of user: ID, _ times: Range<Int64>, _ store: Store, _ keys: Keys,
        while body: (_ wall: Int64, _ measurement: HeartRateMeasurement) -> Bool
    ) throws(VaultError) {
        _ = try StoredReadings(store: store, keys: keys).each(
            of: user, .heartRate, from: times.lowerBound, to: times.upperBound
        ) { reading in
            guard reading.heartRate != nil, case .heartRate(let measurement) = reading.value else { return true }
            return body(reading.moment.wall, measurement)
        }
    }
}

extension PeopleRequest {
    /// A whole number; nil if the field is absent or null.
    package func optionalInteger(_ field: String) throws(ReplyError) -> Int64? {
        switch fields[field] {
        case nil, .null?: return nil
        case .integer(let value)?: return value
        default: throw ReplyError(.badRequest, "\"\(field)\" has to be a whole number", field: field)
        }
    }

    /// A field that must be there: Unix milliseconds, no further from 0 than any time that readings may have.
    package func time(_ field: String) throws(ReplyError) -> Int64 {
        guard let time = try optionalInteger(field) else {
            throw ReplyError(.badRequest, "\"\(field)\" is missing", field: field)
        }
        guard time.magnitude <= Moment.limit.magnitude else {
            throw ReplyError(.invalid, "\"\(field)\" has to be a time in Unix milliseconds", field: field)
        }
        return time
    }

    /// Fields that must be there: `from`, and a later `to`.
    package func times(atMost milliseconds: Int64 = .max) throws(ReplyError) -> Range<Int64> {
        let (from, to) = (try time("from"), try time("to"))
        guard from < to else { throw ReplyError(.invalid, "\"to\" has to be later than \"from\"", field: "to") }
        guard to - from <= milliseconds else {
            throw ReplyError(
                .invalid, "between \"from\" and \"to\" there may be at most \(milliseconds / 3_600_000) hours",
                field: "to")
        }
        return from..<to
    }
}
