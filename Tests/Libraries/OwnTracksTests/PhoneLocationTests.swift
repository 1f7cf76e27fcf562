import Fitness
import OwnTracks
import TestSupport
import Testing

@Suite("Locations of OwnTracks", .timeLimit(.minutes(60)))
struct PhoneLocationTests {
    /// As iOS writes it, with all that its settings can add.
    static let iOS = """
        {"_type":"location","t":"t","lat":52.520008,"lon":13.404954,"tst":1795261361,"created_at":1795261365,"acc":14,\
        "alt":34,"vac":10,"vel":18,"cog":270,"p":101.325,"motionactivities":["cycling","walking","cycling"],"conn":"m",\
        "ssid":"home","bssid":"0:1:2","m":2,"tid":"AL","batt":83,"bs":2,"inregions":["Home","Ünter\\nlinden"],\
        "inrids":["6da9cf","3defa7"],"rad":150,"poi":"bakery","tag":"Berlin","image":"AAAA","imagename":"a.png",\
        "topic":"owntracks/ada/phone"}
        """
    /// As Android 2.6 writes it.
    static let android = """
        {"_type":"location","_id":"7f1ce4a0","BSSID":"00:11","SSID":"home","acc":100,"alt":0,"batt":7,"bs":1,"conn":"w",\
        "created_at":1795261361,"lat":-33.8,"lon":-70.65,"m":1,"source":"fused","t":"p","tid":"o","tst":1795261360,\
        "vac":0,"vel":0.0}
        """

    @Test("A location of iOS is read field by field")
    func readsIOS() throws {
        let read = try location(Self.iOS)
        #expect(read.place == Place(latitude: 52.520008, longitude: 13.404954))
        #expect(read.time == 1_795_261_361_000)
        #expect(read.written == 1_795_261_365_000)
        #expect(read.accuracyMetres == 14)
        #expect(read.altitudeMetres == 34)
        #expect(read.verticalAccuracyMetres == 10)
        #expect(read.kilometresPerHour == 18)
        #expect(read.metresPerSecond == 5)
        #expect(read.courseDegrees == 270)
        #expect(read.kilopascals == 101.325)
        #expect(read.motions == [.cycling, .walking])
        #expect(read.connection == .mobile)
        #expect(read.monitoring == .move)
        #expect(read.trackerID == "AL")
        #expect(read.batteryPercent == 83)
        #expect(read.batteryState == .charging)
        #expect(read.regions == ["Home", "Ünter\nlinden"])
        #expect(read.regionIDs == ["6da9cf", "3defa7"])
        #expect(read.regionRadiusMetres == 150)
        #expect(read.placeOfInterest == "bakery")
        #expect(read.tag == "Berlin")
        #expect(read.topic == "owntracks/ada/phone")
        #expect(read.trigger == .timer)
        #expect(read.id == nil)
    }

    @Test("A location of Android is read, and a zero by which phones know nothing is nil")
    func readsAndroid() throws {
        let read = try location(Self.android)
        #expect(read.place == Place(latitude: -33.8, longitude: -70.65))
        #expect(read.id == "7f1ce4a0")
        #expect(read.trigger == .ping)
        #expect(read.batteryState == .unplugged)
        #expect(read.connection == .wireless)
        #expect(read.monitoring == .significant)
        #expect(read.altitudeMetres == 0)
        #expect(read.kilometresPerHour == 0)
        #expect(read.verticalAccuracyMetres == nil)
        #expect(read.motions.isEmpty && read.regions.isEmpty)
    }

