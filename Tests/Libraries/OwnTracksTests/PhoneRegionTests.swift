import Fitness
import OwnTracks
import Telemetry
import Testing

@Suite("Regions of OwnTracks", .timeLimit(.minutes(60)))
struct PhoneRegionTests {
    private static let home = PhoneRegion(
        name: "Home", place: Place(latitude: 52.5, longitude: 13.4), radiusMetres: 150)

    @Test("One region is read with all that the app writes")
    func one() throws {
        let text = #"{"_type":"waypoint","desc":"Home","lat":52.5,"lon":13.4,"rad":150,"tst":1795261361,"rid":"a1b2"}"#
        var home = Self.home
        (home.made, home.id) = (1_795_261_361_000, "a1b2")
        #expect(try report(text) == .regions([home], areAll: false))
        #expect(try report(String(decoding: home.json.bytes, as: UTF8.self)) == .regions([home], areAll: false))
    }

    @Test("All regions are read; beacons, and what has no name or no circle, are left out")
    func all() throws {
        let text = """
            {"_type":"waypoints","waypoints":[{"_type":"waypoint","desc":"Home","lat":52.5,"lon":13.4,"rad":150},
            {"_type":"waypoint","desc":"b:0000:1:2","lat":52.5,"lon":13.4,"rad":0},{"desc":"","lat":1,"lon":1,"rad":9},
            {"desc":"Nowhere","rad":9},{"desc":"Wide","lat":1,"lon":1}]}
            """
        #expect(try report(text) == .regions([Self.home], areAll: true))
    }

    @Test("More regions than any phone has are refused, and so is a place that is not on the Earth")
    func limits() throws {
        func message(_ count: Int) -> String {
            let one = #"{"desc":"Home","lat":52.5,"lon":13.4,"rad":150}"#
            return
                "{\"_type\":\"waypoints\",\"waypoints\":[\(Array(repeating: one, count: count).joined(separator: ","))]}"
        }
        #expect(
            try report(message(PhoneRegion.most))
                == .regions(Array(repeating: Self.home, count: PhoneRegion.most), areAll: true))
        #expect(throws: OwnTracksError.self) { try report(message(PhoneRegion.most + 1)) }
        let far = #"{"_type":"waypoint","desc":"Home","lat":91,"lon":13.4,"rad":150}"#
        #expect(refusal(far) == Refusal(.outOfRange, "lat"))
        for text in [
            #"{"_type":"waypoints"}"#, #"{"_type":"waypoints","waypoints":7}"#,
            #"{"_type":"waypoints","waypoints":[7]}"#,
        ] {
            #expect(throws: OwnTracksError.self) { try report(text) }
        }
    }
}
