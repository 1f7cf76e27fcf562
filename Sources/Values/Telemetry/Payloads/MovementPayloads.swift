// How positions, motions and the steps of a pedometer are published and printed.

extension Position {
    /// `{"time":…,"latitude":48.137154,"longitude":11.576124,"altitude_m":519.2,"accuracy_m":4.5,"source":"phone"}`,
    /// with the time in Unix milliseconds; absent fields are left out.
    public func json(at wall: Int64) -> JSON {
        .object(present: [
            "time": .integer(wall), "latitude": .number(latitudeDegrees), "longitude": .number(longitudeDegrees),
            "altitude_m": altitudeMetres.map(JSON.number), "accuracy_m": accuracyMetres.map(JSON.number),
            "source": .string(source.description),
        ])
    }
}

extension Motion {
    /// `{"time":…,"speed_mps":2.5,"distance_m":1000.1,"cadence":166,"power_w":210,"source":"foot"}`, with the time in
    /// Unix milliseconds; absent fields are left out.
    public func json(at wall: Int64) -> JSON {
        .object(present: [
            "time": .integer(wall), "speed_mps": metresPerSecond.map(JSON.number),
            "distance_m": totalMetres.map(JSON.number), "cadence": cadencePerMinute.map(JSON.number),
            "power_w": power.map { .integer(Int64($0)) }, "source": .string(source.description),
        ])
    }
}

extension PedometerSpan {
    /// `{"time":…,"from":…,"steps":42}`, with the end and the beginning in Unix milliseconds.
    public func json(at wall: Int64) -> JSON {
        ["time": .integer(wall), "from": .integer(wall - Int64(milliseconds)), "steps": .integer(Int64(steps))]
    }
}
