import Daemon
import Glibc
import MQTT
import ProgramSettings
import Telemetry

/// What of Vitals is on this machine, and what there is to check about it.
struct Installation {
    /// Where the settings are unless the command line says otherwise.
    static let (gatewayFile, consumerFile) = ("/etc/vitals/gateway.json5", "/etc/vitals/consumer.json5")

    let checks: [Check]

    init(_ call: Call, _ arguments: Arguments) throws {
        try self.init(
            call, gateway: arguments.optionalString("gateway-settings"),
            consumer: arguments.optionalString("consumer-settings"), backups: arguments.optionalString("backups"))
    }

    /// - Parameters:
    ///   - gateway: the gateway's settings file; nil for the usual one, if it is there.
    ///   - consumer: the same of the consumer.
    ///   - backups: the folder in which the consumer's backups are; nil for what its state folder says.
    init(_ call: Call, gateway: String?, consumer: String?, backups: String?) throws {
        let named = [
            (Check.Subject.gateway, gateway, Self.gatewayFile), (.consumer, consumer, Self.consumerFile),
        ]
        var checks: [Check] = []
        var services: [Service] = []
        for (subject, file, usual) in named {
            // A folder that keeps us out may hold the file: the check says so.
            var status = stat()
            guard file != nil || stat(usual, &status) == 0 || errno == EACCES else { continue }
            let service = Service(subject, file ?? usual, within: call.timeout)
            services.append(service)
            checks += service.checks
        }
        checks.append(Check(.machine, "clock", { Clocks.finding(clockSource(), unixMilliseconds()) }))
        for service in services { checks += try Self.remote(service, call) }
        if services.isEmpty {
            checks.append(
                Check(.machine, "settings") {
                    .warning(
                        "there is neither \(Self.gatewayFile) nor \(Self.consumerFile): only the broker was looked at",
                        "name them with --gateway-settings and --consumer-settings, if they are elsewhere")
                })
            let view = BrokerView(call, consumers: false)
            checks.append(Check(.broker, "connection", view.connection))
            checks += GatewayChecks(view, call.gateway).all
        }
        if let consumer = services.first(where: { $0.subject == .consumer }) {
            let state = (try? consumer.report.get())?.state
            checks.append(
                Check(.consumer, "backups", { Backups.finding(backups, state: state, now: unixMilliseconds()) }))
        }
        self.checks = checks
    }

    /// What the broker says of one of our services.
    private static func remote(_ service: Service, _ call: Call) throws -> [Check] {
        guard case .success(let report) = service.report else { return [] }
        let options: MQTT.Options
        let topics: Topics
        do throws(MalformedValue) {
            options = try MQTT.Options(report.broker, clientID: "vitals-doctor-" + randomText())
            topics = try Topics(root: report.root)
        } catch {
            return [
                Check(service.subject, "broker") {
                    .unknown(
                        "what \(service.program) printed cannot be read: \(error)",
                        "install one version of all programs")
                }
            ]
        }
        let gateway = report.more.text("gateway").flatMap { try? ID($0) }
        let own = call.at(options, topics, gateway: gateway)
        // A guest sees nothing of what is retained.
        let isGuest = service.subject == .gateway && options.username == nil && gateway == nil
        let view = BrokerView(own, consumers: true, asGuest: isGuest, rights: report.state)
        let checks =
            CertificateChecks(service.subject, options, call.timeout).all
            + [Check(service.subject, "broker", view.connection)]
        guard !isGuest else { return checks }
        return checks
            + (service.subject == .gateway
                ? GatewayChecks(view, gateway).all : [Check(.consumer, "presence", view.consumers)])
    }
}

/// The wall clock.
enum Clocks {
    /// No program of this version ran before.
    private static let earliest: Int64 = 1_767_225_600_000

    static func finding(_ source: ClockSource, _ now: Int64) -> Finding {
        guard now >= earliest else {
            return .problem(
                "the clock says \(utcTime(now)), which is in the past: readings get wrong times",
                "set it, and keep it right with NTP", run: "sudo timedatectl set-ntp true")
        }
        switch source {
        case .ntp: return .ok("synchronised")
        case .unsynchronised:
            return .warning(
                "nobody keeps the clock right: claim codes and the times of readings need it",
                "keep it right with NTP", run: "sudo timedatectl set-ntp true")
        }
    }
}
