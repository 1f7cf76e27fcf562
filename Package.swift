// swift-tools-version:6.0
import PackageDescription

// Each row imports only rows below it, and what stands in one row never imports each other (Tests/Structure/rooms.py looks):
//
//   programs    Gateway/vitals-gateway   Consumer/vitals-consumer   Sensor/vitals-sensor   Command/vitals
//   consumer    Sharing
//               Posts
//               Guardians   Partners
//               Social   Phones   Push   Calendars   Music   Voice   Training   Groups   Meals
//               Accounts   Sensors   Insight   Exercise   Custody   Reminders   Quotes
//               Features
//               Days   OpenID
//               Readings   Admission   Desk
//               Records   Packed
//   settings    ProgramSettings
//   libraries   CalDAV   ActivityFiles   WebPush
//               Bluetooth   MQTT   Vault   Daemon   Fetch   Compression   XMLDocuments   CalendarFiles   OwnTracks   QRCodes   Pictures   Positioning   MusicPlayer   Exposition   Speech   Contract
//   plumbing    DBus   Storage
//               Reactor   Files
//   values      Whereabouts   TrainingPlans
//               Workouts   Schedules
//               Telemetry   Fitness
//   C           CDBus   CMosquitto   CSQLite   COpenSSL   CCurl   CZstandard   CSodium   CQREncode   CCairo   CXML   CZip   CZlib   CICal   CPSL   CMicrohttpd   CMPD   CSpeech   CLinux
//
// Each layer is a folder of Sources, and Tests has the same folders. A C library is imported by exactly one target.

let house: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

/// A layer, which is a folder of Sources and of Tests.
enum Layer: String {
    case c = "C"
    case values = "Values"
    case plumbing = "Plumbing"
    case libraries = "Libraries"
    case settings = "Settings"
    case gateway = "Gateway"
    case consumer = "Consumer"
    case sensor = "Sensor"
    case command = "Command"
}

func library(_ layer: Layer, _ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, path: "Sources/\(layer.rawValue)/\(name)", swiftSettings: house)
}

/// What Debian asks of its programs, and what its own Swift leaves out: what the linker has filled in can only be read, and there
/// is an id by which symbols for a debugger are found. Debian's linker, which its Swift takes, can do only the second for ours.
let hardened: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"] + ["-z", "relro", "-z", "now", "--build-id=sha1"].flatMap { ["-Xlinker", $0] },
        .when(configuration: .release))
]

func program(_ layer: Layer, _ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(
        name: name, dependencies: dependencies, path: "Sources/\(layer.rawValue)/\(name)", swiftSettings: house,
        linkerSettings: hardened)
}

/// Tests of one layer, or of the whole house.
func tests(_ layer: Layer?, _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(
        name: name, dependencies: dependencies, path: layer.map { "Tests/\($0.rawValue)/\(name)" } ?? "Tests/\(name)",
        exclude: exclude, swiftSettings: house)
}

/// What several test targets share, of one layer or of the whole house.
func testSupport(_ layer: Layer?, _ name: String, _ uses: [Target.Dependency], exclude: [String] = []) -> Target {
    .target(
        name: name, dependencies: uses, path: layer.map { "Tests/\($0.rawValue)/\(name)" } ?? "Tests/\(name)",
        exclude: exclude, swiftSettings: house)
}

/// - Parameter pkgConfig: none where what it says is not wanted: Debian 13's for libcurl names the headers of Kerberos besides, and
///   the package manager warns of that at each build.
func system(_ name: String, pkgConfig: String?, apt: String?) -> Target {
    .systemLibrary(
        name: name, path: "Sources/\(Layer.c.rawValue)/\(name)", pkgConfig: pkgConfig,
        providers: apt.map { [.apt([$0])] })
}

