// What a gateway says to Prometheus: the counters of its `health` under other names, and a few that only an operator
// of the machine needs. No name of a sensor, no address and no value of anybody's is among them.

import Daemon
import Exposition
import ProgramSettings
import Telemetry

/// All of a gateway's metrics. They run since it started unless they say otherwise.
struct GatewayMetrics {
    private static func counter(_ name: String, _ help: String) -> Metric {
        Metric("vitals_gateway_\(name)_total", .counter, help)
    }

    private static func gauge(_ name: String, _ help: String) -> Metric {
        Metric("vitals_gateway_\(name)", .gauge, help)
    }

    private let build = gauge("build_info", "Always 1; its label is the program's version.")
    private let journal = gauge("outbox_journal_readings", "Readings in the journal, not yet in a block.")
    private let blocks = gauge("outbox_blocks", "Blocks that the consumer has not acknowledged.")
    private let bytes = gauge("outbox_bytes", "Bytes of the blocks that the consumer has not acknowledged.")
    private let limit = gauge("outbox_limit_bytes", "Bytes that the outbox may hold, counting all that it keeps.")
    private let full = gauge(
        "outbox_full_ratio", "How full the outbox is of what must not go yet; at 1 the oldest readings are dropped.")
    private let oldest = gauge("outbox_oldest_age_seconds", "Age of the oldest block without acknowledgement.")
    private let recorded = counter("readings_recorded", "Readings appended to the outbox.")
    private let notRecorded = counter("readings_not_recorded", "Readings of sensors without a grant: live only.")
    private let dropped = counter(
        "readings_dropped", "Readings dropped because the outbox was full, since its database was made.")
    private let dead = gauge("outbox_refused_blocks", "Blocks that the consumer refused and the outbox still keeps.")
    private let notifications = counter("notifications", "Values that sensors sent by themselves.")
    private let malformed = counter("malformed_values", "Values from sensors that could not be read.")
    private let configured = gauge("sensors_configured", "Sensors that the gateway looks for.")
    private let connected = gauge("sensors_connected", "Sensors that are connected.")
    private let granted = gauge("sensors_recorded", "Sensors whose readings are recorded for somebody.")
    private let bluetooth = gauge("bluetooth_ready", "Whether an adapter can be used.")
    private let broker = gauge("broker_connected", "Whether there is a connection to the broker.")
    private let connections = counter("broker_connections", "Connections to the broker.")
    private let disk = gauge(
        "disk_state", "What becomes of what is written: the sample of the state that it is in is 1.")
    private let clock = gauge("clock_synchronised", "Whether something keeps the wall clock right.")
    private let enrolled = gauge(
        "enrolled", "Whether the gateway is enrolled with a consumer; otherwise all is live only.")
    private let process = ProcessPage(started: unixMilliseconds())

    /// What the health payload does not say.
    struct Others {
        var notifications: Int
        var isBrokerConnected: Bool
        var brokerConnections: Int
        var isEnrolled: Bool
    }

    func page(_ health: HealthPayload, _ others: Others) -> Page {
        var page = Page()
        page.add(build, [([("version", version)], 1)])
        // Without a limit, the outbox could not be asked; nothing says then that it is empty.
        if health.outbox.limitBytes > 0 { add(health.outbox, dead: health.dead, to: &page) }
        page.add(recorded, health.recorded)
        page.add(notRecorded, health.notRecorded)
        page.add(dropped, health.dropped)
        page.add(notifications, others.notifications)
        page.add(malformed, health.malformed)
        page.add(configured, health.sensors.configured)
        page.add(connected, health.sensors.connected)
        page.add(granted, health.recordedSensors.count)
        page.add(bluetooth, health.bluetooth == "ready")
        page.add(broker, others.isBrokerConnected)
        page.add(connections, others.brokerConnections)
        page.add(disk, state: (health.disk ?? .failing).rawValue, of: ["ok", "full", "failing"])
        page.add(clock, health.clock == ClockSource.ntp.rawValue)
        page.add(enrolled, others.isEnrolled)
        process.add(to: &page, residentKilobytes: health.memoryKilobytes)
        return page
    }

    private func add(_ outbox: HealthPayload.Outbox, dead refused: Int, to page: inout Page) {
        page.add(journal, outbox.journal)
        page.add(blocks, outbox.blocks)
        page.add(bytes, outbox.bytes)
        page.add(limit, outbox.limitBytes)
        if let percent = outbox.fullPercent { page.add(full, Double(percent) / 100) }
        page.add(oldest, outbox.oldestSeconds)
        page.add(dead, refused)
    }
}
