import Testing

@testable import Telemetry

@Suite struct GATTTests {
    @Test("decodes a temperature with time and site, and encodes it the same")
    func temperature() throws {
        let bytes = try hex("06 71 0E 00 FE E9 07 05 15 0A 1E 2D 01")
        let value = try TemperatureMeasurement(gatt: bytes)
        #expect(value.timestamp == .init(year: 2025, month: 5, day: 21, hour: 10, minute: 30, second: 45))
        #expect(try value.temperature() == Temperature(thousandths: 36_970, site: .armpit))
        #expect(value.gatt == bytes)
        #expect(try TemperatureMeasurement(gatt: hex("00 C4 09 00 FE")).temperature().thousandths == 25_000)
        #expect(try TemperatureMeasurement(gatt: hex("01 DA 03 00 FF")).temperature().thousandths == 37_000)
        #expect(try TemperatureMeasurement(gatt: hex("00 01 FE 03 FC")).temperature().thousandths == 26_163)
        for length in 1..<bytes.count {
            #expect(fault { try TemperatureMeasurement(gatt: Array(bytes.prefix(length))) } == .truncated)
        }
        #expect(try TemperatureMeasurement(gatt: bytes + [0xAA]) == value)
    }

    @Test("tells no value from a truncated one")
    func noTemperature() throws {
        #expect(fault { try TemperatureMeasurement(gatt: hex("00 FF FF 7F 00")).temperature() } == .noValue)
        #expect(fault { try TemperatureMeasurement(gatt: []) } == .noValue)
        #expect(fault { try TemperatureMeasurement(gatt: [0]) } == .truncated)
        #expect(try TemperatureMeasurement(gatt: hex("04 C4 09 00 FE 0A")).site == nil)
        #expect(fault { try TemperatureMeasurement(gatt: hex("00 01 00 00 7F")).temperature() } != nil)
        #expect(fault { try TemperatureMeasurement(gatt: hex("00 01 00 00 07")).temperature() } != .noValue)
    }

