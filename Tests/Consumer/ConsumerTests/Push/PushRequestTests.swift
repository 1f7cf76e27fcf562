import Daemon
import Files
import Foundation
import HouseholdSupport
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import Push
@testable import vitals_consumer

@Suite("Requests about addresses for notifications", .timeLimit(.minutes(60)))
struct PushRequestTests {
    @Test(
        "are answered where the operator wants it, and say otherwise what is missing; what is there can be removed then"
    )
    func wanted() throws {
        var person: ID?
        try Circle.with(more: Circle.pushSettings, otherMore: "") { circle in
            let ada = try circle.person()
            try circle.addPush(ada, "ntfys://ntfy.sh/topic", kinds: ["storage-full"])
            person = ada
        } then: { circle in
            let ada = try #require(person)
            let error = try circle.refused(ada, "push/add", ["address": "ntfys://ntfy.sh/other"])
            #expect(error.code == .notSupported && error.field == "push" && error.message.contains("push: {}"))
            let listed = try elements(circle.done(ada, "push/list"), "addresses")
            let fields: JSON = ["push": listed[0]["push"] ?? .null]
            #expect(try circle.refused(ada, "push/test", fields).code == .notSupported)
            try circle.tell(ada, "storage-full", "full")
            #expect(try circle.pushRows(ada) == 0)
            #expect(try circle.done(ada, "push/set", ["details": true])["details"] == true)
            #expect(try circle.done(ada, "push/remove", fields) == fields)
            #expect(try circle.done(ada, "push/list") == ["addresses": [], "details": true])
            #expect(try circle.refused(ada, "push/remove", fields).code == .notFound)
        }
    }

    @Test("take five addresses of a person, each once, and show none of them")
    func limits() throws {
        try Circle.with(more: Circle.pushSettings) { circle in
            let (ada, bob) = (try circle.person(), try circle.person())
            let first = try circle.done(
                ada, "push/add", ["address": "ntfys://tk_secret@ntfy.sh/topic", "label": "Ada's phone"])
            #expect(first["address"] == "ntfys://ntfy.sh/…" && first["label"] == "Ada's phone" && first["kinds"] == nil)
            let twice = try circle.refused(ada, "push/add", ["address": "ntfys://tk_secret@ntfy.sh/topic"])
            #expect(twice.code == .notAllowed && twice.field == "address")
            for number in 2...PushList.limit { try circle.addPush(ada, "ntfys://ntfy.sh/topic\(number)") }
            #expect(try circle.refused(ada, "push/add", ["address": "ntfys://ntfy.sh/one-more"]).code == .notAllowed)
            let listed = try circle.done(ada, "push/list")
            #expect(!String(decoding: listed.bytes, as: UTF8.self).contains("secret"))
            #expect(try elements(listed, "addresses").count == 5)
            for verb in ["push/remove", "push/test", "push/confirm"] {
                let fields: JSON = ["push": first["push"] ?? .null]
                #expect(try circle.refused(bob, verb, fields).code == .notFound)
            }
            // It is sealed: nothing of it is in the database's files.
            let folder = circle.consumer.settings.state
            for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let bytes = FileManager.default.contents(atPath: "\(folder)/\(file)") ?? Data()
                #expect(bytes.range(of: Data("tk_secret".utf8)) == nil, "\(file)")
            }
            for (fields, field) in [
                (["address": "file:///etc/passwd"], "address"), (["address": "ntfy://127.0.0.2/topic"], "address"),
                (["address": .string("ntfys://ntfy.sh/" + String(repeating: "a", count: 1009))], "address"),
                ([:], "address"),
                (["address": "ntfys://a.org/t", "label": .string(String(repeating: "a", count: 65))], "label"),
                (["address": "ntfys://a.org/t", "label": "a\nb"], "label"),
                (["address": "ntfys://a.org/t", "kinds": []], "kinds"),
                (["address": "ntfys://a.org/t", "kinds": ["no-such"]], "kinds"), (["address": 1], "address"),
            ] as [(JSON, String)] {
                let error = try circle.refused(bob, "push/add", fields)
                #expect(error.field == field && [.invalid, .badRequest].contains(error.code), "\(fields)")
            }
            #expect(try circle.refused(bob, "push/set").field == "details")
        }
    }

    @Test("are answered only so often where they cost something")
    func rates() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.pushSettings) { circle in
            let ada = try circle.person()
            let push = try circle.addPush(ada, "json://\(receiver.place)/")
            for _ in 1...5 { try circle.done(ada, "push/test", ["push": .string(push)]) }
            let error = try circle.refused(ada, "push/test", ["push": .string(push)])
            #expect(error.code == .rateLimited && (1...30).contains(error.retryAfterSeconds ?? 0))
            #expect(receiver.requests.count == 5)
            for _ in 1...9 {
                let added = try circle.addPush(ada, "ntfys://ntfy.sh/topic")
                try circle.done(ada, "push/remove", ["push": .string(added)])
            }
            #expect(try circle.refused(ada, "push/add", ["address": "ntfys://ntfy.sh/topic"]).code == .rateLimited)
        }
    }

    @Test("try an address, and tell what became of that")
    func tried() throws {
        let receiver = try PushReceiver()
        try Circle.with(more: Circle.pushSettings) { circle in
            let ada = try circle.person()
            let push = try circle.addPush(ada, "json://\(receiver.place)/")
            #expect(
                try circle.done(ada, "push/test", ["push": .string(push)]) == ["push": .string(push), "sent": true])
            #expect(receiver.texts == ["This is a test: Vitals can reach you here."])
            try receiver.answers("status 401")
            #expect(try circle.refused(ada, "push/test", ["push": .string(push)]).code == .refused)
            let inner = try PushReceiver(at: "127.0.0.2")
            try receiver.answers("redirect http://\(inner.place)/")
            #expect(try circle.refused(ada, "push/test", ["push": .string(push)]).code == .refused)
            #expect(inner.requests.isEmpty)
        }
    }
}
