import Fitness
import TestSupport
import Testing

@testable import ActivityFiles

@Suite("Documents of activities", .timeLimit(.minutes(60)))
struct DocumentTests {
    static func gpx(_ points: String, before: String = "") -> [UInt8] {
        Array(
            """
            <?xml version="1.0"?>\(before)
            <gpx version="1.1" creator="Strap &amp; co" xmlns="http://www.topografix.com/GPX/1/1"
             xmlns:a="http://www.garmin.com/xmlschemas/TrackPointExtension/v1" xmlns:c="http://www.cluetrust.com/XML/GPXDATA/1/0">
            <metadata><name>not this</name><time>2020-01-01T00:00:00Z</time></metadata>
            <trk><name><![CDATA[Hills & sea]]></name><type>trail_running</type><trkseg>\(points)</trkseg></trk></gpx>
            """.utf8)
    }

    @Test("A point has what Garmin, ClueTrust and others write beside it")
    func extensions() throws {
        let points = """
            <trkpt lat="51.5" lon="-0.25"><ele>12.5</ele><time>2024-05-01T10:00:00.250+02:00</time><extensions>
              <power>250</power><a:TrackPointExtension><a:atemp>21</a:atemp><a:hr>140</a:hr><a:cad>88</a:cad></a:TrackPointExtension>
            </extensions></trkpt></trkseg><trkseg>
            <trkpt lon="1e-1" lat="+51.50"><time> 2024-05-01T08:01:00Z </time><extensions><c:hr>141</c:hr><c:cadence>89.5</c:cadence>
              <c:temp>20.5</c:temp><c:distance>12.25</c:distance></extensions></trkpt>
            <trkpt lat="51" lon="0"/><trkpt lat="91" lon="0"><time>2024-05-01T08:01:00Z</time></trkpt>
            """
        let recordings = try GPXFile.read(Self.gpx(points))
        let activity = try #require(recordings.activities.first)
        let start: Int64 = 1_714_550_400_250
        #expect(activity.sport == .running)
        #expect(activity.name == "Hills & sea")
        #expect(activity.device == Device(product: "Strap & co"))
        #expect(activity.pauses == [Pause(start: start, end: start + 59_750)])
        #expect(
            activity.samples == [
                Sample(
                    time: start, place: Place(latitude: 51.5, longitude: -0.25), altitude: 12.5, cadence: 88,
                    temperature: 21, heartRate: 140, power: 250),
                Sample(
                    time: start + 59_750, place: Place(latitude: 51.5, longitude: 0.1), distance: 12.25, cadence: 89.5,
                    temperature: 20.5, heartRate: 141),
            ])
        #expect(recordings.omissions == ["1 points without a time", "1 points without a place"])
    }

    @Test("A document type is refused before anything of it is read")
    func documentTypes() throws {
        let point = "<trkpt lat=\"1\" lon=\"1\"><time>2024-05-01T08:01:00Z</time><name>&x;</name></trkpt>"
        var laughs = "<!DOCTYPE gpx [<!ENTITY a0 \"ha\">"
        for index in 1..<30 { laughs += "<!ENTITY a\(index) \"&a\(index - 1);&a\(index - 1);&a\(index - 1);\">" }
        let types = [
            "<!DOCTYPE gpx [<!ENTITY x SYSTEM \"file:///etc/hostname\">]>",
            "<!DOCTYPE gpx SYSTEM \"http://127.0.0.1:9/x.dtd\">", laughs + "<!ENTITY x \"&a29;\">]>",
            "<!DOCTYPE gpx [<!ENTITY % p SYSTEM \"file:///dev/zero\"> %p;]>", "<!DOCTYPE gpx>",
        ]
        for type in types {
            #expect(
                throws: ActivityFileError("GPX", .unsupported, at: .line(1), "a document type (DOCTYPE) is not allowed")
            ) {
                try GPXFile.read(Self.gpx(point, before: type))
            }
        }
        // And without one, there are no entities.
        let error = fault(Self.gpx(point))
        #expect(error?.reason == .malformed)
        #expect(error?.said.contains("'x' not defined") == true, "\(error?.said ?? "")")
    }

    @Test("A document that is too deep, too long or not finished is refused with a line")
    func hostile() throws {
        let deep = fault(Self.gpx("\n" + String(repeating: "<x>", count: 100_000)))
        #expect(deep?.description == "GPX, line 6: more than 64 elements within each other")
        let long = fault(Self.gpx("<trkpt lat=\"" + String(repeating: "1", count: 12_000_000) + "\"/>"))
        #expect(long?.reason == .malformed)
        // A text without an end is read and forgotten; a name without one is refused.
        let name = fault(Self.gpx("<" + String(repeating: "n", count: 12_000_000)))
        #expect(name?.reason == .malformed)
        var limits = Limits()
        limits.streamBytes = 500
        let cut = fault(Self.gpx(String(repeating: " ", count: 1000)), limits)
        #expect(cut?.reason == .tooMuch)
        #expect(fault([])?.description == "GPX, line 1: the document ends too early")
        #expect(fault(Array("<html/>".utf8))?.reason == .unknownFormat)
        #expect(fault(Array("<gpx/>".utf8))?.reason == .empty)
        #expect(fault(Array("<gpx><trk>".utf8))?.reason == .truncated)
    }

    @Test("Many names, many attributes and a long text take no more than a little memory")
    func many() throws {
        let names = (0..<200_000).map { "<n\($0)/>" }.joined()
        #expect(fault(Self.gpx(names)) != nil)
        let text = "<trkpt lat=\"1\" lon=\"1\"><time>" + String(repeating: "2", count: 20_000_000) + "</time></trkpt>"
        #expect(fault(Self.gpx(text)) != nil)
    }

    private func fault(_ bytes: [UInt8], _ limits: Limits = Limits()) -> ActivityFileError? {
        faultOfGPX(bytes, limits)
    }

    @Test("A training of Garmin's has laps, a creator and extensions; spaces before it do not matter")
    func training() throws {
        let document = """
               <?xml version="1.0" encoding="UTF-8"?>
            <TrainingCenterDatabase xmlns="http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"><Activities>
            <Activity Sport="Biking"><Id>2024-05-01T08:00:00.000Z</Id>
            <Lap StartTime="2024-05-01T08:00:00.000Z"><TotalTimeSeconds>60.5</TotalTimeSeconds><DistanceMeters>400.25</DistanceMeters>
              <Calories>20</Calories><AverageHeartRateBpm><Value>99</Value></AverageHeartRateBpm><Intensity>Active</Intensity>
              <Track><Trackpoint><Time>2024-05-01T08:00:00Z</Time><HeartRateBpm><Value>100</Value></HeartRateBpm><Cadence>70</Cadence></Trackpoint>
              <Trackpoint><Time>2024-05-01T08:00:10Z</Time></Trackpoint></Track>
              <Track><Trackpoint><Time>2024-05-01T08:01:00Z</Time><Position><LatitudeDegrees>1.5</LatitudeDegrees>
              <LongitudeDegrees>2.5</LongitudeDegrees></Position><AltitudeMeters>3</AltitudeMeters><DistanceMeters>400</DistanceMeters>
              <Extensions><TPX xmlns="http://www.garmin.com/xmlschemas/ActivityExtension/v2"><Speed>4.5</Speed><Watts>180</Watts></TPX></Extensions>
              </Trackpoint></Track><Extensions><LX xmlns="x"><Steps>12</Steps><AvgSpeed>4</AvgSpeed></LX></Extensions></Lap>
            <Lap StartTime="2024-05-01T08:02:00Z"><TotalTimeSeconds>10</TotalTimeSeconds><DistanceMeters>0</DistanceMeters><Calories>5</Calories></Lap>
            <Notes>To work</Notes><Creator xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="Device_t"><Name>Garmin Edge 810</Name>
            <UnitId>3868201</UnitId><ProductID>1567</ProductID></Creator></Activity></Activities>
            <Author><Name>Garmin Connect</Name></Author></TrainingCenterDatabase>
            """
        let recordings = try TCXFile.read(Array(document.utf8))
        let activity = try #require(recordings.activities.first)
        let start: Int64 = 1_714_550_400_000
        #expect(recordings.damage == nil)
        #expect(activity.sport == .cycling)
        #expect(activity.name == "To work")
        #expect(activity.device == Device(manufacturer: "garmin", product: "Edge 810", serial: "3868201"))
        #expect(activity.pauses == [Pause(start: start + 10_000, end: start + 60_000)])
        #expect(
            activity.laps == [
                Lap(
                    start: start, end: start + 120_000,
                    totals: Totals(
                        distanceMetres: 400.25, durationMilliseconds: 60_500, energyKilocalories: 20, steps: 12)),
                Lap(
                    start: start + 120_000, end: start + 130_000,
                    totals: Totals(distanceMetres: 0, durationMilliseconds: 10_000, energyKilocalories: 5)),
            ])
        // In a lap of rest, nobody moves.
        #expect(
            activity.totals == Totals(distanceMetres: 400.25, durationMilliseconds: 70_500, energyKilocalories: 25))
        #expect(
            activity.samples == [
                Sample(time: start, cadence: 70, heartRate: 100), Sample(time: start + 10_000),
                Sample(
                    time: start + 60_000, place: Place(latitude: 1.5, longitude: 2.5), altitude: 3, distance: 400,
                    speed: 4.5, power: 180),
            ])
    }

    @Test(
        "A number is the one nearest to what is written, and nothing else is a number",
        arguments: [
            ("0", 0), ("-0.5", -0.5), ("+12.250", 12.25), ("47.626826", 47.626826), ("1.5E2", 150), ("5.", 5),
            (".5", 0.5),
            ("123456789012345678901234567890", 1.2345678901234568e29), ("0.1", 0.1), (" 7\n", 7),
            ("179.99999999999997", 179.99999999999997), ("9007199254740993", 9_007_199_254_740_992), ("1e-7", 1e-7),
            ("", nil), (".", nil), ("-", nil), ("--5", nil), ("1e999", nil), ("nan", nil), ("inf", nil), ("0x10", nil),
            ("1 2", nil), ("1,5", nil), ("1e", nil),
        ] as [(String, Double?)])
    func numbers(text: String, value: Double?) {
        let read = Array(text.utf8).withUnsafeBufferPointer { decimal($0) }
        #expect(read == value)
    }

    @Test(
        "A time is read with its distance to UTC, and nothing else is a time",
        arguments: [
            ("2024-05-01T08:00:00Z", 1_714_550_400_000), ("2024-05-01T08:00:00", 1_714_550_400_000),
            ("2024-05-01 10:00:00 +0200", 1_714_550_400_000), ("2024-05-01T02:30:00.1239-05:30", 1_714_550_400_123),
            ("1969-12-31T23:59:59.999Z", -1), ("2016-12-31T23:59:60Z", 1_483_228_800_000),
            ("2024-04-30T24:00:00Z", 1_714_521_600_000), ("2024-02-30T00:00:00Z", nil), ("2024-05-01", nil),
            ("2024-05-01T08:00:00+2", nil), ("2024-05-01T08:00:00Zz", nil), ("2024-05-01T25:00:00Z", nil),
            ("2024-05-01T08:00:00.Z", nil), ("20240501T080000Z.........", nil), ("", nil),
        ] as [(String, Int64?)])
    func times(text: String, time: Int64?) {
        let read = Array(text.utf8).withUnsafeBufferPointer { unixTime($0) }
        #expect(read == time)
    }
}
