// What the consumer says to Prometheus: counts, times and sizes. Labels are verbs, error codes and states, all of which
// the program knows beforehand; no id of a person, a gateway or a sensor is among them.

import Daemon
import Desk
import Exposition
import Features
import Glibc
import MQTT
import ProgramSettings
import Readings
import Records
import Storage

/// All of the consumer's metrics. They run since it started unless they say otherwise.
struct ConsumerMetrics {
    /// What is counted for them alone. Belongs to the session's thread.
    struct Counts {
        var isConnected = false
        var connections = 0
        var batches = Histogram([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1, 5])

        mutating func changed(to state: MQTT.State) {
            guard case .connected = state else {
                isConnected = false
                return
            }
            isConnected = true
            connections += 1
        }
    }

    private static func counter(_ name: String, _ help: String) -> Metric {
        Metric("vitals_consumer_\(name)_total", .counter, help)
    }

    private static func gauge(_ name: String, _ help: String) -> Metric {
        Metric("vitals_consumer_\(name)", .gauge, help)
    }

    private static func histogram(_ name: String, _ help: String) -> Metric {
        Metric("vitals_consumer_\(name)", .histogram, help)
    }

    private let build = gauge("build_info", "Always 1; its label is the program's version.")
    private let blocks = counter("blocks", "Blocks that gateways sent, by what became of them.")
    private let live = counter("live_blocks", "Blocks that were sent at once and are not stored.")
    private let readings = counter("readings_stored", "Readings that were stored.")
    private let batches = histogram("batch_duration_seconds", "From the end of a batch to its answers.")
    private let stale = gauge(
        "stale_ranges", "Ranges of hours that are going to be computed again; 10,000 is as far as it counts.")
    private let database = gauge("database_bytes", "Size of a database, with its log.")
    private let broker = gauge("broker_connected", "Whether there is a connection to the broker.")
    private let connections = counter("broker_connections", "Connections to the broker.")
    private let requests = counter(
        "requests", "Requests of people and guests, by verb and by whether they were carried out.")
    private let errors = counter("request_errors", "Requests that were not carried out, by the code of the reply.")
    private let unanswered = counter("requests_unanswered", "Refusals that were not sent, because there were too many.")
    private let requestSeconds = histogram("request_duration_seconds", "From a request's batch to its reply.")
    private let notifications = counter("notifications_published", "Notifications that the broker has taken.")
    private let disk = gauge(
        "disk_state", "What becomes of what is written: the sample of the state that it is in is 1.")
    private let backup = gauge(
        "backup_timestamp_seconds", "When the latest good backup was made, in Unix seconds; 0 if there was none yet.")
    private let clock = gauge("clock_synchronised", "Whether something keeps the wall clock right.")
    private let process = ProcessPage(started: unixMilliseconds())

    /// On the session's thread.
    func page(_ consumer: Consumer) -> Page {
        var page = Page()
        page.add(build, [([("version", version)], 1)])
        add(consumer.counts, to: &page)
        page.add(batches, consumer.measured.batches)
        do throws(VaultError) {
            page.add(stale, try consumer.streams.grants.store.staleRanges())
        } catch {
            // Nothing says then that there are none.
            log.debug("metrics: \(error)")
        }
        page.add(database, by: "database", databases(in: consumer.settings.state))
        page.add(broker, consumer.measured.isConnected)
        page.add(connections, consumer.measured.connections)
        add(consumer.desk.counts, to: &page)
        page.add(notifications, consumer.features.only(NotificationPublisher.self)?.published ?? 0)
        page.add(disk, state: consumer.disk.condition.rawValue, of: ["ok", "full", "failing", "locked"])
        page.add(backup, backups(consumer.settings))
        page.add(clock, clockSource() == .ntp)
        process.add(to: &page, residentKilobytes: residentMemoryKilobytes())
        return page
    }

    private func add(_ counts: Verdicts.Counts, to page: inout Page) {
        page.add(
            blocks, by: "outcome",
            [
                ("stored", counts.stored), ("duplicate", counts.duplicates), ("discarded", counts.discarded),
                ("too_dense", counts.tooDense), ("refused", counts.refused), ("not_now", counts.notNow),
                ("held", counts.held), ("ignored", counts.ignored),
            ])
        page.add(live, by: "outcome", [("taken", counts.live), ("ignored", counts.liveIgnored)])
        page.add(readings, counts.readings)
    }

    private func add(_ counts: DeskCounts, to page: inout Page) {
        let byVerb = { (counts: [String: Int], outcome: String) in
            counts.sorted { $0.key < $1.key }.map { verb, count in
                (labels: [(name: "verb", value: verb), (name: "outcome", value: outcome)], value: Double(count))
            }
        }
        page.add(requests, byVerb(counts.answered, "ok") + byVerb(counts.refused, "error"))
        page.add(
            errors, by: "code",
            counts.errors.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 })
        page.add(unanswered, counts.unanswered)
        page.add(requestSeconds, counts.seconds)
    }

    /// One sample; none in a home whose settings ask for no backups, and that has none.
    private func backups(_ settings: ConsumerSettings) -> [(labels: [(name: String, value: String)], value: Double)] {
        do {
            guard let latest = try BackupRecord.latest(in: settings.state) else {
                return settings.backups == nil ? [] : [([], 0)]
            }
            return [([], Double(latest) / 1000)]
        } catch {
            // Nothing says then that there is one.
            log.debug("metrics: \(error)")
            return []
        }
    }

    private func databases(in folder: String) -> [(String, Int)] {
        [("vitals", Store.file), ("keys", Keys.file)].compactMap { name, file in
            let sizes = ["", "-wal"].compactMap { Self.size("\(folder)/\(file)\($0)") }
            return sizes.isEmpty ? nil : (name, sizes.reduce(0, +))
        }
    }

    private static func size(_ path: String) -> Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : nil
    }
}

extension Exposition {
    /// What the settings ask for.
    convenience init(
        _ settings: MetricsSettings,
        _ make: @escaping @Sendable (_ done: @escaping @Sendable (Page) -> Void) -> Void
    ) {
        let limitedLog = LimitedLog()
        self.init(
            at: settings.listen.map { ListeningAddress(host: $0.host, port: $0.port) }, file: settings.file,
            every: settings.interval,
            problem: { problem in limitedLog.warning("metrics") { problem + $0 } }, make)
    }
}
