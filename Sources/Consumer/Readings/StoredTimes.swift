import Records
import Telemetry
import Vault

// Which readings of the consumer's own gateway are stored, by their wall times.
//
// A phone that was out of reach sends the positions of hours at once, and some of them twice, also after a restart of
// ours. Two readings of one kind by one sensor at the same millisecond are the same reading. The times of an hour are read
// from what is stored when the first reading of that hour comes, and then kept in memory, of as many hours as there is
// room for.

/// The times of stored readings, an hour of a sensor at a time. Belongs to one thread.
struct StoredTimes {
    private struct Hour: Hashable {
        let user: ID
        let sensor: SensorName
        let kind: Reading.Kind
        let number: Int64
    }

    private struct Known {
        /// Of the person: see PeopleLock.swift.
        let view: UInt64
        var times: Set<Int64>
    }

    private let capacity: Int
    private var hours: [Hour: Known] = [:]
    /// How many times and hours there are.
    private var count = 0

    /// - Parameter capacity: how many times are kept, with one for each hour.
    init(capacity: Int = 200_000) { self.capacity = capacity }

    /// Forgets everything that was read, and what was taken for stored.
    mutating func removeAll() { (hours, count) = ([:], 0) }

    /// Forgets what was read of some sensors.
    mutating func removeAll(of sensors: Set<ID>) {
        hours = hours.filter { hour, known in
            guard sensors.contains(hour.sensor.sensor) else { return true }
            count -= known.times.count + 1
            return false
        }
    }

    /// Those of some readings of a kind that are not stored and have not come before, in the order of their times. From
    /// now on they are taken for stored.
    mutating func new<Item>(
        _ items: [Item], _ wall: KeyPath<Item, Int64>, _ kind: Reading.Kind, _ sensor: SensorName, of user: ID,
        _ store: Store, _ keys: Keys
    ) throws(VaultError) -> [Item] {
        var new: [Item] = []
        for item in items.sorted(by: { $0[keyPath: wall] < $1[keyPath: wall] }) {
            let time = item[keyPath: wall]
            let hour = Hour(user: user, sensor: sensor, kind: kind, number: HourSpan.hour(time))
            if hours[hour]?.view != store.view(of: user) { try read(hour, store, keys) }
            guard hours[hour]?.times.insert(time).inserted == true else { continue }
            count += 1
            new.append(item)
        }
        return new
    }

    private mutating func read(_ hour: Hour, _ store: Store, _ keys: Keys) throws(VaultError) {
        var times: Set<Int64> = []
        let stored = try store.streams(of: hour.user)
            .filter { $0.sensor == hour.sensor.sensor.text && $0.gateway == hour.sensor.gateway.text }
        for stream in stored {
            guard let person = try keys.person(stream.user, version: stream.secretVersion) else { continue }
            try Self.add(hour, of: stream, StreamReader(stream, person, store), store, to: &times)
        }
        // All at once: what is needed is read again.
        if count + times.count >= capacity { removeAll() }
        count += times.count + 1
        hours[hour] = Known(view: store.view(of: hour.user), times: times)
    }

    private static func add(
        _ hour: Hour, of stream: StoredStream, _ reader: StreamReader, _ store: Store, to times: inout Set<Int64>
    ) throws(VaultError) {
        var (reader, last): (StreamReader, (hour: Int64, number: Int64)?) = (reader, nil)
        let span = HourSpan(times: hour.number * 3_600_000...hour.number * 3_600_000)
        while true {
            let page = try store.blocks(
                of: stream.number, kinds: Grant.Kinds(hour.kind), hours: span, after: last, limit: 64)
            for block in page {
                for found in try reader.readings(of: block) ?? []
                where found.reading.kind == hour.kind && HourSpan.hour(found.reading.moment.wall) == hour.number {
                    times.insert(found.reading.moment.wall)
                }
            }
            guard page.count == 64, let end = page.last else { return }
            last = (end.firstHour, end.number)
        }
    }
}
