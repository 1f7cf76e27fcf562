/// What a file holds, or a part of one that is too large for one piece.
public struct Recordings: Hashable, Sendable {
    /// What was recorded from a start to an end.
    public var activities: [Recording]
    /// Heart rates of any time of the day that belong to no activity in the file.
    public var heartRates: [HeartRateRecord]
    /// Steps of any time of the day. Those of several sources may be of the same time: they must not be added up.
    public var steps: [StepRecord]
    /// What was left out and why, at most one line for each reason: `12 points without a time`.
    public var omissions: [String]
    /// Where the file is damaged. Everything else was read before that, or beside it, and may be used.
    public var damage: ActivityFileError?

    /// Recordings from their parts.
    public init(
        activities: [Recording] = [], heartRates: [HeartRateRecord] = [], steps: [StepRecord] = [],
        omissions: [String] = [], damage: ActivityFileError? = nil
    ) {
        self.activities = activities
        self.heartRates = heartRates
        self.steps = steps
        self.omissions = omissions
        self.damage = damage
    }

    /// Whether there is neither an activity nor a record.
    public var isEmpty: Bool { activities.isEmpty && heartRates.isEmpty && steps.isEmpty }

    /// These recordings, with where their file is damaged.
    /// - Parameter nothing: what is said of a file with no recordings from which nothing was left out.
    /// - Throws: where nothing at all could be read.
    func checked(
        _ format: String, _ damage: ActivityFileError?, nothing: String
    ) throws(ActivityFileError) -> Recordings {
        guard isEmpty else {
            var recordings = self
            recordings.damage = damage
            return recordings
        }
        if let damage { throw damage }
        throw ActivityFileError(format, .empty, omissions.first ?? nothing)
    }
}

/// A heart rate at one time.
public struct HeartRateRecord: Hashable, Sendable {
    /// In Unix milliseconds.
    public var time: Int64
    /// Beats a minute.
    public var beatsPerMinute: UInt16
    /// What measured it, in the words of the file.
    public var source: String?

    /// A heart rate at one time.
    public init(time: Int64, beatsPerMinute: UInt16, source: String? = nil) {
        self.time = time
        self.beatsPerMinute = beatsPerMinute
        self.source = source
    }
}

/// Steps of some time.
public struct StepRecord: Hashable, Sendable {
    /// What `steps` counts.
    public enum Span: Hashable, Sendable {
        /// The steps from a time, in Unix milliseconds, to the record's.
        case since(Int64)
        /// The steps since the counter began, usually at the device's last midnight. Each sport has a counter of its
        /// own, and a number below the last one means that the counter began again.
        case counter
    }

    /// When they had been made, in Unix milliseconds.
    public var time: Int64
    /// Steps of both feet.
    public var steps: Int
    /// What is counted.
    public var span: Span
    /// What the person did, where the device knows.
    public var sport: Sport?
    /// What counted them, in the words of the file.
    public var source: String?

    /// Steps of some time.
    public init(time: Int64, steps: Int, span: Span, sport: Sport? = nil, source: String? = nil) {
        self.time = time
        self.steps = steps
        self.span = span
        self.sport = sport
        self.source = source
    }
}
