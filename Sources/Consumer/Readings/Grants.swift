package import Records
package import Storage
package import Telemetry

// To whom each sensor belongs: settings and claims say who has it now; the store remembers who had it, and for how
// long.
//
// A sensor's topic holds one retained grant, that of its latest stream, which may be closed: a gateway that has been
// away learns from it that the stream has ended. Every change takes a serial greater than all before.

/// The grants of a store.
package struct Grants {
    package let store: Store
    package let keys: Keys

    package init(store: Store, keys: Keys) {
        self.store = store
        self.keys = keys
    }

    /// Brings the streams in line with settings and claims: opens, ends, and leaves alone what has not changed. A
    /// sensor that is someone else's now, or whose person has a new secret, gets a new stream.
    /// - Parameter some: the sensors to look at; nil for all.
    /// - Returns: the sensors of which a stream was opened or ended, or records something else from now on.
    @discardableResult
    package func settle(
        _ people: [PersonSettings], only some: Set<SensorName>? = nil, now: Int64
    ) throws(VaultError) -> Set<SensorName> {
        var versions: [ID: Int64] = [:]
        for person in people where some.map({ !$0.isDisjoint(with: person.sensors) }) ?? true {
            versions[person.user] = try keys.currentVersion(of: person.user)
        }
        // A stream outlives a power cut only with its secret.
        try keys.makeDurable()
        return try store.change(naming: Set(versions.keys).union(try owners(of: some))) { () throws(VaultError) in
            var changed: Set<SensorName> = []
            var wanted: [String: (sensor: SensorName, person: PersonSettings)] = [:]
            for person in people {
                for sensor in person.sensors where some?.contains(sensor) ?? true {
                    wanted[sensor.description] = (sensor, person)
                }
            }
            for stream in try store.latestStreams(of: some) where stream.until == nil {
                let name = "\(stream.gateway)/\(stream.sensor)"
                guard let (_, person) = wanted[name], person.user.text == stream.user,
                    versions[person.user] == stream.secretVersion
                else {
                    try store.endStream(stream, now: now)
                    if let sensor = SensorName(name) { changed.insert(sensor) }
                    continue
                }
                guard let (sensor, _) = wanted.removeValue(forKey: name), person.kinds != stream.kinds else { continue }
                try store.setKinds(person.kinds, of: stream, now: now)
                changed.insert(sensor)
            }
            for (_, (sensor, person)) in wanted.sorted(by: { $0.key < $1.key }) {
                try store.openStream(
                    sensor, user: person.user, secretVersion: versions[person.user] ?? 1, kinds: person.kinds, now: now)
                changed.insert(sensor)
            }
            return changed
        }
    }

    /// The people who have some sensors now, or any.
    private func owners(of some: Set<SensorName>?) throws(VaultError) -> [ID] {
        try store.latestStreams(of: some).filter { $0.until == nil }.compactMap(\.owner)
    }

    /// The latest grant of each sensor, or of some. A stream whose person's secret is gone no longer has one.
    package func current(of some: Set<SensorName>? = nil) throws(VaultError) -> [(gateway: ID, grant: Grant)] {
        var grants: [(ID, Grant)] = []
        for stream in try store.latestStreams(of: some) {
            // The stream of a person who was forgotten has ended, and its grant is only there to say so.
            let publicKey =
                stream.user.isEmpty
                ? try store.publicKey(ofForgotten: stream.id)
                : try keys.person(stream.user, version: stream.secretVersion)?.stream.publicKey
            guard let publicKey else { continue }
            let grant = decoded { () throws(MalformedValue) in
                let grant = try Grant(
                    serial: UInt64(bitPattern: stream.serial), sensor: ID(stream.sensor), stream: stream.id,
                    from: stream.from, until: stream.until, personPublicKey: publicKey,
                    kinds: stream.kinds)
                return (try ID(stream.gateway), grant)
            }
            if let grant { grants.append(grant) }
        }
        return grants
    }
}
