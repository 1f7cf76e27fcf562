import Admission
import Daemon
import Features
import Fitness
import MQTT
import ProgramSettings
import Readings
import Records
import Telemetry
import Vault

/// `consumer.json5`. Features read keys of their own: see `FeatureSettings`.
///
/// ```
/// {
///   root: "vitals/v1", log: "info",
///   state: "consumer",              // the folder of the databases
///   root_key_file: "root.key",      // or the systemd credential `root-key`
///   forgotten_file: "/media/stick/forgotten",   // a second place for the list of those who were forgotten
///   keys: { rotate_after: "365 d" },            // how old a person's secret may become
///   time_zone: "Europe/Berlin",                 // of people who do not say theirs; the machine's own
///   broker: { … },
///   gateways: { home: { identity: "base64", password_file: "home.password" } },   // the latter with broker_rules
///   people: { demo: { sensors: ["home/strap"], kinds: ["heart-rate", "steps"] } },
///   accounts: { sign_up: true },    // without it, there are no people but those of the settings
///   broker_rules: { household: "owners" },
///   home_assistant: {},    // people may show their day there: see HomeAssistantSettings
///   reads: { steps: { every: "1 h", before_midnight: "1 min" } },   // 0 is never
///   batch: { count: 512, milliseconds: 20 },
///   limits: { gateway: { day: "1 GB", total: "50 GB" }, person: { day: "3 GB", total: "100 GB" } },   // what may be stored
///   backups: { data: "/media/backup/data", keys: "/media/stick/keys", keep: 7 },   // see BackupSettings
///   training: { exercises: "/etc/vitals/exercises.json" },   // what plans are made of: see TrainingSettings
///   workouts: { end_after: "2 h" },   // a workout in which nothing was measured for so long is ended
///   phones: { host: "vitals.example.org", port: 8883, tls: true, websocket: false },   // where phones reach the broker
///   push: { schemes: ["ntfys", "tgram"] },   // people may have their notifications brought elsewhere: see PushSetting
///   sharing: { schemes: ["mastodons"] },   // people may post what they share: see SharingSetting
///   quotes: { files: ["quotes.json"] },   // besides those that the package installs: see QuotesSetting
///   meals: { ideas: "ideas.json" },   // in place of those that the package installs: see MealsSetting
///   metrics: { listen: "127.0.0.1:9187" },   // for Prometheus
///   share_link: "https://example.org/#{goal}",   // goes with what people share; {day} and {goal} are filled in
/// }
/// ```
struct ConsumerSettings: HouseSettings {
    let topics: Topics
    /// The folder of the databases.
    private(set) var state: String
    /// Nil: the root key is a credential of systemd's. A credential takes precedence.
    let rootKeyFile: String?
    /// A second place for the list of the forgotten, in addition to the one in the state folder.
    private(set) var forgottenFile: String?
    /// The zone of people whose profile names none: a name that `ZoneRules` knows.
    let timeZone: String
    /// The client id is empty where the settings name none: then it is made from the store's id.
    let broker: MQTT.Options
    /// The gateways that are enrolled, with the keys that sign for them.
    private(set) var gateways: [ID: Ed25519.VerifyingKey]
    /// Files with those gateways' passwords for the broker, where the broker has its rules from here.
    private(set) var gatewayPasswordFiles: [ID: String]
    private(set) var people: [PersonSettings]
    /// Without accounts nobody can sign up or in.
    let hasAccounts: Bool
    /// Nil: the broker's rules are the operator's own.
    let brokerRules: BrokerRulesSettings?
    let batch: (count: Int, duration: Duration)
    /// How much gateways may have stored, and for whom.
    private(set) var limits: StorageLimits
    /// Nil if metrics are not published.
    let metrics: MetricsSettings?
    /// Where backups are kept; nil: nowhere.
    let backups: BackupSettings?
    private(set) var logLevel: LogLevel
    private(set) var ofFeatures: [any FeatureSettings]

    /// Shown to operators whose file is not a valid one.
    static let example = #"{ broker: { host: "127.0.0.1" }, state: "consumer", root_key_file: "root.key" }"#

    /// For all features.
    init(_ section: Section) throws(SettingsError) { try self.init(section, Feature.all) }

    /// - Parameter features: those that may read something of the file.
    init(_ section: Section, _ features: [Feature]) throws(SettingsError) {
        topics = try section.topics()
        state = try section.path("state", default: "consumer")
        rootKeyFile = try section.path("root_key_file", default: nil)
        forgottenFile = try section.path("forgotten_file", default: nil)
        timeZone = try Self.timeZone(section)
        broker = try MQTT.Options(section.section("broker"), clientID: "")
        let enrolled = try section.sectionsByID("gateways", Self.gateway)
        gateways = Dictionary(enrolled, uniquingKeysWith: { first, _ in first })
        let passwords = try section.sectionsByID("gateways") { (id, section) throws(SettingsError) in
            (try section.validID(id), try section.path("password_file", default: nil))
        }
        gatewayPasswordFiles = Dictionary(passwords, uniquingKeysWith: { first, _ in first }).compactMapValues { $0 }
        people = try section.sectionsByID("people", PersonSettings.init)
        hasAccounts = try section.section("accounts", default: nil) != nil
        brokerRules = try section.section("broker_rules", default: nil).map {
            [topics] (section) throws(SettingsError) in try BrokerRulesSettings(section, besides: topics)
        }
        guard !hasAccounts || brokerRules != nil else {
            throw section.refusal(
                of: "accounts", "there are accounts, and no broker_rules",
                hint: "people get a client each at the broker: add broker_rules: {} and its dynamic-security plugin")
        }
        let batch = try section.section("batch")
        self.batch = (
            try batch.integer("count", in: 1...10_000, default: 512),
            .milliseconds(try batch.integer("milliseconds", in: 1...1000, default: 20))
        )
        limits = try StorageLimits(section.section("limits"))
        metrics = try section.section("metrics", default: nil).map(MetricsSettings.init)
        backups = try section.section("backups", default: nil).map(BackupSettings.init)
        logLevel = try section.logLevel()
        ofFeatures = []
        for type in features.compactMap(\.settings) { ofFeatures.append(try type.init(section)) }
        try checkSensors(section)
    }

