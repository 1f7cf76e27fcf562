import Fitness

/// Collects the points of a track, whose parts are pauses apart.
struct TrackBuilder {
    /// In the order of the file.
    private(set) var samples: [Sample] = []
    private(set) var pauses: [Pause] = []
    private var isInOrder = true
    /// Whether the next point begins a part after a pause.
    private var isAfterPause = false

    /// A part ends here, and what follows comes after a pause.
    mutating func endPart() { isAfterPause = !samples.isEmpty }

    /// What follows comes at once, though in another part.
    mutating func join() { isAfterPause = false }

    mutating func append(_ sample: Sample) {
        if let last = samples.last {
            if last.time > sample.time { isInOrder = false }
            if isAfterPause, sample.time > last.time { pauses.append(Pause(start: last.time, end: sample.time)) }
        }
        isAfterPause = false
        samples.append(sample)
    }

    /// Brings points into the order of time. Where they were in another, pauses are not known.
    mutating func finish() {
        guard !isInOrder else { return }
        samples = samples.stablySorted(by: \.time)
        pauses = []
    }
}
