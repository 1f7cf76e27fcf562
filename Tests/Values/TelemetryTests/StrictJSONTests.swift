import Foundation
import TestSupport
import Testing

@testable import Telemetry

@Suite("JSON, read strictly")
struct StrictJSONTests {
    @Test(
        "reads what any reader of JSON reads",
        arguments: [
            "null", "true", "[]", "{}", " [ 1 , -2.5e3 , \"x\" ] ", #"{"a":{"b":[{}]},"c":""}"#, "-0", "0.1", "1E+2",
            "9223372036854775807", "9223372036854775808", #""\"\\\/\b\f\n\r\té\ud83d\ude00""#, "\"\u{1F600}é\"",
            "\t\r\n0", "\"\u{7F}\"", #"{"":1}"#, #"{"a":1,"A":2}"#,
        ])
    func reads(_ text: String) throws {
        let bytes = Array(text.utf8)
        #expect(try StrictJSON.value(bytes) == foundation(bytes))
    }

    @Test(
        "reads nothing else",
        arguments: [
            ("", .notJSON), (" ", .notJSON), ("nul", .notJSON), ("nulls", .notJSON), ("True", .notJSON),
            ("[1,]", .notJSON), ("[,1]", .notJSON), ("[1 2]", .notJSON), ("{\"a\"}", .notJSON), ("{\"a\":}", .notJSON),
            ("{a:1}", .notJSON), ("{'a':1}", .notJSON), ("{\"a\":1,}", .notJSON), ("{1:1}", .notJSON), ("[", .notJSON),
            ("{", .notJSON), ("\"", .notJSON), ("\"\\", .notJSON), ("\"\\u12", .notJSON), ("\"\\u12G4\"", .notJSON),
            ("\"\\ud800\"", .notJSON), ("\"\\ud800\\u0041\"", .notJSON), ("\"\\udc00\"", .notJSON),
            ("\"\\x\"", .notJSON), ("\"\n\"", .notJSON), ("01", .notJSON), ("-", .notJSON), ("1.", .notJSON),
            (".5", .notJSON), ("1e", .notJSON), ("+1", .notJSON), ("1e999", .notJSON), ("-1e999", .notJSON),
            ("0x1", .notJSON), ("1 1", .notJSON), ("[]]", .notJSON), ("//\n1", .notJSON), ("\u{FEFF}1", .notJSON),
            ("1\u{A0}", .notJSON), ("{\"a\":1,\"a\":1}", .duplicateName), ("{\"a\":1,\"\\u0061\":1}", .duplicateName),
            ("{\"\":1,\"\":1}", .duplicateName), ("[{\"a\":{\"b\":1,\"b\":2}}]", .duplicateName),
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", .duplicateName), ("[[[[[[[[[]]]]]]]]]", .tooDeep),
            ("{\"a\":[{\"a\":[{\"a\":[{\"a\":[{}]}]}]}]}", .tooDeep),
        ] as [(String, StrictJSON.Fault)])
    func refuses(_ text: String, _ fault: StrictJSON.Fault) {
        #expect(thrown(StrictJSON.Fault.self) { try StrictJSON.value(Array(text.utf8), maximumDepth: 8) } == fault)
    }

    @Test(
        "takes no bytes that are not UTF-8",
        arguments: [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0xED, 0xA0, 0x80]])
    func encoding(_ bytes: [UInt8]) {
        #expect(thrown(StrictJSON.Fault.self) { try StrictJSON.value(bytes) } == .notUTF8)
    }

    @Test("never takes what another reader refuses, nor reads it otherwise, whatever is thrown at it")
    func mutations() throws {
        var random = SeededGenerator(seed: 5)
        let seed = Array(#"{"iss":"x\u0061","aud":["a","b"],"exp":1.5e3,"n":-12,"o":{"p":[true,null]}}"#.utf8)
        let letters = Array(#"{}[]":,\ue0123456789.-+ tfnabx"#.utf8) + [0, 0x0A, 0x80, 0xC3, 0xFF]
        var taken = 0
        for _ in 1...20_000 {
            var bytes = seed
            for _ in 1...Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: bytes.indices, using: &random)
                let letter = letters.randomElement(using: &random) ?? 0
                switch Int.random(in: 0...2, using: &random) {
                case 0: bytes[index] = letter
                case 1: bytes.insert(letter, at: index)
                default: bytes.remove(at: index)
                }
            }
            guard let value = try? StrictJSON.value(bytes) else { continue }
            taken += 1
            #expect(try value == foundation(bytes))
        }
        #expect(taken > 1000)
    }
}

/// A value as Foundation's reader has it.
private func foundation(_ bytes: [UInt8]) throws -> JSON { try JSONDecoder().decode(JSON.self, from: Data(bytes)) }