    /// These settings, with the parts that a running service takes from new ones.
    func taking(_ new: ConsumerSettings) -> ConsumerSettings {
        var settings = self
        settings.gateways = new.gateways
        settings.gatewayPasswordFiles = new.gatewayPasswordFiles
        settings.people = new.people
        settings.ofFeatures = ofFeatures.map { old in
            type(of: old).isTakenAtOnce ? old.counterpart(in: new.ofFeatures) : old
        }
        settings.limits = new.limits
        settings.logLevel = new.logLevel
        return settings
    }

    /// These settings for a copy in another folder, which has no list of the forgotten elsewhere.
    func rehearsing(in folder: String) -> ConsumerSettings {
        var settings = self
        settings.state = folder
        settings.forgottenFile = nil
        return settings
    }

    /// The keys that differ in `new`, and that a running service does not take.
    func changesForARestart(in new: ConsumerSettings) -> [String] {
        [
            ("root", topics != new.topics), ("state", state != new.state),
            ("root_key_file", rootKeyFile != new.rootKeyFile),
            ("forgotten_file", forgottenFile != new.forgottenFile), ("time_zone", timeZone != new.timeZone),
            // Everything in the options is a plain value, and appears in their description.
            ("broker", "\(broker)" != "\(new.broker)"),
            ("broker_rules", brokerRules != new.brokerRules),
            ("batch", batch != new.batch), ("metrics", metrics != new.metrics),
        ].filter { $0.1 }.map { $0.0 }
            + ofFeatures.filter { !type(of: $0).isTakenAtOnce && !$0.equals($0.counterpart(in: new.ofFeatures)) }
            .map { type(of: $0).key }
    }

    /// The part that concerns the broker's rules.
    var admission: AdmissionSettings {
        AdmissionSettings(
            username: broker.username, passwordFile: broker.passwordFile,
            gateways: Dictionary(uniqueKeysWithValues: gateways.keys.map { ($0, gatewayPasswordFiles[$0]) }),
            topics: topics, rules: brokerRules ?? BrokerRulesSettings())
    }

    private static func timeZone(_ section: Section) throws(SettingsError) -> String {
        guard let name = try section.string("time_zone", default: nil) else {
            guard let machines = ZoneRules.machinesZone() else {
                throw section.refusal(
                    of: "time_zone", "is missing, and which zone /etc/localtime holds cannot be told",
                    hint: "name it, such as time_zone: \"Europe/Berlin\"")
            }
            return machines
        }
        guard ZoneRules(known: name) != nil else {
            throw section.refusal(
                of: "time_zone", "\"\(name)\" is no time zone that this machine knows",
                hint: "such as \"Europe/Berlin\"; `timedatectl list-timezones` lists them; is tzdata installed?")
        }
        return name
    }

    private static func gateway(
        _ id: String, _ section: Section
    ) throws(SettingsError) -> (ID, Ed25519.VerifyingKey) {
        guard let bytes = try section.publicKey("identity") else {
            throw section.refusal(of: "identity", "missing", hint: "`vitals-gateway identity` prints it")
        }
        let gateway = try section.validID(id)
        guard id != OwnGateway.name else {
            throw section.refusal(
                of: "identity", "\"\(id)\" is the name under which the consumer stores what phones send",
                hint: "give the gateway another")
        }
        do throws(VaultError) {
            return (gateway, try Ed25519.VerifyingKey(bytes))
        } catch {
            throw section.refusal(of: "identity", "no public key: \(error.said)")
        }
    }

    /// Checks that each sensor belongs to one person, and that its gateway is enrolled.
    private func checkSensors(_ section: Section) throws(SettingsError) {
        var owners: [SensorName: ID] = [:]
        for person in people {
            for sensor in person.sensors {
                let key = "people.\(person.user).sensors"
                guard gateways[sensor.gateway] != nil else {
                    throw section.refusal(
                        of: key, "\"\(sensor)\": the gateway \(sensor.gateway) is not enrolled",
                        hint: "add it to gateways, with the key that `vitals-gateway identity` prints")
                }
                if let owner = owners.updateValue(person.user, forKey: sensor) {
                    throw section.refusal(
                        of: key, "\"\(sensor)\" is also a sensor of \(owner)",
                        hint: "a sensor belongs to one person at a time")
                }
            }
        }
    }
}
