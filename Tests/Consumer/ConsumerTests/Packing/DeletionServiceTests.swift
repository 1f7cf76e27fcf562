import Daemon
import Foundation
import HouseholdSupport
import MQTT
import Records
import Telemetry
import TestSupport
import Testing

@testable import Features
@testable import vitals_consumer

extension ServiceTests {
    @Test("deletes a range of heart rate when its owner asks: counted, hidden when the reply comes, and soon gone")
    func deleteRange() throws {
        try broker.start()
        let client = try Client(broker, "vitals/v1/gateways/#", "vitals/v1/users/+/responses/#")
        defer { client.stop() }
        let settings = try household.settings(port: broker.port)
        let key = try Keys(settings, .create).identity.publicKey
        let consumer = try Consumer(settings, readiness: Readiness()) { Issue.record($0) }
        consumer.desk.recordRequests()
        consumer.features.context.now = { start + 60_000 }
        consumer.start()
        defer { consumer.stop() }
        try broker.waitForLog("vitals/v1/users/+/requests/#")
        let session = try GatewaySession(grant(client, key), household.home, boot: BootID(high: 0, low: 1))
        client.publish(session.keyBlock, to: blocks)
        client.publish(try session.block((0..<20).map { beat($0 * 1000, 70) }), to: blocks)
        var acknowledged = 0
        while acknowledged < 2 {
            if case .acknowledgement(let identities) = try client.control(key).body { acknowledged += identities.count }
        }
        func ask(_ fields: String) throws -> Reply.Outcome {
            let place = "vitals/v1/users/demo/responses/\(UUID().uuidString)"
            client.session.publish(
                Message(
                    topic: "vitals/v1/users/demo/requests/heart-rate/delete", payload: Array(fields.utf8),
                    qos: .atLeastOnce, properties: Message.Properties(responseTopic: place)))
            return try client.wait("a reply") { $0.topic == place ? try Reply(payload: $0.payload).outcome : nil }
        }
        for (fields, code, field) in [
            ("{}", ReplyError.Code.badRequest, "from"), (#"{"from":1,"to":"x"}"#, .badRequest, "to"),
            (#"{"from":5,"to":5}"#, .badRequest, "from"), (#"{"from":1,"to":\#(Int64.max)}"#, .badRequest, "to"),
            (#"{"from":\#(start),"to":\#(start + 60_001)}"#, .invalid, "to"),
        ] {
            guard case .error(let error) = try ask(fields) else {
                Issue.record("\(fields) was not refused")
                continue
            }
            #expect(error.code == code && error.field == field, "\(fields): \(error)")
        }
        let whole = #"{"from":\#(start + 5000),"to":\#(start + 15_000)}"#
        func reply(_ deleted: Int64) -> JSON {
            // As what is read is sorted.
            ["deleted": .integer(deleted), "from": .integer(start + 5000), "to": .integer(start + 15_000)]
        }
        #expect(try ask(whole) == .ok(reply(10)))
        let readings = ReadingsCommand(user: try ID("demo"), kind: .heartRate)
        #expect(try output { _ = try readings.run(settings, output: $0) }.count == 10)
        #expect(try ask(whole) == .ok(reply(0)))

        let gone = Record<Bool>()
        @Sendable func look() {
            guard (try? consumer.ingest.totals.deletions.pending().isEmpty) == true else {
                consumer.session.loop.after(.milliseconds(10)) { look() }
                return
            }
            gone.append(true)
        }
        consumer.session.loop.perform { look() }
        // Where the reader above was just in the way, it is tried again at the next tick, a minute later.
        try gone.wait(for: 1, within: .seconds(180))
        let found = try CheckCommand.findings(
            Store(folder: settings.state, readOnly: true, adding: Feature.all.schema), Keys(settings, .read))
        #expect(found.readings == 10 && found.isGood)
    }
}
