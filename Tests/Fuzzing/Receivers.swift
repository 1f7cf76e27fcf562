import Positioning
import Telemetry

/// Lines of gpsd: what is taken for a fix can be one.
func fuzzReceivers(_ bytes: [UInt8]) {
    var sieve = FixSieve()
    for line in bytes.split(separator: UInt8(ascii: "\n")) {
        guard case .fix(let fix) = accepted({ () throws(MalformedValue) in try ReceiverLine(Array(line)) }) else {
            continue
        }
        let place = fix.place
        hold((-90...90).contains(place.latitude) && (-180...180).contains(place.longitude), "a place is on the Earth")
        hold(fix.time > 0 && (fix.accuracyMetres ?? 0) >= 0, "a fix has a time, and no accuracy below zero")
        hold(fix.hasAltitude || fix.altitudeMetres == nil, "a fix of two dimensions has no altitude")
        if sieve.passes(fix) { hold(!sieve.passes(fix), "the same fix does not pass twice") }
    }
}
