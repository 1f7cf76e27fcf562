import Telemetry

/// The kinds of sensors.
extension Profile {
    static let vendorService = "f1700001-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// uint32, little-endian.
    static let steps = "f1700002-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// IEEE 11073 FLOAT, little-endian, degrees Celsius.
    static let temperature = "f1700003-76a1-4c53-9d5b-3f5f0d3c1a00"
    /// RSC Feature 2A54: uint16, little-endian.
    static let runningFeature = GATT.uuid(0x2A54)
    /// CSC Feature 2A5C: uint16, little-endian.
    static let cyclingFeature = GATT.uuid(0x2A5C)

    /// Cycling Power Feature 2A65: uint32, little-endian.
    static let powerFeature = GATT.uuid(0x2A65)

    static let all = [strap, thermometer, footPod, bike, powerMeter]

    /// A chest strap that counts steps and takes temperatures, too.
    static let strap = Profile(
        word: "strap", name: "Vitals HRM", model: "Emulated HRM", appearance: 0x0341,
        services: [
            Service(
                uuid: GATT.heartRateService,
                characteristics: [
                    Characteristic(GATT.heartRateMeasurement, .notify),
                    Characteristic(GATT.bodySensorLocation, .read),
                    Characteristic(GATT.heartRateControlPoint, .write),
                ]),
            battery, deviceInformation, thermometry,
            Service(
                uuid: vendorService,
                characteristics: [Characteristic(steps, .read), Characteristic(temperature, .read)]),
        ],
        advertised: [GATT.heartRateService], beginning: [GATT.heartRateMeasurement])

    /// A thermometer that measures while somebody listens.
    static let thermometer = Profile(
        word: "thermometer", name: "Vitals Thermometer", model: "Emulated thermometer", appearance: 0x0300,
        services: [thermometry, battery, deviceInformation], advertised: [GATT.healthThermometerService],
        beginning: [GATT.temperatureMeasurement, GATT.intermediateTemperature])

    /// A foot pod, on the shoe.
    static let footPod = Profile(
        word: "foot-pod", name: "Vitals Foot Pod", model: "Emulated foot pod", appearance: 0x0442,
        services: [
            Service(
                uuid: GATT.runningSpeedAndCadenceService,
                characteristics: [
                    Characteristic(GATT.runningSpeedAndCadenceMeasurement, .notify),
                    Characteristic(runningFeature, .read),
                ]),
            battery, deviceInformation,
        ],
        advertised: [GATT.runningSpeedAndCadenceService], beginning: [GATT.runningSpeedAndCadenceMeasurement])

    /// A bicycle's sensor of wheel and cranks.
    static let bike = Profile(
        word: "bike", name: "Vitals Bike", model: "Emulated bike sensor", appearance: 0x0485,
        services: [
            Service(
                uuid: GATT.cyclingSpeedAndCadenceService,
                characteristics: [
                    Characteristic(GATT.cyclingSpeedAndCadenceMeasurement, .notify),
                    Characteristic(cyclingFeature, .read),
                ]),
            battery, deviceInformation,
        ],
        advertised: [GATT.cyclingSpeedAndCadenceService], beginning: [GATT.cyclingSpeedAndCadenceMeasurement])

    /// A power meter in a bicycle's cranks.
    static let powerMeter = Profile(
        word: "power-meter", name: "Vitals Power", model: "Emulated power meter", appearance: 0x0484,
        services: [
            Service(
                uuid: GATT.cyclingPowerService,
                characteristics: [
                    Characteristic(GATT.cyclingPowerMeasurement, .notify),
                    Characteristic(powerFeature, .read),
                ]),
            battery, deviceInformation,
        ],
        advertised: [GATT.cyclingPowerService], beginning: [GATT.cyclingPowerMeasurement])

    private static let thermometry = Service(
        uuid: GATT.healthThermometerService,
        characteristics: [
            Characteristic(GATT.temperatureMeasurement, .indicate),
            Characteristic(GATT.intermediateTemperature, .notify),
        ])

    private static let battery = Service(
        uuid: GATT.batteryService, characteristics: [Characteristic(GATT.batteryLevel, .read, .notify)])

    private static let deviceInformation = Service(
        uuid: GATT.deviceInformationService,
        characteristics: [
            Characteristic(GATT.manufacturerName, .read),
            Characteristic(GATT.modelNumber, .read),
            Characteristic(GATT.serialNumber, .read),
            Characteristic(GATT.firmwareRevision, .read),
            Characteristic(GATT.pnpID, .read),
        ])
}
