import Telemetry

/// Values of characteristics. Every one of them gets the bytes: a sensor may send anything anywhere.
func fuzzGATT(_ bytes: [UInt8]) {
    holdRoundTrip(bytes, "heart rate", \.gatt) { (bytes) throws(MalformedValue) in
        try HeartRateMeasurement(gatt: bytes)
    }
    holdRoundTrip(bytes, "battery", \.gatt) { (bytes) throws(MalformedValue) in try BatteryLevel(gatt: bytes) }
    holdRoundTrip(bytes, "location", \.gatt) { (bytes) throws(MalformedValue) in try BodySensorLocation(gatt: bytes) }
    holdRoundTrip(bytes, "PnP id", \.gatt) { (bytes) throws(MalformedValue) in try PnPID(gatt: bytes) }
    holdRoundTrip(bytes, "running", \.gatt) { (bytes) throws(MalformedValue) in
        try RunningSpeedAndCadence(gatt: bytes)
    }
    holdRoundTrip(bytes, "temperature", \.gatt) { (bytes) throws(MalformedValue) in
        try TemperatureMeasurement(gatt: bytes)
    }
    holdRoundTrip(bytes, "power", \.gatt) { (bytes) throws(MalformedValue) in try CyclingPower(gatt: bytes) }
    fuzzDeviceInformation(bytes)
    fuzzCycling(bytes)
    fuzzMotion(bytes)
    fuzzLive(bytes)
    for encoding in StepsEncoding.allCases {
        _ = accepted { () throws(MalformedValue) in try encoding.steps(in: bytes) }
    }
    for encoding in TemperatureEncoding.allCases {
        guard let temperature = accepted({ () throws(MalformedValue) in try encoding.temperature(in: bytes) }) else {
            continue
        }
        let again = accepted { () throws(MalformedValue) in
            try Temperature(thousandths: Int64(temperature.thousandths), site: temperature.site)
        }
        hold(again == temperature, "a temperature can be written down: \(temperature)")
    }
    fuzzRecording(of: bytes)
}

/// What a sensor sends is recorded as it is: through columns and back.
private func fuzzRecording(of bytes: [UInt8]) {
    guard let heartRate = accepted({ () throws(MalformedValue) in try HeartRateMeasurement(gatt: bytes) }) else {
        return
    }
    let reading = Reading(at: Moment(wall: 1_747_785_600_000, monotonic: 1000), .heartRate(heartRate))
    let columns = accepted { () throws(MalformedValue) in try ReadingColumns.encode([reading]) } ?? []
    let again = accepted { () throws(MalformedValue) in try ReadingColumns.decode(columns) }
    hold(again == [reading], "\(reading) was recorded as \(again ?? [])")
    // Written digit by digit on the hot path, and by way of a value elsewhere.
    let live = HeartRatePayload.bytes(heartRate, at: reading.moment.wall)
    hold(live == HeartRatePayload(heartRate, at: reading.moment.wall).bytes, "both ways to publish agree")
}

/// What moves is recorded, too: through columns and back.
private func fuzzMotion(_ bytes: [UInt8]) {
    var values: [Reading.Value] = []
    let rates = CyclingRates.Rates(wheel: Double(bytes.first ?? 0), crank: Double(bytes.last ?? 0))
    if let running = accepted({ () throws(MalformedValue) in try RunningSpeedAndCadence(gatt: bytes) }) {
        values.append(.motion(Motion(running)))
    }
    if let cycling = accepted({ () throws(MalformedValue) in try CyclingSpeedAndCadence(gatt: bytes) }) {
        values.append(.motion(Motion(cycling, rates, wheel: 2096)))
    }
    if let power = accepted({ () throws(MalformedValue) in try CyclingPower(gatt: bytes) }) {
        values.append(.motion(Motion(power, rates, wheel: 3500)))
    }
    if let location = accepted({ () throws(MalformedValue) in try LocationAndSpeed(gatt: bytes) }),
        let position = Position(location)
    {
        values.append(.position(position))
    }
    for value in values {
        let reading = Reading(at: Moment(wall: 1_747_785_600_000, monotonic: 1000), value)
        let columns = accepted { () throws(MalformedValue) in try ReadingColumns.encode([reading]) } ?? []
        let again = accepted { () throws(MalformedValue) in try ReadingColumns.decode(columns) }
        hold(again == [reading], "\(reading) was recorded as \(again ?? [])")
    }
}

private func fuzzDeviceInformation(_ bytes: [UInt8]) {
    guard let information = accepted({ () throws(MalformedValue) in try DeviceInformationString(gatt: bytes) }) else {
        return
    }
    let spelt = Array(information.text.utf8)
    hold(!spelt.contains { $0 < 0x20 }, "no control characters")
    // Repairing what was not UTF-8 may have made it longer than a value can be.
    guard spelt.count <= GATT.maximumValueLength else { return }
    let again = accepted { () throws(MalformedValue) in try DeviceInformationString(gatt: spelt) }
    hold(again == information, "a text that was cleaned is clean")
}

/// What follows from one notification to the next, at moments that the bytes themselves say.
private func fuzzLive(_ bytes: [UInt8]) {
    var (steps, rates, meter, now) = (CadenceSteps(from: .max), CyclingRates(), CyclingRates(), UInt64(0))
    for start in bytes.indices.prefix(16) {
        let value = Array(bytes[start...])
        now = bytes[start] == 0xFF ? 0 : now + UInt64(bytes[start]) * 32
        if let measurement = accepted({ () throws(MalformedValue) in try RunningSpeedAndCadence(gatt: value) }) {
            let before = steps.steps?.counter ?? .max
            steps.add(measurement, at: now)
            // 255 a minute for three seconds.
            hold((steps.steps?.counter ?? before) &- before <= 13, "nobody runs so fast")
        }
        if let measurement = accepted({ () throws(MalformedValue) in try CyclingSpeedAndCadence(gatt: value) }) {
            let rates = rates.add(measurement, at: now)
            // What is not finite would be published as null, and could not be read.
            for rate in [rates.wheel, rates.crank].compactMap(\.self) {
                hold(rate.isFinite && rate >= 0, "\(rate) rpm")
            }
        }
        if let measurement = accepted({ () throws(MalformedValue) in try CyclingPower(gatt: value) }) {
            let rates = meter.add(measurement, at: now)
            for rate in [rates.wheel, rates.crank].compactMap(\.self) {
                hold(rate.isFinite && rate >= 0, "\(rate) rpm of a power meter")
            }
        }
    }
}

private func fuzzCycling(_ bytes: [UInt8]) {
    guard let first = accepted({ () throws(MalformedValue) in try CyclingSpeedAndCadence(gatt: bytes) }),
        let second = accepted({ () throws(MalformedValue) in try CyclingSpeedAndCadence(gatt: bytes.reversed()) })
    else { return }
    let turns = [
        first.wheel.flatMap { wheel in second.wheel.map(wheel.since) },
        first.crank.flatMap { crank in second.crank.map(crank.since) },
    ]
    for case let turn? in turns {
        hold(turn.ticks > 0 || turn.perMinute == nil && turn.revolutions == 0, "no time, no revolution")
    }
}
