extension GATT {
    /// The services that have a name in requests and payloads; all others are written as their UUIDs.
    private static let serviceNames = [
        heartRateService: "heart-rate",
        healthThermometerService: "health-thermometer",
        runningSpeedAndCadenceService: "running-speed-and-cadence",
        cyclingSpeedAndCadenceService: "cycling-speed-and-cadence",
        cyclingPowerService: "cycling-power",
        locationAndNavigationService: "location-and-navigation",
        physicalActivityMonitorService: "physical-activity-monitor",
        batteryService: "battery",
        deviceInformationService: "device-information",
    ]

    private static let namedServices = Dictionary(uniqueKeysWithValues: serviceNames.map { ($0.value, $0.key) })

    /// How payloads write a service: its name, such as `heart-rate`, or else the 128-bit UUID, in lower case.
    public static func serviceName(_ uuid: String) -> String {
        let uuid = Self.uuid(uuid) ?? uuid
        return serviceNames[uuid] ?? uuid
    }

    /// The 128-bit UUID that a request means by `heart-rate`, `180D` or all 36 characters; nil if it means none.
    public static func service(named text: String) -> String? { namedServices[text] ?? uuid(text) }
}
