extension GPXFile {
    /// What we are called in the documents that we write, unless a device is known.
    static let ownCreator = "Vitals"

    /// An activity as a document, with a segment for each part between pauses.
    ///
    /// Places have nine digits behind the point, altitudes and speeds three. Samples without a place are left out, and
    /// so are laps, totals, steps, distances and the device but for its product.
    /// - Throws: `.notRepresentable` where no sample has a place, and for times before the year 1 and after 9999.
    public static func write(_ activity: Recording) throws(ActivityFileError) -> [UInt8] {
        try activity.checkDates("GPX")
        guard activity.samples.contains(where: { $0.place != nil }) else {
            throw ActivityFileError("GPX", .notRepresentable, "GPX needs places, and this activity has none")
        }
        var writer = XMLWriter(capacity: 1024 + activity.samples.count * 320)
        writer.begin(
            "gpx",
            [
                ("version", "1.1"), ("creator", activity.device?.product ?? ownCreator),
                ("xmlns", "http://www.topografix.com/GPX/1/1"),
                ("xmlns:gpxtpx", "http://www.garmin.com/xmlschemas/TrackPointExtension/v2"),
                ("xmlns:pwr", "http://www.garmin.com/xmlschemas/PowerExtension/v1"),
            ])
        writer.begin("metadata")
        writer.element("time", time: activity.start)
        writer.end()
        writer.begin("trk")
        if let name = activity.name { writer.element("name", name) }
        writer.element("type", activity.sport.name)
        writer.begin("trkseg")
        var pauses = activity.pauses[...]
        var last: Int64?
        for sample in activity.samples where sample.place != nil {
            // What ended before the last point is behind us; what began before this one lies between them.
            while let pause = pauses.first, let last, pause.end <= last { pauses = pauses.dropFirst() }
            if last != nil, let pause = pauses.first, pause.start < sample.time, pause.end <= sample.time {
                writer.end()
                writer.begin("trkseg")
                pauses = pauses.dropFirst()
            }
            point(sample, &writer)
            last = sample.time
        }
        while writer.isOpen { writer.end() }
        return writer.bytes
    }

    private static func point(_ sample: Sample, _ writer: inout XMLWriter) {
        guard let place = sample.place else { return }
        writer.beginTag("trkpt")
        writer.attribute("lat", place.latitude, digits: 9)
        writer.attribute("lon", place.longitude, digits: 9)
        writer.endTag()
        writer.element("ele", sample.altitude, digits: 3)
        writer.element("time", time: sample.time)
        let hasBody =
            sample.heartRate != nil || sample.wholeCadence != nil || sample.temperature != nil || sample.speed != nil
        if hasBody || sample.power != nil {
            writer.begin("extensions")
            if let power = sample.power { writer.element("pwr:PowerInWatts", power) }
            if hasBody {
                // In the order of its schema.
                writer.begin("gpxtpx:TrackPointExtension")
                writer.element("gpxtpx:atemp", sample.temperature, digits: 3)
                writer.element("gpxtpx:hr", sample.heartRate)
                writer.element("gpxtpx:cad", sample.wholeCadence, digits: 0)
                writer.element("gpxtpx:speed", sample.speed, digits: 3)
                writer.end()
            }
            writer.end()
        }
        writer.end()
    }
}
