/// How somebody moved over a stretch of time, or did not.
public struct MotionSpan: Hashable, Sendable {
    /// How somebody can move.
    public enum State: String, CaseIterable, Hashable, Sendable {
        /// Not at all, or no farther than around a room.
        case still
        /// On foot.
        case walking
        /// On foot, fast.
        case running
        /// On a bicycle, or as fast.
        case cycling
        /// In a car, a bus or a train.
        case driving

        /// Whether it is exercise.
        public var isExercise: Bool { self == .walking || self == .running || self == .cycling }

        /// For how long it is believed without another word of it, in milliseconds: a phone that lies still says
        /// nothing for hours.
        var lasting: Int64 { self == .still ? 6 * 3_600_000 : 10 * 60_000 }
    }

    /// How they moved.
    public let state: State
    /// Unix milliseconds.
    public var from: Int64
    /// Unix milliseconds; not before `from`.
    public var to: Int64

    /// A span.
    public init(_ state: State, from: Int64, to: Int64) { (self.state, self.from, self.to) = (state, from, to) }

    var length: Int64 { to - from }
}

/// What one kind of witness says of a day: spans in their order, which do not overlap.
struct MotionSpans: Hashable, Sendable {
    /// How many there are at most: past that, the shortest goes.
    static let most = 200

    private(set) var spans: [MotionSpan]

    /// Spans in their order, which do not overlap.
    init(_ spans: [MotionSpan] = []) { self.spans = spans }

    var last: MotionSpan? { spans.last }

    /// Adds a span after the last one. What of it is not after that is left out.
    mutating func add(_ span: MotionSpan) {
        let from = max(span.from, spans.last?.to ?? span.from)
        guard span.to >= from, span.to > spans.last?.to ?? -1 || span.state != spans.last?.state else { return }
        if let last = spans.last, last.state == span.state, from - last.to <= span.state.lasting {
            spans[spans.count - 1].to = span.to
        } else {
            spans.append(MotionSpan(span.state, from: from, to: span.to))
        }
        guard spans.count > Self.most,
            let shortest = spans.indices.dropLast().min(by: { spans[$0].length < spans[$1].length })
        else { return }
        spans.remove(at: shortest)
    }

    /// The times that are in spans of others, too, are left out.
    func outside(_ others: [MotionSpan]) -> [MotionSpan] {
        var rest = spans
        for other in others {
            rest = rest.flatMap { span -> [MotionSpan] in
                guard other.from < span.to, span.from < other.to else { return [span] }
                let pieces = [
                    MotionSpan(span.state, from: span.from, to: other.from),
                    MotionSpan(span.state, from: other.to, to: span.to),
                ]
                return pieces.filter { $0.length > 0 }
            }
        }
        return rest
    }
}
