// One program with a fuzz target for every parser that reads bytes from outside. libFuzzer makes up inputs, guided by
// what they reach, and calls `LLVMFuzzerTestOneInput` with each; the environment's VITALS_TARGET says which target gets
// them. A target does not only have to survive: it decodes, and if there is a way back, encodes and decodes again,
// and the values have to agree.
//
// It is not part of the package: Tests/Rigs/fuzzing.py builds it, from the package's own modules made for libFuzzer,
// and says how much memory and time an input may cost. Corpus/TARGET holds genuine values for it to begin with, and
// whatever was found once.

import Glibc

private let targets: [String: @Sendable ([UInt8]) -> Void] = [
    "blocks": fuzzBlocks,
    "archives": fuzzArchives,
    "calendars": fuzzCalendars,
    "catalogues": fuzzCatalogues,
    "commands": fuzzCommands,
    "control": fuzzControl,
    "fit": fuzzFIT,
    "gatt": fuzzGATT,
    "gpx": fuzzGPX,
    "json": fuzzJSON,
    "keys": fuzzKeys,
    "multistatus": fuzzMultistatus,
    "payloads": fuzzPayloads,
    "phones": fuzzPhones,
    "plans": fuzzPlans,
    "players": fuzzPlayers,
    "readings": fuzzReadings,
    "receivers": fuzzReceivers,
    "recordings": fuzzRecordings,
    "settings": fuzzSettings,
    "tcx": fuzzTCX,
    "topics": fuzzTopics,
]

private let target: @Sendable ([UInt8]) -> Void = {
    let name = getenv("VITALS_TARGET").map { String(cString: $0) } ?? ""
    guard let target = targets[name] else {
        complain("VITALS_TARGET is none of \(targets.keys.sorted().joined(separator: " "))")
        exit(64)
    }
    return target
}()

/// What libFuzzer calls with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    target(Array(UnsafeBufferPointer(start: start, count: count)))
    return 0
}

/// Ends the program if a property does not hold; libFuzzer keeps the input.
func hold(_ property: Bool, _ what: String) {
    guard !property else { return }
    complain("does not hold: \(what)")
    abort()
}

/// The value, or nil if it is refused: refusing is always allowed.
func accepted<Value, Fault: Error>(_ decode: () throws(Fault) -> Value) -> Value? {
    do throws(Fault) { return try decode() } catch { return nil }
}

/// Decodes, encodes, decodes again: the same value comes out.
func holdRoundTrip<Value: Equatable, Fault: Error>(
    _ bytes: [UInt8], _ what: String, _ encode: (Value) -> [UInt8], _ decode: ([UInt8]) throws(Fault) -> Value
) {
    guard let value = accepted({ () throws(Fault) in try decode(bytes) }) else { return }
    let again = accepted { () throws(Fault) in try decode(encode(value)) }
    hold(again == value, "\(what): \(value) came back as \(again.map { "\($0)" } ?? "nothing")")
}

private func complain(_ text: String) {
    let line = Array("\(text)\n".utf8)
    _ = write(2, line, line.count)
}
