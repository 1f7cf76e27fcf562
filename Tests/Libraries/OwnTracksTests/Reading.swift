import OwnTracks
import TestSupport

func report(_ text: String) throws -> PhoneReport { try PhoneReport(payload: Array(text.utf8)) }

func location(_ text: String) throws -> PhoneLocation {
    guard case .location(let location) = try report(text) else { throw TestFailure("no location") }
    return location
}

/// Why a message is refused, and for which field; nil where it is not.
func refusal(_ text: String) -> Refusal? { refusal(Array(text.utf8)) }

func refusal(_ payload: [UInt8]) -> Refusal? { refusal { _ = try PhoneReport(payload: payload) } }

func refusal(_ body: () throws -> Void) -> Refusal? {
    do {
        try body()
        return nil
    } catch {
        guard let error = error as? OwnTracksError else { return nil }
        return Refusal(error.reason, error.field)
    }
}

struct Refusal: Equatable {
    let reason: OwnTracksError.Reason
    let field: String?

    init(_ reason: OwnTracksError.Reason, _ field: String? = nil) {
        self.reason = reason
        self.field = field
    }
}
