import Foundation
import TestSupport
import Testing

@Suite("Metrics of a household")
struct MetricsTests {
    /// What a port of loopback answers to GET /metrics; nil if nobody listens there.
    private func page(_ port: UInt16) -> String? {
        let program =
            "import sys, urllib.request as r; print(r.urlopen(sys.argv[1], timeout=5).read().decode(), end='')"
        return try? RunningProgram.runPython(["-c", program, "http://127.0.0.1:\(port)/metrics"])
    }

    /// Asks until a page says so.
    private func wait(_ port: UInt16, for samples: [String]) throws -> String {
        let end = ContinuousClock.now + .seconds(60)
        var last = ""
        while ContinuousClock.now < end {
            last = page(port) ?? last
            let isThere = try samples.allSatisfy { try last.contains(Regex("(?m)^\($0)$")) }
            if isThere { return last }
            usleep(200_000)
        }
        throw TestFailure("no \(samples) in \(last)")
    }

    @Test("count what happens, are what Prometheus expects, have what alerts and dashboard ask for, and name nobody")
    func pages() throws {
        let (gateway, consumer) = (try freePort(), try freePort())
        let household = try Household(
            gatewaySettings: "metrics: { listen: \"127.0.0.1:\(gateway)\" },",
            consumerSettings: "metrics: { listen: \"127.0.0.1:\(consumer)\" },")
        try household.start()
        // As `keep-backups` writes it.
        try household.folder.write(
            #"{"time":1795471801500,"name":"2026-11-24T02-10-01Z","kept":3,"milliseconds":812}"#,
            to: "consumer/backup.json")
        try household.startSensor(["--activity", Household.recording("run-9km.csv"), "--speed", "60", "--loop"])
        for verb in ["goals/get", "goals/get", "secret-habit/of-demo"] {
            try RunningProgram.run(
                "mosquitto_pub",
                [
                    "-p", "\(household.broker.port)", "-u", "consumer", "-P",
                    try String(contentsOfFile: household.broker.folder.path("consumer.password"), encoding: .utf8)
                        .trimmingCharacters(in: .whitespacesAndNewlines),
                    "-q", "1", "-t", "vitals/v1/users/demo/requests/\(verb)", "-m", "{}",
                ])
        }
        let some = "[1-9][0-9]*"
        let ofGateway = try wait(
            gateway,
            for: [
                "vitals_gateway_notifications_total \(some)", "vitals_gateway_readings_recorded_total \(some)",
                "vitals_gateway_broker_connected 1", "vitals_gateway_broker_connections_total 1",
                "vitals_gateway_sensors_connected 1", "vitals_gateway_sensors_recorded 1", "vitals_gateway_enrolled 1",
                "vitals_gateway_bluetooth_ready 1", "vitals_gateway_disk_state\\{state=\"ok\"\\} 1",
            ])
        let ofConsumer = try wait(
            consumer,
            for: [
                "vitals_consumer_blocks_total\\{outcome=\"stored\"\\} \(some)",
                "vitals_consumer_readings_stored_total \(some)", "vitals_consumer_broker_connected 1",
                "vitals_consumer_batch_duration_seconds_count \(some)",
                "vitals_consumer_requests_total\\{verb=\"goals/get\",outcome=\"ok\"\\} 2",
                // A verb that does not exist is not repeated.
                "vitals_consumer_requests_total\\{verb=\"unknown\",outcome=\"error\"\\} 1",
                "vitals_consumer_request_errors_total\\{code=\"not-supported\"\\} 1",
                "vitals_consumer_request_duration_seconds_count 3",
                "vitals_consumer_backup_timestamp_seconds 1795471801\\.5",
                "vitals_consumer_database_bytes\\{database=\"vitals\"\\} \(some)",
            ])
        for (page, name) in [(ofGateway, "gateway.page"), (ofConsumer, "consumer.page")] {
            for secret in ["demo", "strap", "home", "Vitals HRM", "Polar", "vitals/v1", "127.0.0.1", "secret-habit"] {
                #expect(!page.contains(secret), "\(name) has \(secret)")
            }
            #expect(!page.contains(/[0-9A-F]{2}(:[0-9A-F]{2}){5}/))
            try page.write(toFile: household.folder.path(name), atomically: true, encoding: .utf8)
        }
        let script = "\(projectFolder)/Tests/HouseholdTests/metrics.py"
        let said = try RunningProgram.runPython(
            [script, projectFolder, household.folder.path("gateway.page"), household.folder.path("consumer.page")])
        #expect(said.hasSuffix(" metrics\n"), "\(said)")
    }
}
