// swift-tools-version:6.0
import PackageDescription

// Layers point strictly down, and siblings never import each other:
//
//   programs    vitals-gateway    vitals-consumer    vitals-sensor    vitals
//               ProgramSettings
//   libraries   Bluetooth   MQTT   Vault   Daemon   Fetch   Compression
//   plumbing    DBus   Reactor
//   values      Telemetry   Fitness
//   C           CDBus   CMosquitto   CSQLite   COpenSSL   CCurl   CZstandard   CLinux
//
// A C library is imported by exactly one target.

let house: [SwiftSetting] = [.enableUpcomingFeature("InternalImportsByDefault")]

func library(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: house)
}

func program(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .executableTarget(name: name, dependencies: dependencies, swiftSettings: house)
}

func tests(_ name: String, _ dependencies: [Target.Dependency], exclude: [String] = []) -> Target {
    .testTarget(name: name, dependencies: dependencies, exclude: exclude, swiftSettings: house)
}

/// What several test targets share.
func testSupport(_ name: String, exclude: [String]) -> Target {
    .target(name: name, path: "Tests/\(name)", exclude: exclude, swiftSettings: house)
}

func system(_ name: String, pkgConfig: String, apt: String) -> Target {
    .systemLibrary(name: name, pkgConfig: pkgConfig, providers: [.apt([apt])])
}

let package = Package(
    name: "vitals",
    targets: [
        system("CDBus", pkgConfig: "dbus-1", apt: "libdbus-1-dev"),
        system("CMosquitto", pkgConfig: "libmosquitto", apt: "libmosquitto-dev"),
        system("CSQLite", pkgConfig: "sqlite3", apt: "libsqlite3-dev"),
        system("COpenSSL", pkgConfig: "libcrypto", apt: "libssl-dev"),
        system("CZstandard", pkgConfig: "libzstd", apt: "libzstd-dev"),
        // Without pkg-config: Debian 13's names the headers of Kerberos besides, and the package manager warns of that at each build.
        .systemLibrary(name: "CCurl", providers: [.apt(["libcurl4-openssl-dev"])]),

        // The kernel's own, of which Swift's module of glibc has a part.
        .systemLibrary(name: "CLinux"),

        library("Telemetry"),
        library("Fitness"),

        library("Reactor"),
        library("DBus", ["CDBus", "Reactor"]),

        library("Bluetooth", ["DBus", "Reactor"]),
        library("MQTT", ["CMosquitto", "Reactor"]),
        library("Vault", ["COpenSSL", "CSQLite"]),
        library("Daemon", ["CLinux"]),
        library("Fetch", ["CCurl"]),
        library("Compression", ["CZstandard"]),

        library("ProgramSettings", ["Daemon", "MQTT", "Telemetry", "Vault"]),

        program("vitals-gateway", ["Bluetooth", "Daemon", "MQTT", "ProgramSettings", "Reactor", "Telemetry", "Vault"]),
        program(
            "vitals-consumer",
            ["Compression", "Daemon", "Fetch", "Fitness", "MQTT", "ProgramSettings", "Reactor", "Telemetry", "Vault"]),
        program("vitals-sensor", ["DBus", "Daemon", "Reactor", "Telemetry"]),
        program("vitals", ["Daemon", "Fitness", "MQTT", "ProgramSettings", "Reactor", "Telemetry", "Vault"]),

        // What the consumer's benchmark sends: see deploy/bench.
        .executableTarget(
            name: "vitals-load", dependencies: ["Daemon", "MQTT", "Reactor", "Telemetry", "Vault"],
            path: "Tests/Benchmarks/vitals-load", swiftSettings: house),

        testSupport("TestSupport", exclude: ["web_server.py"]),
        tests("TelemetryTests", ["Telemetry", "TestSupport"]),
        tests("FitnessTests", ["Fitness"]),
        tests("ReactorTests", ["Reactor", "TestSupport"]),
        tests("DBusTests", ["DBus", "Reactor", "TestSupport"]),
        tests("BluetoothTests", ["Bluetooth", "DBus", "Reactor", "TestSupport", "vitals-sensor"]),
        tests("MQTTTests", ["CMosquitto", "MQTT", "Reactor", "TestSupport"]),
        tests("VaultTests", ["TestSupport", "Vault"], exclude: ["Interop", "Vectors"]),
        tests("DaemonTests", ["Daemon", "TestSupport"]),
        tests("FetchTests", ["Fetch", "TestSupport"]),
        tests("CompressionTests", ["Compression", "TestSupport"]),
        tests(
            "ConsumerTests",
            [
                "vitals-consumer", "Compression", "Daemon", "Fetch", "Fitness", "MQTT", "Reactor", "Telemetry",
                "TestSupport", "Vault",
            ],
            exclude: ["OpenID/signer.py", "OpenID/tokens.py", "Profile/zones.py", "Statistics/recording.py"]),
        tests("CommandLineTests", ["vitals", "Daemon", "MQTT", "Reactor", "Telemetry", "TestSupport"]),
        tests(
            "SensorTests", ["DBus", "Daemon", "Reactor", "Telemetry", "TestSupport", "vitals-sensor"],
            exclude: ["Clients"]),
        tests(
            "GatewayTests",
            [
                "vitals-gateway", "vitals-sensor", "DBus", "Daemon", "MQTT", "Reactor", "Telemetry", "TestSupport",
                "Vault",
            ]),
        tests(
            "HouseholdTests",
            [
                "Daemon", "TestSupport", "Telemetry", "Vault", "vitals", "vitals-consumer", "vitals-gateway",
                "vitals-sensor",
            ]),
    ]
)