    @Test("A location needs nothing but a place and a time")
    func least() throws {
        let read = try location(#"{"_type":"location","lat":1,"lon":-180,"tst":1}"#)
        #expect(read == PhoneLocation(place: Place(latitude: 1, longitude: -180), time: 1000))
        let null = #"{"_type":"location","lat":1,"lon":-180,"tst":1,"acc":null,"inregions":null,"tid":null,"bs":null}"#
        #expect(try location(null) == read)
    }

    @Test("What a phone says not to know by a number below zero is nil")
    func unknown() throws {
        let text =
            #"{"_type":"location","lat":1,"lon":2,"tst":3,"vac":-1,"vel":-4,"cog":-1,"batt":-100,"bs":0,"acc":0}"#
        #expect(try location(text) == PhoneLocation(place: Place(latitude: 1, longitude: 2), time: 3000))
    }

    @Test("Letters and words that nobody knows are other and unknown, and do not cost the place")
    func later() throws {
        let text =
            #"{"_type":"location","lat":1,"lon":2,"tst":3,"t":"zz","conn":"x","motionactivities":["rowing"],"new":{}}"#
        let read = try location(text)
        #expect(read.trigger == .other)
        #expect(read.connection == nil)
        #expect(read.motions == [.unknown])
    }

    @Test("A course of 360 degrees is north")
    func north() throws {
        #expect(try location(#"{"_type":"location","lat":1,"lon":2,"tst":3,"cog":360}"#).courseDegrees == 0)
    }

    @Test(
        "A field that is missing, of a wrong type or out of its range is named",
        arguments: [
            (#""lon":2,"tst":3"#, Refusal(.missing, "lat")),
            (#""lat":1,"tst":3"#, Refusal(.missing, "lon")),
            (#""tst":3"#, Refusal(.missing, "lat")),
            (#""lat":1,"lon":2"#, Refusal(.missing, "tst")),
            (#""lat":null,"lon":2,"tst":3"#, Refusal(.missing, "lat")),
            (#""lat":"1","lon":2,"tst":3"#, Refusal(.wrongType, "lat")),
            (#""lat":1,"lon":true,"tst":3"#, Refusal(.wrongType, "lon")),
            (#""lat":1,"lon":2,"tst":"3""#, Refusal(.wrongType, "tst")),
            (#""lat":90.0001,"lon":2,"tst":3"#, Refusal(.outOfRange, "lat")),
            (#""lat":1,"lon":-180.5,"tst":3"#, Refusal(.outOfRange, "lon")),
            (#""lat":1e308,"lon":2,"tst":3"#, Refusal(.outOfRange, "lat")),
            (#""lat":1,"lon":99999999999999999999999999,"tst":3"#, Refusal(.outOfRange, "lon")),
            (#""lat":1,"lon":2,"tst":0"#, Refusal(.outOfRange, "tst")),
            (#""lat":1,"lon":2,"tst":-1"#, Refusal(.outOfRange, "tst")),
            // Milliseconds instead of seconds.
            (#""lat":1,"lon":2,"tst":1795261361000"#, Refusal(.outOfRange, "tst")),
            (#""lat":1,"lon":2,"tst":9223372036854775807"#, Refusal(.outOfRange, "tst")),
            (#""lat":1,"lon":2,"tst":1e300"#, Refusal(.outOfRange, "tst")),
            (#""lat":1,"lon":2,"tst":3,"created_at":[]"#, Refusal(.wrongType, "created_at")),
            (#""lat":1,"lon":2,"tst":3,"acc":-1"#, Refusal(.outOfRange, "acc")),
            (#""lat":1,"lon":2,"tst":3,"acc":30000000"#, Refusal(.outOfRange, "acc")),
            (#""lat":1,"lon":2,"tst":3,"acc":"good""#, Refusal(.wrongType, "acc")),
            (#""lat":1,"lon":2,"tst":3,"alt":1e9"#, Refusal(.outOfRange, "alt")),
            (#""lat":1,"lon":2,"tst":3,"vac":{}"#, Refusal(.wrongType, "vac")),
            (#""lat":1,"lon":2,"tst":3,"t":1"#, Refusal(.wrongType, "t")),
        ])
    func refused(fields: String, expected: Refusal) {
        #expect(refusal("{\"_type\":\"location\",\(fields)}") == expected)
    }

    @Test(
        "A wrong field that is not kept with the place is as if it were not there",
        arguments: [
            #""vel":40000"#,
            #""vel":-1e18"#,
            #""cog":361"#,
            #""p":1013"#,
            #""batt":101"#,
            #""bs":4"#,
            #""bs":1.5"#,
            #""m":3"#,
            #""conn":false"#,
            #""inregions":"Home""#,
            #""inregions":["Home",1]"#,
            #""inrids":[null]"#,
            #""motionactivities":[[]]"#,
            #""tid":7"#,
            #""poi":7"#,
            #""_id":7"#,
        ])
    func sideFields(_ field: String) throws {
        let place = PhoneLocation(place: Place(latitude: 1, longitude: 2), time: 3000)
        #expect(try location("{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":3,\(field)}") == place)
    }

    @Test("Texts and lists have limits")
    func limits() throws {
        func message(_ field: String, _ value: String) -> String {
            "{\"_type\":\"location\",\"lat\":1,\"lon\":2,\"tst\":3,\"\(field)\":\(value)}"
        }
        let long = "\"" + String(repeating: "x", count: 1025) + "\""
        #expect(refusal(message("t", long)) == Refusal(.tooLong, "t"))
        // What is not kept with the place is left out.
        let place = PhoneLocation(place: Place(latitude: 1, longitude: 2), time: 3000)
        for field in ["tid", "poi", "tag", "topic", "_id", "conn"] {
            #expect(try location(message(field, long)) == place)
        }
        for field in ["inregions", "inrids", "motionactivities"] {
            let many = "[" + [String](repeating: "\"x\"", count: 257).joined(separator: ",") + "]"
            for list in ["[\(long)]", many] { #expect(try location(message(field, list)) == place) }
        }
        let fields = (0..<128).map { "\"f\($0)\":0" }.joined(separator: ",")
        #expect(refusal("{\"_type\":\"location\",\(fields)}") == Refusal(.tooLong))
    }

    @Test("An error never repeats what a field holds")
    func discreet() throws {
        for text in [#""lat":91.5,"lon":2,"tst":3"#, #""lat":"91.5","lon":2,"tst":3"#] {
            do {
                _ = try report("{\"_type\":\"location\",\(text)}")
                Issue.record("it was not refused")
            } catch {
                #expect(!"\(error)".contains("91.5"))
                #expect("\(error)".hasPrefix("could not read a location: \"lat\" is"))
            }
        }
    }

    @Test("What is written is read as the same")
    func roundTrip() throws {
        for text in [Self.iOS, Self.android] {
            let read = try location(text)
            let again = try location(String(decoding: read.bytes, as: UTF8.self))
            #expect(again == read)
        }
        var odd = PhoneLocation(place: Place(latitude: 0.1, longitude: -0.30000000000000004), time: 1_795_261_361_123)
        odd.kilometresPerHour = 17.99
        odd.trigger = .other
        #expect(try location(String(decoding: odd.bytes, as: UTF8.self)) == odd)
    }
}
