extension TCXFile {
    /// An activity as a document.
    ///
    /// Places have nine digits behind the point, altitudes, distances and speeds three. TCX has no temperatures, no
    /// steps of single points, no ascent, and whole kilocalories. Its sports are running, cycling and others; so the
    /// word for another one is also in an element of ours, and walking is one of these.
    /// - Throws: `.notRepresentable` for times before the year 1 and after 9999.
    public static func write(_ activity: Recording) throws(ActivityFileError) -> [UInt8] {
        try activity.checkDates("TCX")
        var writer = XMLWriter(capacity: 2048 + activity.samples.count * 420)
        writer.begin(
            "TrainingCenterDatabase",
            [
                ("xmlns", "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"),
                ("xmlns:ns3", "http://www.garmin.com/xmlschemas/ActivityExtension/v2"),
                ("xmlns:xsi", "http://www.w3.org/2001/XMLSchema-instance"),
            ])
        writer.begin("Activities")
        let sport =
            switch activity.sport {
            case .running: "Running"
            case .cycling: "Biking"
            case .walking, .other: "Other"
            }
        writer.begin("Activity", [("Sport", sport)])
        writer.element("Id", time: activity.start)
        let laps =
            activity.laps.isEmpty
            ? [Lap(start: activity.start, end: activity.end, totals: activity.totals)] : activity.laps
        var first = 0
        for (index, lap) in laps.enumerated() {
            let isLast = index + 1 == laps.count
            let beyond = isLast ? activity.samples.count : activity.samples.firstIndex(atOrAfter: laps[index + 1].start)
            let own = activity.samples[first..<max(first, beyond)]
            first = max(first, beyond)
            write(lap, own, activity, isLast, &writer)
        }
        if let name = activity.name { writer.element("Notes", name) }
        if let device = activity.device, let name = TCXCreator.name(device) {
            writer.begin("Creator", [("xsi:type", "Device_t")])
            writer.element("Name", name)
            writer.element("UnitId", device.serial.flatMap { UInt32($0) } ?? 0)
            writer.element("ProductID", device.product.flatMap { UInt16($0) } ?? 0)
            writer.begin("Version")
            writer.element("VersionMajor", 0)
            writer.element("VersionMinor", 0)
            writer.end()
            writer.end()
        }
        if sport == "Other" {
            writer.begin("Extensions")
            writer.begin("VitalsActivity", [("xmlns", "urn:vitals:activity:1")])
            writer.element("VitalsSport", activity.sport.name)
            writer.end()
            writer.end()
        }
        while writer.isOpen { writer.end() }
        return writer.bytes
    }

    private static func write(
        _ lap: Lap, _ samples: ArraySlice<Sample>, _ activity: Recording, _ isLast: Bool, _ writer: inout XMLWriter
    ) {
        writer.beginTag("Lap")
        writer.attribute("StartTime", time: lap.start)
        writer.endTag()
        let duration = lap.totals.durationMilliseconds ?? running(lap, activity)
        writer.element("TotalTimeSeconds", Double(duration) / 1000, digits: 3)
        writer.element("DistanceMeters", lap.totals.distanceMetres ?? 0, digits: 3)
        writer.element("Calories", min(max(0, lap.totals.energyKilocalories ?? 0), 65_535), digits: 0)
        writer.element("Intensity", "Active")
        writer.element("TriggerMethod", "Manual")
        if !samples.isEmpty {
            writer.begin("Track")
            var pauses = activity.pauses[...]
            var last: Int64?
            for sample in samples {
                while let pause = pauses.first, pause.end <= last ?? lap.start { pauses = pauses.dropFirst() }
                if last != nil, let pause = pauses.first, pause.start < sample.time, pause.end <= sample.time {
                    writer.end()
                    writer.begin("Track")
                    pauses = pauses.dropFirst()
                }
                point(sample, activity.sport, &writer)
                last = sample.time
            }
            writer.end()
        }
        if let steps = lap.totals.steps {
            writer.begin("Extensions")
            writer.begin("ns3:LX")
            writer.element("ns3:Steps", steps)
            writer.end()
            writer.end()
        }
        writer.end()
    }

    /// How long the clock ran in a lap, in milliseconds: the schema wants a lap to have it.
    private static func running(_ lap: Lap, _ activity: Recording) -> Int64 {
        let paused = activity.pauses.reduce(0) { $0 + max(0, min($1.end, lap.end) - max($1.start, lap.start)) }
        return max(0, lap.end - lap.start - paused)
    }

    private static func point(_ sample: Sample, _ sport: Sport, _ writer: inout XMLWriter) {
        writer.begin("Trackpoint")
        writer.element("Time", time: sample.time)
        if let place = sample.place {
            writer.begin("Position")
            writer.element("LatitudeDegrees", place.latitude, digits: 9)
            writer.element("LongitudeDegrees", place.longitude, digits: 9)
            writer.end()
        }
        writer.element("AltitudeMeters", sample.altitude, digits: 3)
        writer.element("DistanceMeters", sample.distance, digits: 3)
        if let heartRate = sample.heartRate {
            writer.begin("HeartRateBpm")
            writer.element("Value", heartRate)
            writer.end()
        }
        // A bicycle's cadence has its own element; that of feet is in the extension.
        let cadence = sample.wholeCadence
        let isRiding = sport == .cycling
        if isRiding { writer.element("Cadence", cadence, digits: 0) }
        let runCadence = isRiding ? nil : cadence
        if sample.speed != nil || runCadence != nil || sample.power != nil {
            writer.begin("Extensions")
            writer.begin("ns3:TPX")
            writer.element("ns3:Speed", sample.speed, digits: 3)
            writer.element("ns3:RunCadence", runCadence, digits: 0)
            writer.element("ns3:Watts", sample.power)
            writer.end()
            writer.end()
        }
        writer.end()
    }
}
