import Telemetry
import TestSupport
import Testing

@Suite("The members of an object, as they were written")
struct WrittenMembersTests {
    private func members(_ text: some StringProtocol) throws(StrictJSON.Fault) -> [(name: String, value: String)] {
        try members(Array(text.utf8)[...])
    }

    private func members(_ bytes: ArraySlice<UInt8>) throws(StrictJSON.Fault) -> [(name: String, value: String)] {
        var found: [(name: String, value: String)] = []
        var members = WrittenMembers(of: bytes)
        while let member = try members.next() {
            found.append((member.name, String(decoding: member.value, as: UTF8.self)))
            #expect(member.isNamed(Array(member.name.utf8)) && !member.isNamed(Array("bb".utf8)))
            #expect(member.written.elementsEqual(member.writtenName + member.value))
        }
        return found
    }

    @Test(
        "a value is found as it is written, whatever it is",
        arguments: [
            "1", "-2.5", "null", #""x""#, #""a,b}]\\""#, #""\"}""#, "[]", "{}", #"[1,{"b":[2,"]"]}]"#,
            #"{"z":1,"a":{"b":","}}"#,
        ])
    func value(_ value: String) throws {
        for (before, after) in [("", ""), (#""a":1,"#, ""), ("", #","z":[3]"#), (#""a":{"b":4},"#, #","c":"}""#)] {
            let text = "{\(before)\"b\":\(value)\(after)}"
            let found = try members(text)
            #expect(found.first { $0.name == "b" }?.value == value)
            let written = found.map { "\"\($0.name)\":\($0.value)" }.joined(separator: ",")
            #expect("{\(written)}" == text)
        }
    }

    @Test("members of a part of other bytes are found, and an empty object has none")
    func slice() throws {
        let bytes = Array(#"[{"a":1,"b":{}},{}]"#.utf8)
        let found = try members(bytes[1..<15])
        #expect(found.map(\.name) == ["a", "b"] && found.map(\.value) == ["1", "{}"])
        #expect(try members(bytes[16..<18]).isEmpty)
    }

    @Test(
        "what is no object, or has no end, is an error",
        arguments: [
            "", "{", "}", "[]", "1", #"{"b"#, #"{"b""#, #"{"b":"#, #"{"b":}"#, #"{"b":,"c":1}"#, #"{"b":[1"#,
            #"{"b":"x}"#,
            #"{"b":"x\"#, #"{"b":1"#, #"{"b":1,"#, #"{"b":1,}"#, #"{"b":1]"#, #"{"b":1}}"#, #"{"b":1},"#, #"{b:1}"#,
            #"{,"b":1}"#,
        ])
    func damaged(_ text: String) {
        #expect(throws: StrictJSON.Fault.self) { try members(text) }
    }

    @Test("nothing that is cut or changed makes it read beyond the end")
    func cut() {
        let seed = Array(#"{"a":1,"b":{"c":["\\",{"d":"}"}],"e":2},"f":[3]}"#.utf8)
        for length in seed.indices {
            // The bytes after the slice are another object's.
            #expect(throws: StrictJSON.Fault.self) { try members(seed[..<length]) }
            for byte in Array(#"{}[]",:\ "#.utf8) {
                var bytes = seed
                bytes[length] = byte
                _ = try? members(bytes[...])
            }
        }
    }
}