    @Test("decodes running speed and cadence, and encodes it the same")
    func running() throws {
        let reserved = try RunningSpeedAndCadence(gatt: hex("1F D8 02 A6 4F 00 01 00 00 00"))
        #expect(
            reserved
                == RunningSpeedAndCadence(
                    speed256ths: 728, cadencePerMinute: 166, strideCentimetres: 79, distanceDecimetres: 1,
                    isRunning: true))
        #expect(reserved.metresPerSecond == 2.84375)
        #expect(try RunningSpeedAndCadence(gatt: hex("00 80 02 50")) == .init(speed256ths: 640, cadencePerMinute: 80))
        let bytes = try hex("03 80 02 B4 55 00 10 27 00 00")
        let full = try RunningSpeedAndCadence(gatt: bytes)
        #expect(full.metresPerSecond == 2.5 && full.strideCentimetres == 85 && full.distanceDecimetres == 10_000)
        #expect(full.gatt == bytes && !full.isRunning)
        for length in bytes.indices {
            #expect(fault { try RunningSpeedAndCadence(gatt: Array(bytes.prefix(length))) } == .truncated)
        }
    }

    @Test("takes cycling differences around the wrap, and none if no time elapsed")
    func cycling() throws {
        let cadence = try #require(try CyclingSpeedAndCadence(gatt: hex("02 02 00 00 04")).crank)
        #expect(cadence.since(.init(count: 0, time: 0)).perMinute == 120)
        let turn = cadence.since(.init(count: 65_535, time: 1024))
        #expect(turn.revolutions == 0 && turn.perMinute == nil)
        let wrapped = CyclingSpeedAndCadence.Revolutions<UInt16>(count: 1, time: 100)
            .since(.init(count: 65_535, time: 65_500))
        #expect(wrapped.revolutions == 2 && wrapped.ticks == 136 && wrapped.seconds == 0.1328125)
        let wheel = try CyclingSpeedAndCadence(gatt: hex("03 05 00 00 00 00 04 07 00 00 08"))
        #expect(wheel == .init(wheel: .init(count: 5, time: 1024), crank: .init(count: 7, time: 2048)))
        #expect(wheel.wheel?.since(.init(count: .max, time: 0)).revolutions == 6)
        #expect(fault { try CyclingSpeedAndCadence(gatt: hex("03 05 00 00 00 00 04 07 00 00")) } == .truncated)
    }

    @Test("decodes a step counter summary")
    func stepCounter() throws {
        let bytes = try hex("C0 01 01 00 02 00 0A 00 00 00 01 00 00 00 10 27 00")
        let summary = try StepCounterSummary(gatt: bytes)
        #expect(summary.steps == 10_000 && summary.walkingSteps == 10_000 && summary.intensitySteps == nil)
        #expect(summary.session == 1 && summary.subSession == 2)
        #expect(summary.relativeSeconds == 10 && summary.sequence == 1)
        for length in bytes.indices {
            #expect(fault { try StepCounterSummary(gatt: Array(bytes.prefix(length))) } == .truncated)
        }
        let all = try StepCounterSummary(gatt: [0, 0x1F] + [UInt8](repeating: 0, count: 12) + Array(1...15))
        #expect(all.wornDuration == 0x0F0E0D && all.floors == 0x090807 && all.distance == 0x0C0B0A)
        let none = try StepCounterSummary(gatt: [0, 0x1C] + [UInt8](repeating: 0, count: 21))
        #expect(none.steps == nil)
    }

    @Test("reads battery, location, PnP id and texts")
    func small() throws {
        #expect(try BatteryLevel(gatt: [0x64]).percent == 100)
        #expect(try BatteryLevel(gatt: [0x64]).gatt == [0x64])
        #expect(fault { try BatteryLevel(gatt: [101]) } == .outOfRange("percent, 0 to 100"))
        #expect(fault { try BatteryLevel(gatt: []) } == .truncated)
        for (number, location) in BodySensorLocation.allCases.enumerated() {
            #expect(try BodySensorLocation(gatt: [UInt8(number)]) == location)
            #expect(location.gatt == [UInt8(number)])
        }
        #expect(try BodySensorLocation(gatt: [1]).description == "chest")
        #expect(fault { try BodySensorLocation(gatt: [7]) } == .unsupported("location 7"))
        let pnp = PnPID(source: .usb, vendor: 0x1D6B, product: 0x0246, version: 0x0552)
        #expect(try pnp.gatt == hex("02 6B 1D 46 02 52 05"))
        #expect(try PnPID(gatt: pnp.gatt) == pnp)
        #expect(fault { try PnPID(gatt: [3, 0, 0, 0, 0, 0, 0]) } == .unsupported("source 3"))
        #expect(fault { try PnPID(gatt: [1, 0, 0, 0, 0, 0]) } == .truncated)
        #expect(try DeviceInformationString(gatt: Array("Strap\u{1B}[2J\0junk".utf8)).text == "Strap[2J")
        #expect(try DeviceInformationString(gatt: [0x41, 0xFF]).text == "A\u{FFFD}")
        #expect(fault { try DeviceInformationString(gatt: [0x20, 0]) } == .noValue)
    }

    @Test("knows encodings by their names, and lists them if a name is wrong")
    func vendorEncodings() throws {
        #expect(try StepsEncoding(named: "uint32").steps(in: hex("6A 1F 00 00")) == 8042)
        #expect(try StepsEncoding(named: "uint24").steps(in: hex("6A 1F 01 FF")) == 0x11F6A)
        #expect(try StepsEncoding(named: "uint16").steps(in: hex("6A 1F")) == 8042)
        #expect(try StepsEncoding(named: "uint8").steps(in: [7]) == 7)
        #expect(
            try StepsEncoding(named: "step-counter-summary")
                .steps(in: hex("C0 01 01 00 02 00 0A 00 00 00 01 00 00 00 10 27 00")) == 10_000)
        #expect(fault { try StepsEncoding.uint32.steps(in: [1, 2, 3]) } == .truncated)
        #expect(
            fault { try StepsEncoding(named: "int9") }
                == .notAllowed("\"int9\" is not one of uint8, uint16, uint24, uint32, step-counter-summary"))

        #expect(try TemperatureEncoding(named: "float").temperature(in: hex("71 0E 00 FE")).thousandths == 36_970)
        #expect(try TemperatureEncoding(named: "sfloat").temperature(in: hex("73 F1")).thousandths == 37_100)
        let hundredths = try TemperatureEncoding(named: "sint16-hundredths")
        #expect(try hundredths.temperature(in: hex("71 0E")).thousandths == 36_970)
        #expect(try hundredths.temperature(in: hex("FF FF")).thousandths == -10)
        #expect(fault { try hundredths.temperature(in: [0x00, 0x80]) } == .noValue)
        #expect(
            try TemperatureEncoding(named: "temperature-measurement").temperature(in: hex("00 C4 09 00 FE")).celsius
                == 25)
        #expect(fault { try TemperatureEncoding.float.temperature(in: hex("FF FF 7F 00")) } == .noValue)
        for encoding in TemperatureEncoding.allCases {
            #expect(fault { try encoding.temperature(in: []) } == .noValue)
        }
        for encoding in StepsEncoding.allCases { #expect(fault { try encoding.steps(in: []) } == .noValue) }
    }

    @Test("spells UUIDs in full")
    func uuids() {
        #expect(GATT.heartRateMeasurement == "00002a37-0000-1000-8000-00805f9b34fb")
        #expect(GATT.uuid("2A37") == GATT.heartRateMeasurement)
        #expect(GATT.uuid("0x2a37") == GATT.heartRateMeasurement)
        #expect(GATT.uuid("00030001-78FC-48FE-8E23-433B3A1942D0") == "00030001-78fc-48fe-8e23-433b3a1942d0")
        for wrong in [
            "", "2A3", "2A3G", "0x", "0000180d", "00030001-78fc-48fe-8e23-433b3a1942d",
            "g0030001-78fc-48fe-8e23-433b3a1942d0",
        ] {
            #expect(GATT.uuid(wrong) == nil)
        }
    }

    @Test("names the services that Vitals knows, and leaves all others as they are")
    func serviceNames() {
        let names = [
            "180d": "heart-rate", "1809": "health-thermometer", "1814": "running-speed-and-cadence",
            "1816": "cycling-speed-and-cadence", "183e": "physical-activity-monitor", "180f": "battery",
            "180a": "device-information",
        ]
        for (short, name) in names {
            let uuid = "0000\(short)-0000-1000-8000-00805f9b34fb"
            #expect(GATT.serviceName(uuid) == name)
            #expect(GATT.serviceName(uuid.uppercased()) == name)
            #expect(GATT.service(named: name) == uuid)
            #expect(GATT.service(named: short) == uuid && GATT.service(named: "0x" + short.uppercased()) == uuid)
        }
        let vendor = "00030001-78fc-48fe-8e23-433b3a1942d0"
        #expect(GATT.serviceName(vendor) == vendor && GATT.service(named: vendor) == vendor)
        #expect(GATT.service(named: "heart rate") == nil && GATT.service(named: "") == nil)
    }
}
