import Daemon
import Files
import Glibc

/// The settings of gateway and consumer, each of which holds the other's public key.
struct ServiceSettings {
    private let home: Home
    private let limit: Duration

    init(_ home: Home, within limit: Duration) { (self.home, self.limit) = (home, limit) }

    /// The public keys of both programs. Each makes its own if there is none, and says what is wrong with its settings.
    func keys() throws -> (gateway: String, consumer: String) {
        let places = home.places
        return (
            try identity("vitals-gateway", places.gatewaySettings, home.gatewaySettings(consumer: nil)),
            try identity("vitals-consumer", places.consumerSettings, home.consumerSettings(gateway: nil))
        )
    }

    /// Writes both files, unless they are there.
    func write(_ keys: (gateway: String, consumer: String)) throws -> [(path: String, fate: WantedFile.Fate)] {
        let places = home.places
        return [
            try write(places.gatewaySettings, home.gatewaySettings(consumer: keys.consumer), places.gatewayState),
            try write(places.consumerSettings, home.consumerSettings(gateway: keys.gateway), places.consumerState),
        ]
    }

    /// The service's group may read the file: it may name people.
    private func write(
        _ path: String, _ text: String, _ state: String
    ) throws(VaultError) -> (path: String, fate: WantedFile.Fate) {
        let group = Places.owner(ofState: state)?.group
        let file = WantedFile(path: path, text: Array(text.utf8), owner: group.map { (0, $0) }, mode: 0o640)
        return (path, try file.write())
    }

    /// A program's public key, which the program makes if there is none.
    /// - Parameters:
    ///   - file: its settings. If somebody has changed them, they say where its key is.
    ///   - draft: what says so otherwise.
    private func identity(_ program: String, _ file: String, _ draft: String) throws -> String {
        var settings = file
        let found = try WantedFile.read(file)
        if try found.map({ (bytes) throws(VaultError) in try !WantedFile.isOperators(bytes) }) ?? true {
            settings = "\(file)-\(randomText())"
            try SmallFile.replace(settings, with: Array(draft.utf8))
        }
        defer { if settings != file { unlink(settings) } }
        let capture = try Capture(Programs.ours(program), ["identity", "--settings", settings], within: limit)
        guard capture.status != nil else {
            // What it has said so far is no reason.
            throw Failure(
                .temporary, "\(program) identity did not end in time: the machine may be busy",
                hint: "run vitals setup again, with a longer --timeout; what is there already stays")
        }
        let key = String(decoding: capture.output, as: UTF8.self).split(separator: "\n").last.map(String.init) ?? ""
        guard capture.status == 0, key.utf8.count == 44 else {
            let prefix = "\(program): "
            let words = capture.complaints.map { line in
                // The draft is gone when this is read.
                (line.hasPrefix(prefix) ? String(line.dropFirst(prefix.count)) : line).replacing(settings, with: file)
            }
            throw Failure(
                .configuration, "\(program) identity: \(words.first ?? "it has said no key")",
                hint: words.dropFirst().first ?? "run vitals setup again with other answers")
        }
        return key
    }
}
