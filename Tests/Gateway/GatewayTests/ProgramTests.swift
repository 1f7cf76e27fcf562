import Foundation
import Storage
import TestSupport
import Testing

@testable import vitals_gateway

@Suite("vitals-gateway", .timeLimit(.minutes(60)))
struct ProgramTests {
    @Test("counts a sensor as connected once it was, and as gone only after that")
    func connectedCount() throws {
        let home = try Home(telling: ["fail StartNotify org.bluez.Error.Failed"])
        let health = try home.subscribe("health")
        #expect(health.line(containing: #""connected":1}"#) != nil)
        #expect(home.gateway.lines.contains { $0.contains("trying again") })
        #expect(home.sensor.obeys("drop 60"))
        #expect(health.line(containing: #""connected":0}"#) != nil)
        #expect(!health.lines.contains { $0.contains(#""connected":-"#) })
    }

    @Test("opens no files in its state folder except those that it checks before it continues")
    func stateFiles() throws {
        let home = try Home()
        #expect(try home.subscribe("sensors/strap/info").line(containing: "capabilities") != nil)
        let names = try FileManager.default.contentsOfDirectory(atPath: home.folder.path("gateway"))
        #expect(Set(names).isSuperset(of: Database.files(OutboxStore.file)), "\(names)")
        // A file that is being replaced is there by another name for a moment.
        let strange = names.filter { name in
            !GatewaySettings.stateFiles.contains { name == $0 || name.hasPrefix($0 + ".") }
        }
        #expect(strange == [])
    }

    @Test("answers clients that wait for a read when it stops, and says goodbye last")
    func stops() throws {
        let home = try Home()
        let everything = try home.subscribe("#")
        #expect(everything.line(containing: "capabilities") != nil)
        #expect(home.sensor.obeys("hang on"))
        try home.ask("waiting", expirySeconds: 60)
        // The gateway has the first request when it has answered the second; a signal could overtake both.
        try home.ask("after", expirySeconds: 1)
        #expect(everything.line(containing: "responses/after {")?.contains("timeout") == true)
        home.gateway.end()
        #expect(everything.line(containing: "responses/waiting {")?.contains("sensor-offline") == true)
        let last = try home.subscribe("status")
        #expect(last.line(containing: #""state":"#)?.contains("offline") == true)
    }

    @Test("one asker's short deadline does not end the read of another")
    func deadlines() throws {
        let home = try Home()
        let replies = try home.subscribe("responses/+")
        let info = try home.subscribe("sensors/strap/info")
        #expect(info.line(containing: "capabilities") != nil)
        #expect(home.sensor.obeys("hang on"))
        try home.ask("short", expirySeconds: 1)
        try home.ask("long", expirySeconds: 60)
        #expect(replies.line(containing: "responses/short {")?.contains("timeout") == true)
        // The link's end answers the clients that still wait.
        #expect(home.sensor.obeys("drop 60"))
        #expect(replies.line(containing: "responses/long {")?.contains("sensor-offline") == true)
    }
}