let package = Package(
    name: "vitals",
    targets: [
        system("CDBus", pkgConfig: "dbus-1", apt: "libdbus-1-dev"),
        system("CMosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CZstandard", pkgConfig: "libzstd", apt: "libzstd-dev"),
        system("CSodium", pkgConfig: "libsodium", apt: "libsodium-dev"),
        system("CQREncode", pkgConfig: "libqrencode", apt: "libqrencode-dev"),
        // What pkg-config says of cairo names the headers of glib, X and more, which nothing here needs.
        system("CCairo", pkgConfig: nil, apt: "libcairo2-dev"),
        system("CXML", pkgConfig: "libxml-2.0", apt: "libxml2-dev"),
        system("CZip", pkgConfig: "libzip", apt: "libzip-dev"),
        system("CZlib", pkgConfig: "zlib", apt: "zlib1g-dev"),
        // What pkg-config says of libical asks for two more libraries, which nothing here needs.
        system("CICal", pkgConfig: nil, apt: "libical-dev"),
        system("CPSL", pkgConfig: "libpsl", apt: "libpsl-dev"),
        // These two are loaded where they are needed. What pkg-config says would have them linked.
        system("CMicrohttpd", pkgConfig: nil, apt: "libmicrohttpd-dev"),
        system("CMPD", pkgConfig: nil, apt: "libmpdclient-dev"),
        system("CCurl", pkgConfig: nil, apt: "libcurl4-openssl-dev"),
        // What pkg-config says of libspeechd names the headers of glib, which nothing here needs.
        system("CSpeech", pkgConfig: nil, apt: "libspeechd-dev"),
        // The kernel's own, of which Swift's module of glibc has a part.
        system("CLinux", pkgConfig: nil, apt: nil),

        library(.values, "Telemetry"),
        library(.values, "Fitness"),
        library(.values, "Workouts", ["Fitness"]),
        library(.values, "Schedules", ["Fitness"]),
        library(.values, "Whereabouts", ["Fitness", "Telemetry", "Workouts"]),
        library(.values, "TrainingPlans", ["Fitness", "Telemetry"]),

        library(.plumbing, "Reactor"),
        library(.plumbing, "DBus", ["CDBus", "Reactor"]),
        library(.plumbing, "Files"),
        library(.plumbing, "Storage", ["CSQLite", "Files"]),

        library(.libraries, "Bluetooth", ["DBus", "Reactor"]),
        library(.libraries, "MQTT", ["CMosquitto", "Files", "Reactor"]),
        library(.libraries, "Vault", ["COpenSSL", "Files"]),
        library(.libraries, "Daemon", ["CLinux", "Files", "Fitness", "Telemetry"]),
        library(.libraries, "Fetch", ["CCurl"]),
        library(.libraries, "XMLDocuments", ["CXML"]),
        library(.libraries, "Compression", ["CZstandard"]),
        library(.libraries, "OwnTracks", ["CSodium", "Fitness", "Telemetry"]),
        library(.libraries, "QRCodes", ["CQREncode"]),
        library(.libraries, "Pictures", ["CCairo", "Fitness"]),
        library(.libraries, "Positioning", ["Fitness", "Reactor", "Telemetry"]),
        library(.libraries, "MusicPlayer", ["CMPD", "Reactor", "Telemetry"]),
        library(.libraries, "ActivityFiles", ["CZip", "CZlib", "Files", "Fitness", "Storage", "XMLDocuments"]),
        library(.libraries, "CalendarFiles", ["CICal", "Fitness"]),
        library(.libraries, "CalDAV", ["CPSL", "Fetch", "XMLDocuments"]),
        library(.libraries, "WebPush", ["Fetch", "Telemetry", "Vault"]),
        library(.libraries, "Exposition", ["CMicrohttpd", "Reactor"]),
        library(.libraries, "Speech", ["CSpeech"]),
        library(.libraries, "Contract", ["Telemetry"]),

        library(.settings, "ProgramSettings", ["Daemon", "Files", "MQTT", "Telemetry"]),

        program(
            .gateway, "vitals-gateway",
            [
                "Bluetooth", "Daemon", "Exposition", "Files", "Fitness", "MQTT", "MusicPlayer", "Positioning",
                "ProgramSettings", "Reactor", "Storage", "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Records",
            ["Compression", "Daemon", "Files", "Fitness", "ProgramSettings", "Storage", "Telemetry", "Vault"]),
        library(
            .consumer, "Admission", ["Daemon", "Files", "MQTT", "ProgramSettings", "Reactor", "Telemetry", "Vault"]),
        library(
            .consumer, "Desk",
            ["Contract", "Daemon", "Exposition", "Files", "MQTT", "Reactor", "Telemetry", "Vault"]),
        library(.consumer, "Packed", ["Compression", "Telemetry"]),
        library(
            .consumer, "Readings",
            [
                "Compression", "Daemon", "Files", "Fitness", "Packed", "ProgramSettings", "Reactor", "Records",
                "Storage",
                "Telemetry", "Vault",
            ]),
        library(
            .consumer, "OpenID",
            ["Daemon", "Desk", "Fetch", "Files", "Reactor", "Records", "Storage", "Telemetry", "Vault"]),
        library(
            .consumer, "Days",
            [
                "Contract", "Compression", "Daemon", "Files", "Fitness", "Reactor", "Readings", "Records", "Storage",
                "Telemetry",
            ]),
        library(
            .consumer, "Features",
            [
                "Contract",
                "Admission", "Daemon", "Days", "Desk", "Fetch", "Files", "Fitness", "MQTT", "Reactor", "Readings",
                "Records", "Storage", "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Sensors",
            [
                "Contract",
                "Admission", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "Reactor", "Readings",
                "Records", "Storage", "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Insight",
            [
                "Contract",
                "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "Pictures", "Readings", "Records",
                "Storage", "Telemetry",
            ]),
        library(
            .consumer, "Exercise",
            [
                "Contract",
                "ActivityFiles", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "Pictures",
                "Reactor",
                "Readings", "Records", "Storage", "Telemetry", "Workouts",
            ]),
        library(
            .consumer, "Custody",
            [
                "Contract",
                "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "Reactor", "Readings", "Records", "Storage",
                "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Accounts",
            [
                "Contract",
                "Admission", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "OpenID",
                "ProgramSettings", "Reactor", "Readings", "Records", "Storage", "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Social",
            [
                "Contract",
                "Accounts", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "Reactor", "Readings",
                "Records", "Storage", "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Phones",
            [
                "Contract",
                "Accounts", "Admission", "Daemon", "Desk", "Features", "Files", "Fitness", "MQTT", "OwnTracks",
                "Readings", "Records", "Storage", "Telemetry", "Vault",
            ]),
        library(
            .consumer, "Guardians",
            [
                "Accounts", "Contract", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "OwnTracks",
                "Phones", "Reactor", "Readings", "Records", "Storage", "Telemetry", "Whereabouts",
            ]),
        library(
            .consumer, "Posts",
            [
                "Accounts", "Contract", "Daemon", "Days", "Desk", "Exercise", "Features", "Files", "Fitness", "Groups",
                "MQTT", "Reactor", "Records", "Social", "Storage", "Telemetry", "Training",
            ]),
        library(
            .consumer, "Reminders",
            [
                "Contract", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "Reactor", "Records", "Schedules",
                "Storage", "Telemetry",
            ]),
        library(
            .consumer, "Quotes",
            [
                "Contract", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "MQTT", "ProgramSettings", "Readings",
                "Records", "Storage", "Telemetry",
            ]),
        library(
            .consumer, "Calendars",
            [
                "CalDAV", "CalendarFiles", "Contract", "Daemon", "Days", "Desk", "Features", "Fetch", "Files", "Fitness",
                "MQTT", "Reactor", "Readings", "Records", "Reminders", "Schedules", "Storage", "Telemetry",
            ]),
        library(
            .consumer, "Voice",
            [
                "Contract", "Daemon", "Days", "Desk", "Exercise", "Features", "Files", "MQTT", "Reactor", "Records",
                "Telemetry", "TrainingPlans", "Workouts",
            ]),
        library(
            .consumer, "Training",
            [
                "Accounts", "Contract", "Daemon", "Days", "Desk", "Exercise", "Features", "Files", "Fitness", "Insight",
                "MQTT", "Reactor", "Readings", "Records", "Storage", "Telemetry", "TrainingPlans",
                "Workouts",
            ]),
        library(
            .consumer, "Music",
            [
                "Contract", "Desk", "Exercise", "Features", "Files", "MQTT", "Readings", "Records", "Telemetry",
            ]),
        library(
            .consumer, "Meals",
            [
                "Contract", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "ProgramSettings",
                "Readings", "Records", "Storage", "Telemetry",
            ]),
        library(
            .consumer, "Push",
            [
                "Accounts", "Contract", "Daemon", "Days", "Desk", "Features", "Fetch", "Files", "Fitness", "MQTT", "Reactor",
                "Readings", "Records", "Storage", "Telemetry", "Vault", "WebPush",
            ]),
        library(
            .consumer, "Groups",
            [
                "Contract", "Daemon", "Days", "Desk", "Exercise", "Features", "Files", "Fitness", "MQTT", "Reactor", "Records",
                "Storage", "Telemetry", "Workouts",
            ]),
        library(
            .consumer, "Partners",
            [
                "Contract", "Daemon", "Days", "Desk", "Features", "Files", "Fitness", "Reactor", "Records", "Social", "Storage",
                "Telemetry", "Workouts",
            ]),
        library(
            .consumer, "Sharing",
            [
                "Contract", "Daemon", "Days", "Desk", "Exercise", "Features", "Files", "Fitness", "Insight", "Pictures",
                "Posts", "Push", "Reactor", "Readings", "Records", "Schedules", "Telemetry", "TrainingPlans", "Workouts",
            ]),
        program(
            .consumer, "vitals-consumer",
            [
                "Accounts", "Admission", "Calendars", "Custody", "Daemon", "Days", "Desk", "Exercise", "Exposition",
                "Features", "Files", "Fitness", "Groups", "Guardians", "Insight", "MQTT", "Meals", "Music", "Partners", "Phones", "Posts", "ProgramSettings", "Push", "Quotes", "Reactor",
                "Readings",
                "Records",
                "Reminders",
                "Sensors",
                "Sharing",
                "Social",
                "Storage",
                "Telemetry", "Training", "Vault", "Voice",
            ]),
        program(
            .sensor, "vitals-sensor", ["DBus", "Daemon", "Fitness", "MQTT", "OwnTracks", "Reactor", "Telemetry"]),
        program(
            .command, "vitals",
            [
                "ActivityFiles", "DBus", "Daemon", "Files", "Fitness", "MQTT", "Pictures", "ProgramSettings", "QRCodes",
                "Reactor", "Speech",
                "Telemetry", "Vault", "Workouts",
            ]),

        // What the consumer's benchmark sends: see deploy/bench.
        .executableTarget(
            name: "vitals-load", dependencies: ["Daemon", "MQTT", "Reactor", "Telemetry", "Vault"],
            path: "Tests/Benchmarks/vitals-load", swiftSettings: house),

        .target(name: "TestThreads", path: "Tests/TestThreads"),
        testSupport(nil, "TestSupport", ["MQTT", "Telemetry", "TestThreads"], exclude: ["push_service.py", "receiver.py", "web_server.py"]),
        tests(.values, "TelemetryTests", ["Telemetry", "TestSupport"]),
        tests(.values, "FitnessTests", ["Fitness"], exclude: ["Vectors"]),
        tests(.values, "WorkoutsTests", ["Fitness", "TestSupport", "Workouts"], exclude: ["speaking.py", "workout.py"]),
        tests(.values, "SchedulesTests", ["Fitness", "Schedules"]),
        tests(.values, "WhereaboutsTests", ["Fitness", "Telemetry", "TestSupport", "Whereabouts"]),
        tests(.values, "TrainingPlansTests", ["Fitness", "Telemetry", "TestSupport", "TrainingPlans"]),
        tests(.plumbing, "ReactorTests", ["Reactor", "TestSupport"]),
        tests(.plumbing, "DBusTests", ["DBus", "Reactor", "TestSupport"]),
        tests(.plumbing, "FilesTests", ["Files", "TestSupport"]),
        tests(.plumbing, "StorageTests", ["Storage", "TestSupport"]),
        tests(.libraries, "BluetoothTests", ["Bluetooth", "DBus", "Reactor", "TestSupport", "vitals-sensor"]),
        tests(.libraries, "MQTTTests", ["CMosquitto", "MQTT", "Reactor", "TestSupport"]),
        tests(.libraries, "VaultTests", ["Files", "TestSupport", "Vault"], exclude: ["Interop", "Vectors"]),
        tests(.libraries, "DaemonTests", ["Daemon", "TestSupport"]),
        tests(.libraries, "FetchTests", ["Fetch", "TestSupport"]),
        tests(.libraries, "CompressionTests", ["Compression", "TestSupport"]),
        tests(.settings, "ProgramSettingsTests", ["Daemon", "ProgramSettings", "Telemetry", "TestSupport"]),
        // What the consumer's tests share: each of these stands in the row of the highest target that it uses.
        testSupport(
            .consumer, "HouseholdSupport",
            [
                "Daemon", "Desk", "Files", "MQTT", "ProgramSettings", "Readings", "Records", "Storage", "Telemetry",
                "TestSupport", "Vault",
            ]),
        testSupport(
            .consumer, "DaysSupport",
            [
                "Days", "Files", "Fitness", "HouseholdSupport", "Readings", "Records", "Storage", "Telemetry",
                "TestSupport",
            ]),
        testSupport(.consumer, "FeaturesSupport", ["Features", "Files", "Records", "Telemetry"]),
        tests(
            .libraries, "OwnTracksTests", ["Fitness", "OwnTracks", "TestSupport"],
            exclude: ["secretbox.py", "config_link.py"]),
        tests(.libraries, "PositioningTests", ["Fitness", "Positioning", "Reactor", "Telemetry", "TestSupport"]),
        tests(.libraries, "MusicPlayerTests", ["MusicPlayer", "Reactor", "Telemetry", "TestSupport"]),
        tests(.libraries, "ExpositionTests", ["Exposition", "Reactor", "TestSupport"]),
        tests(.libraries, "QRCodesTests", ["QRCodes", "TestSupport"], exclude: ["decode.py"]),
        tests(.libraries, "PicturesTests", ["Fitness", "Pictures", "TestSupport"], exclude: ["look.py"]),
        tests(
            .libraries, "ActivityFilesTests", ["ActivityFiles", "Fitness", "TestSupport"],
            exclude: ["Cases", "Interop"]),
        tests(.libraries, "CalDAVTests", ["CalDAV", "Fetch", "TestSupport"]),
        tests(.libraries, "WebPushTests", ["Fetch", "Telemetry", "TestSupport", "Vault", "WebPush"]),
        tests(.libraries, "CalendarFilesTests", ["CalendarFiles", "Fitness", "TestSupport"], exclude: ["read.py"]),
        tests(
            .consumer, "RecordsTests", ["Daemon", "Records", "Storage", "Telemetry", "TestSupport", "Vault"]),
        tests(.consumer, "PackedTests", ["Compression", "HouseholdSupport", "Packed", "Telemetry", "TestSupport"]),
        tests(.consumer, "AdmissionTests", ["Admission", "Daemon", "MQTT", "Telemetry", "TestSupport", "Vault"]),
        tests(.consumer, "DeskTests", ["Daemon", "Desk", "Reactor", "Telemetry", "TestSupport"]),
        tests(
            .consumer, "ReadingsTests",
            [
                "Compression", "Daemon", "Files", "HouseholdSupport", "Packed", "Readings", "Records", "Storage",
                "Telemetry",
                "TestSupport", "Vault",
            ]),
        tests(
            .consumer, "DaysTests",
            [
                "Daemon", "Days", "DaysSupport", "Files", "Fitness", "HouseholdSupport", "Readings", "Records",
                "Storage", "Telemetry", "TestSupport",
            ],
            exclude: ["zones.py"]),
        tests(
            .consumer, "FeaturesTests",
            [
                "DaysSupport", "Desk", "Features", "Files", "HouseholdSupport", "Records", "Storage", "Telemetry",
            ]),
        tests(
            .consumer, "AccountsTests",
            [
                "Accounts", "Daemon", "Days", "DaysSupport", "Desk", "Features", "FeaturesSupport", "HouseholdSupport",
                "MQTT", "OpenID", "Reactor", "Readings", "Records", "Storage", "Telemetry", "TestSupport", "Vault",
            ],
            exclude: ["SignIn/tokens.py"]),
        tests(
            .consumer, "SensorsTests",
            [
                "Daemon", "Days", "DaysSupport", "Features", "FeaturesSupport", "Files", "HouseholdSupport", "MQTT",
                "Readings", "Records", "Sensors", "Telemetry", "TestSupport",
            ]),
        tests(
            .consumer, "InsightTests",
            [
                "Daemon", "Days", "DaysSupport", "Desk", "Files", "Fitness", "HouseholdSupport", "Insight", "Records",
                "Storage", "Telemetry", "TestSupport",
            ],
            exclude: ["recording.py"]),
        tests(
            .consumer, "PhonesTests",
            ["Daemon", "Files", "Fitness", "OwnTracks", "Phones", "Telemetry", "TestSupport"]),
        tests(
            .consumer, "CalendarsTests",
            [
                "CalDAV", "CalendarFiles", "Calendars", "Files", "Fitness", "HouseholdSupport", "Reminders", "Schedules",
                "Telemetry", "TestSupport",
            ]),
        tests(
            .consumer, "GroupsTests", ["Files", "Fitness", "Groups", "Records", "Telemetry", "TestSupport"]),
        tests(
            .consumer, "PartnersTests", ["Fitness", "Partners", "Records", "Telemetry", "TestSupport"]),
        tests(
            .consumer, "MealsTests",
            ["Daemon", "Features", "Fitness", "Meals", "ProgramSettings", "Telemetry", "TestSupport"]),
        tests(
            .consumer, "PushTests",
            ["Daemon", "Fetch", "HouseholdSupport", "Push", "Telemetry", "TestSupport", "Vault", "WebPush"]),
        tests(
            .consumer, "PostsTests",
            [
                "CSQLite", "Features", "Files", "Groups", "HouseholdSupport", "Posts", "Records", "Social", "Storage", "Telemetry",
                "TestSupport",
            ]),
        tests(
            .consumer, "SharingTests",
            ["Exercise", "Features", "Fitness", "Pictures", "Push", "Sharing", "Telemetry", "TestSupport", "Workouts"]),
        tests(
            .consumer, "TrainingTests",
            ["Files", "Fitness", "HouseholdSupport", "Records", "Telemetry", "TestSupport", "Training"]),
        tests(
            .consumer, "ConsumerTests",
            [
                "Contract",
                "ActivityFiles", "Accounts", "Admission", "CalDAV", "CalendarFiles", "Calendars", "Compression", "Custody",
                "Daemon", "Days", "DaysSupport",
                "Desk", "Exercise",
                "Features", "Fetch", "Files", "Fitness", "Groups", "Guardians", "HouseholdSupport", "Insight", "MQTT", "Meals", "Music", "OpenID",
                "OwnTracks",
                "Partners", "Phones", "Pictures", "Posts",
                "ProgramSettings", "Push", "Quotes",
                "Reactor", "Readings",
                "Records",
                "Reminders", "Schedules",
                "Sensors", "Sharing", "Social", "Storage", "Telemetry", "TestSupport", "Training", "Vault", "Whereabouts", "Workouts",
                "vitals-consumer",
            ],
            exclude: ["OpenID/signer.py", "Workouts/picture.py"]),
        tests(.command, "CommandLineTests", ["vitals", "Daemon", "MQTT", "Reactor", "Telemetry", "TestSupport"]),
        tests(
            .sensor, "SensorTests",
            [
                "DBus", "Daemon", "Fitness", "MQTT", "OwnTracks", "Reactor", "Telemetry", "TestSupport",
                "vitals-sensor",
            ],
            exclude: ["Clients"]),
        tests(
            .gateway, "GatewayTests",
            [
                "vitals-gateway", "vitals-sensor", "DBus", "Daemon", "Files", "Fitness", "MQTT", "MusicPlayer",
                "Positioning", "Reactor",
                "Storage", "Telemetry", "TestSupport", "Vault",
            ]),
        tests(
            nil, "HouseholdTests",
            [
                "Daemon", "Files", "Records", "Storage", "TestSupport", "Telemetry", "Vault", "vitals",
                "vitals-consumer", "vitals-gateway", "vitals-sensor",
            ],
            exclude: ["asyncapi.py", "metrics.py"]),
    ]
)
