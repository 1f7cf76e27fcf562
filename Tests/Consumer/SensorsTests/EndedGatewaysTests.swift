import DaysSupport
import FeaturesSupport
import Foundation
import HouseholdSupport
import MQTT
import Records
import Synchronization
import TestSupport
import Testing

@testable import Daemon
@testable import Days
@testable import Features
@testable import Readings
@testable import Sensors

@Suite("What gateways left at the broker whose owner has gone", .timeLimit(.minutes(60)))
struct EndedGatewaysTests {
    @Test("are cleared away also where the broker drops most of what it kept when somebody subscribes to it")
    func manyRounds() throws {
        let limits = ["allow_anonymous true", "max_queued_messages 20", "max_inflight_messages 10"]
        try Broker.with(configuration: limits) { broker in
            let parts = try Household().open()
            try parts.store.database.execute("INSERT INTO ended_gateways (gateway) VALUES ('attic'), ('cellar')")
            let client = try Client(broker, "vitals/v1/nothing")
            defer { client.stop() }
            let published = Record<Bool>()
            for number in 0..<200 {
                client.session.publish(
                    [0x7B, 0x7D], to: "vitals/v1/gateways/attic/sensors/s\(number)/info", qos: .atLeastOnce,
                    retain: true
                ) { published.append($0 == nil) }
            }
            #expect(try published.wait(for: 200).allSatisfy { $0 })
            let session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "clearing"))
            let context = PeopleContext(
                parts.settings, [.sensors], store: parts.store, keys: parts.keys, session: session,
                changes: PeopleChanges(), doors: ClosedDoors.all)
            let lines = LogLines()
            context.limitedLog = lines.log
            let ended = EndedGateways(context, patience: .seconds(2), pause: .milliseconds(100))
            session.start(
                Handlers(
                    stateChanged: { state in
                        if case .connected = state { ended.connected() }
                    }, received: { _ = ended.takes($0) }))
            defer { session.stop() }
            let isEmpty = {
                try session.loop.sync {
                    Result { try EnrolledGateways(store: context.store, keys: context.keys).ended().isEmpty }
                }.get()
            }
            // If a round takes longer than its deadline, the other one comes first.
            let told = try [lines.next(), lines.next()]
            for gateway in ["attic", "cellar"] {
                #expect(told.contains { $0.contains("nothing of gateway \(gateway) any more") }, "\(told)")
            }
            #expect(try isEmpty())
            let left = try Client(broker, "vitals/v1/gateways/attic/#", "vitals/v1/end")
            defer { left.stop() }
            left.publish([1], to: "vitals/v1/end")
            _ = try left.wait("the end") { $0.topic == "vitals/v1/end" ? true : nil }
            #expect(!left.hasReceived { $0.retain })
        }
    }

    @Test("are cleared away though one before them cannot be: a round that does not end is given up")
    func deadline() throws {
        try Broker.with { broker in
            let parts = try Household().open()
            try parts.store.database.execute("INSERT INTO ended_gateways (gateway) VALUES ('attic')")
            let session = Session(Options(host: "127.0.0.1", port: broker.port, clientID: "clearing"))
            let context = PeopleContext(
                parts.settings, [.sensors], store: parts.store, keys: parts.keys, session: session,
                changes: PeopleChanges(), doors: ClosedDoors.all)
            let lines = LogLines()
            context.limitedLog = lines.log
            let ended = EndedGateways(context, patience: .seconds(1), pause: .milliseconds(100))
            let isDeaf = Mutex(true)
            let lost = Record<Bool>()
            session.start(
                Handlers(
                    stateChanged: { state in
                        if case .connected = state { ended.connected() }
                    },
                    // What says that a round is over is lost.
                    received: { message in
                        if isDeaf.withLock({ $0 }) { lost.append(true) } else { _ = ended.takes(message) }
                    }))
            defer { session.stop() }
            let left = {
                try session.loop.sync {
                    Result { try EnrolledGateways(store: context.store, keys: context.keys).ended().count }
                }.get()
            }
            try lost.wait(for: 1)
            #expect(try left() == 1)
            isDeaf.withLock { $0 = false }
            #expect(try lines.next().contains("nothing of gateway attic any more"))
            #expect(try left() == 0)
        }
    }
}

/// What is logged, line by line, each as if it came a minute after the one before.
private final class LogLines {
    private let pipe = Pipe()
    private var unread: [UInt8] = []
    let log: LimitedLog

    init() {
        let minutes = Atomic<UInt64>(0)
        let log = Log(descriptor: pipe.fileHandleForWriting.fileDescriptor, style: .plain, level: .info)
        self.log = LimitedLog(log) { minutes.add(1, ordering: .relaxed).newValue * 60_000 }
    }

    /// The next line, when it comes.
    func next() throws -> String {
        let descriptor = pipe.fileHandleForReading.fileDescriptor
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                defer { unread.removeSubrange(...end) }
                return String(decoding: unread[..<end], as: UTF8.self)
            }
            guard isReadable(descriptor) else { throw TestFailure("nothing was logged") }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = read(descriptor, &bytes, bytes.count)
            guard count > 0 else { throw TestFailure("the log has ended") }
            unread += bytes.prefix(count)
        }
    }
}
