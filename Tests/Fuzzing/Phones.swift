import OwnTracks

/// Messages of the phone app OwnTracks: read, written, read again; and the same when they come sealed.
func fuzzPhones(_ bytes: [UInt8]) {
    let report = accepted { () throws(OwnTracksError) in try PhoneReport(payload: bytes) }
    switch report {
    case .location(let location):
        holdAgain(.location(location), location.bytes)
        let place = location.place
        hold((-90...90).contains(place.latitude) && (-180...180).contains(place.longitude), "a place is on the Earth")
        hold(location.time > 0, "a time is after 1970")
    case .transition(let transition): holdAgain(.transition(transition), transition.bytes)
    case .steps(let steps):
        holdAgain(.steps(steps), steps.bytes)
        hold(steps.from <= steps.to && (steps.steps ?? 0) >= 0, "steps are of a time")
    default: break
    }
    guard let secret, let payload = accepted({ () throws(OwnTracksError) in try secret.seal(bytes) }) else {
        return hold(false, "any bytes are sealed")
    }
    // What is sealed is longer, and may be too long for a message.
    guard case .sealed(let sealed) = accepted({ () throws(OwnTracksError) in try PhoneReport(payload: payload) }) else {
        return hold(payload.count > PhoneReport.maximumLength, "what was sealed is a sealed message")
    }
    let opened = accepted { () throws(OwnTracksError) in try sealed.open(with: secret) }
    if case .sealed = report {
        hold(opened == nil, "nothing is sealed twice")
    } else {
        hold(opened == report, "what is opened is what was sealed")
    }
}

private let secret = accepted { () throws(OwnTracksError) in try PhoneSecret("mysecreTpass01") }

private func holdAgain(_ report: PhoneReport, _ bytes: [UInt8]) {
    let again = accepted { () throws(OwnTracksError) in try PhoneReport(payload: bytes) }
    hold(again == report, "\(report) came back as \(again.map { "\($0)" } ?? "nothing")")
}
