import Telemetry

/// A message that its phone has sealed: `{"_type":"encrypted","data":…}`. Nobody reads it without the secret.
public struct SealedReport: Hashable, Sendable {
    /// A nonce of 24 bytes, a tag of 16, and the sealed JSON.
    let nonceAndBox: [UInt8]

    init(nonceAndBox: [UInt8]) {
        self.nonceAndBox = nonceAndBox
    }

    init(_ object: JSON) throws(OwnTracksError) {
        let fields = try Fields(object, "read a sealed message")
        let text = try fields.require("data", try fields.text("data", atMost: PhoneReport.maximumLength))
        guard let bytes = Base64.bytes(text) else { throw fields.error(.malformed, "data", "is not Base64") }
        guard bytes.count >= PhoneSecret.nonceLength + PhoneSecret.tagLength else {
            throw fields.error(.malformed, "data", "is too short for what is sealed")
        }
        self.init(nonceAndBox: bytes)
    }

    /// What the phone has sealed.
    ///
    /// A secret says only who may have written a message: somebody who has it. Where a person has one, do not believe a
    /// message that came without it.
    /// - Throws: `.notOpened` where another secret has sealed it or where it was changed; `.malformed` where there is
    ///   one more sealed message in it; and all that reading throws.
    public func open(with secret: PhoneSecret) throws(OwnTracksError) -> PhoneReport {
        let report = try PhoneReport(payload: try secret.open(self))
        if case .sealed = report { throw OwnTracksError("open a message", .malformed, "it was sealed twice") }
        return report
    }

    /// The message as it is published.
    var bytes: [UInt8] {
        var members = Members(of: .encrypted)
        members.add("data", text: Base64.text(nonceAndBox))
        return members.json.bytes
    }
}
