import Foundation
import Telemetry
import TestSupport
import Testing

@testable import Push

/// What Debian's Apprise does with a picture, and what comes back of what a receiver says.
@Suite("The program that hands pictures to Apprise", .timeLimit(.minutes(60)))
struct AppriseProgramTests {
    private let receiver: PushReceiver
    private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    init() throws { receiver = try PushReceiver() }

    private func send(_ scheme: String, _ rest: String, _ picture: [UInt8]? = png) throws -> AppriseResult {
        let settings = try pushSettings(
            #"{ schemes: ["json", "mastodon", "matrix", "ntfy"], private_hosts: ["127.0.0.1"] }"#
        ).apprise
        let address = try PushAddress("\(scheme)://\(rest)", settings)
        return AppriseProgram(settings).send(
            AppriseMessage(
                to: address, id: "i", title: "", text: "A run.\nOf mine",
                picture: picture.map { AppriseMessage.Picture($0) }, patience: .seconds(30)))
    }

    @Test("hands it over as it is, also if it is large", arguments: [8, 1 << 20])
    func picture(length: Int) throws {
        let picture = Self.png + [UInt8](repeating: 7, count: length - Self.png.count)
        let result = try send("json", "\(receiver.place)/", picture)
        #expect(result.outcome == .sent && result.isPictureTaken && result.answer == nil)
        let request = try #require(receiver.requests.first)
        let parsed = try #require(
            try JSONSerialization.jsonObject(with: Data(request.body.utf8)) as? [String: Any])
        let attached = try #require((parsed["attachments"] as? [[String: String]])?.first)
        #expect(attached["filename"] == "vitals.png" && attached["mimetype"] == "image/png")
        #expect(Data(base64Encoded: attached["base64"] ?? "") == Data(picture))
        #expect(parsed["message"] as? String == "A run.\nOf mine")
    }

    @Test("posts it to Mastodon, first the picture, and then what refers to it")
    func mastodon() throws {
        try receiver.answers(#"body {"id":"media-7","url":"x"}"#)
        let result = try send("mastodon", "token@\(receiver.place)/")
        #expect(result.outcome == .sent && result.isPictureTaken)
        let requests = receiver.requests
        #expect(requests.map(\.path) == ["/api/v1/media", "/api/v1/statuses"])
        #expect(requests.allSatisfy { $0.headers["authorization"] == "Bearer token" })
        #expect(requests[0].body.contains("vitals.png"))
        let status = try JSON(payload: Array(requests[1].body.utf8))
        #expect(status["media_ids"] == ["media-7"] && status["status"] == "A run.\nOf mine")
    }

    @Test("says what a receiver answered that does not take it, on one line, and cut")
    func answer() throws {
        try receiver.answers("status 422")
        try receiver.answers(#"body {"error":"Validation failed: \u202eText\n limit of 500"}"#)
        let refused = try send("mastodon", "token@\(receiver.place)/", nil)
        #expect(refused.outcome == .notTaken)
        #expect(refused.answer == "422: Validation failed:  Text  limit of 500")
        try receiver.answers(#"body {"message":"\#(String(repeating: "x", count: 400))"}"#)
        #expect(try send("json", "\(receiver.place)/", nil).answer?.count == AppriseResult.longestAnswer)
        for body in [#"{"error":7}"#, "[]", "no JSON", "7"] {
            try receiver.answers("body \(body)")
            #expect(try send("json", "\(receiver.place)/", nil).answer?.hasPrefix("422") == true, "\(body)")
        }
        #expect(try send("json", "127.0.0.1:1/", nil).answer == nil)
    }

    @Test("says whether a receiver that has not answered may have it all the same")
    func doubtful() throws {
        try receiver.answers("drop")
        let dropped = try send("json", "\(receiver.place)/", nil)
        #expect(dropped.outcome == .notTaken && dropped.isDoubtful)
        #expect(try send("mastodon", "token@\(receiver.place)/").isDoubtful)
        try receiver.answers("status 500")
        let failed = try send("json", "\(receiver.place)/", nil)
        #expect(failed.outcome == .notTaken && failed.isDoubtful && failed.answer?.hasPrefix("500") == true)
        try receiver.answers("status 422")
        #expect(try !send("json", "\(receiver.place)/", nil).isDoubtful)
        let nowhere = try send("json", "127.0.0.1:1/", nil)
        #expect(nowhere.outcome == .notTaken && !nowhere.isDoubtful)
        // Four seconds are Apprise's own patience, and a second is ours.
        try receiver.answers("hang")
        let settings = try pushSettings(#"{ schemes: ["json"], private_hosts: ["127.0.0.1"] }"#).apprise
        let message = AppriseMessage(
            to: try PushAddress("json://\(receiver.place)/", settings), id: "i", title: "", text: "t",
            patience: .seconds(1))
        let slow = AppriseProgram(settings).send(message)
        #expect(slow.outcome == .notTaken && slow.isDoubtful)
    }

    @Test("says that it is in doubt whatever a receiver says along with that")
    func longAnswer() throws {
        try receiver.answers("status 503")
        // JSON spells each of these characters with twelve others.
        try receiver.answers(#"body {"error":"\#(String(repeating: "\u{1F600}", count: 500))"}"#)
        let long = try send("json", "\(receiver.place)/", nil)
        #expect(long.isDoubtful && long.answer?.count == AppriseResult.longestAnswer)
        try receiver.answers("body \(String(repeating: "[", count: 20_000))")
        let deep = try send("json", "\(receiver.place)/", nil)
        #expect(deep.outcome == .notTaken && deep.isDoubtful && deep.answer?.hasPrefix("503") == true)
    }

    @Test("says that a picture did not go along, where Apprise sends none")
    func without() throws {
        try receiver.answers(
            #"body {"access_token":"t","home_server":"h","user_id":"u","room_id":"!r:h","joined_rooms":["!r:h"]}"#)
        let result = try send("matrix", "user:password@\(receiver.place)/!room:h")
        #expect(result.outcome == .sent && !result.isPictureTaken, "\(receiver.requests.map(\.path))")
    }

    @Test("can be read by its one path alone, cannot be changed, and opens no other file")
    func sealed() throws {
        let job = try #require(
            String(
                data: JSONSerialization.data(withJSONObject: [
                    "address": "json://\(receiver.place)/", "id": "i", "title": "t", "text": "t", "is_alert": false,
                    "has_headers": true, "private_hosts": ["127.0.0.1"], "neighbours": [],
                    "picture": Data(Self.png).base64EncodedString(), "picture_name": "p.png",
                    "picture_type": "image/png",
                ]), encoding: .utf8))
        let start = "receiver = apprise"
        for (lines, isAllowed) in [
            (["open(picture, \"rb\").read()"], true), (["open(picture, \"r+b\")"], false),
            (["os.open(picture, os.O_WRONLY)"], false), (["open(\"/proc/self/environ\")"], false),
            (["open(picture + \"/../../environ\")"], false),
            (["os.write(int(picture.split(\"/\")[-1]), b\"x\")"], false),
        ] as [([String], Bool)] {
            let source = AppriseProgram.source.replacingOccurrences(
                of: start, with: lines.joined(separator: "\n") + "\n" + start)
            #expect(source != AppriseProgram.source)
            let python = try RunningProgram("/usr/bin/python3", ["-I", "-B", "-c", source])
            python.send(job)
            let status = python.exitStatus()
            #expect((status == 0) == isAllowed, "\(lines): \(python.text)")
            // The last one meets the limit of the process first.
            if !isAllowed {
                #expect(python.text.contains("PermissionError") || python.text.contains("File too large"), "\(lines): \(python.text)")
            }
        }
    }
}
