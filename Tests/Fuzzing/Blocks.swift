import Telemetry

/// What a block holds once it is open. The first byte says which body; the consumer knows it from the header.
func fuzzBlocks(_ bytes: [UInt8]) {
    if let header = accepted({ () throws(MalformedValue) in try BlockHeader(startOf: bytes) }) {
        hold(header.bytes == Array(bytes.prefix(BlockHeader.length)), "a header is spelt in one way only")
    }
    guard let kind = bytes.first else { return }
    let body = Array(bytes.dropFirst())
    switch kind % 3 {
    case 0:
        holdRoundTrip(body, "loose records", \.bytes) { (bytes) throws(MalformedValue) in
            try LooseBody(bytes: bytes)
        }
    case 1:
        holdRoundTrip(body, "clock correction", \.bytes) { (bytes) throws(MalformedValue) in
            try ClockBody(bytes: bytes)
        }
    default:
        holdRoundTrip(body, "gap", \.bytes) { (bytes) throws(MalformedValue) in try GapBody(bytes: bytes) }
    }
}

/// Columns: whatever `decode` accepts, `encode` accepts, and spells in one way.
func fuzzReadings(_ bytes: [UInt8]) {
    guard let readings = accepted({ () throws(MalformedValue) in try ReadingColumns.decode(bytes) }) else { return }
    hold((1...ReadingColumns.maximumCount).contains(readings.count), "a block has 1 to 64 readings")
    guard let spelt = accepted({ () throws(MalformedValue) in try ReadingColumns.encode(readings) }) else {
        return hold(false, "encode refuses what decode accepts: \(readings)")
    }
    let again = accepted { () throws(MalformedValue) in try ReadingColumns.decode(spelt) }
    hold(again == readings, "\(readings) came back as \(again ?? [])")
    hold(spelt.count <= bytes.count, "encode needs \(spelt.count) bytes for what came in \(bytes.count)")
}

/// Messages of a consumer, signed or not.
func fuzzControl(_ bytes: [UInt8]) {
    holdRoundTrip(bytes, "control message", \.unsigned) { (bytes) throws(MalformedValue) in
        try ControlMessage(unsigned: bytes)
    }
    guard let signed = accepted({ () throws(MalformedValue) in try SignedControlMessage(bytes: bytes) }) else { return }
    hold(signed.signature.count == 64, "a signature has 64 bytes")
    hold(Array(signed.signedBytes.suffix(bytes.count - 64)) == Array(bytes.dropLast(64)), "what is signed is what came")
    if case .acknowledgement(let identities) = signed.message.body {
        hold((1...ControlMessage.maximumAcknowledged).contains(identities.count), "1 to 256 blocks are acknowledged")
    }
}
