import Fitness
import Records
import Telemetry
import Testing

@testable import Partners

@Suite("An offer to train together")
struct PartnerOfferTests {
    @Test("is in an area that has a name, and is no position")
    func areas() {
        for area in ["Old Town", "10437 Prenzlauer Berg", "São Paulo, Zona 3", "北区", "St. Gallen", "Berlin N 3"] {
            #expect(PartnerOffer.isArea(area), "\(area)")
        }
        let long = String(repeating: "a", count: 65)
        for area in ["", " ", "52.52, 13.40", "lat 52.5 lon 13.4", "N 52° 31'", "52,5200 north", "12345", "two\nlines", "a\u{202E}b", long] {
            #expect(!PartnerOffer.isArea(area), "\(area)")
        }
        #expect(PartnerOffer.isArea(String(long.dropLast())))
        for area in [
            "52 31 12 N 13 24 E", "N52 31.2 E13 24", "52N 13O", "9F4MGC22+22", "near GC22+22", "５２．５２ north", "5２,5 north",
        ] {
            #expect(!PartnerOffer.isArea(area), "\(area)")
        }
    }

    @Test("has a text without a position, which may have distances, times and temperatures")
    func texts() {
        for text in [
            "Mornings, 5.5 km by the river", "Tue 18.30, Thu 19.00", "20 °C or less, 10 km", "10,000 steps", "5+5 km", "at 7 o'clock",
        ] {
            #expect(!WrittenPosition(in: text).isThere, "\(text)")
        }
        for text in [
            "meet at 52.5200", "52.520, 13.405", "52.520N 13.405E", "52° 31' and so on", "at 9f4mgc22+22!", "n 52 31 e 13 24", "５２．５２００",
        ] {
            #expect(WrittenPosition(in: text).isThere, "\(text)")
        }
    }

    @Test("has no position in other digits, with spaces, hidden characters, as a URI or as an address of a map")
    func disguises() {
        for text in [
            "geo:52.52,13.40", "GEO: 52.5,13.4;u=35", "52.52,13.40", "(52.52 / 13.40)", "52 . 5200", "52 .5200", "52 , 5200", "52. 5200",
            "5\u{200B}2.\u{2060}52\u{AD}00", "\u{202E}52.52\u{200F}00", "٥٢٫٥٢٠٠", "۵۲٫۵۲۰۰", "५२.५२००", "𝟓𝟐.𝟓𝟐𝟎𝟎", "52․5200", "52。5200",
            "5\u{FE0F}\u{20E3}2\u{FE0F}\u{20E3}.5200", "5\u{301}2.5200", "⒌5200", "52 point 5200", "52º 31'", "52˚31", "osm.org/go/0MbEUG",
            "lat 52.520 lon 13.405", "(52.520) (13.405)", "google.de/maps/place/x", "google.co.uk/maps",
            "HTTPS://Maps.App.goo.gl/abc", "https://www.openstreetmap.org/#map=19", "what3words.com/filled.count.soap",
        ] {
            #expect(WrittenPosition(in: text).isThere, "\(text.debugDescription)")
        }
        for text in [
            "5 x 10 km", "10.30 h, 12.5 km", "Tue 18.30, 19.15", "10.15/11.30 Uhr", "42.20, 21.10 km", "since 28.11.2026", "Lauf am 28.11.26", "0151.23.45.67", "Tor 3. 1500 m einlaufen", "We start at 10. 2026 is our year",
            "10, 5000 and 1500 m", "call 030 1234567", "+49 30 123 45 67", "geography: 3 hills", "v1.2.3", "20 ° or less, 10 km", "1. 2. 3. go",
            "می‌دویم ۵ کیلومتر", "३ किमी", "👨‍👩‍👧 5️⃣ km", "5 € each, 10.50 € for two",
        ] {
            #expect(!WrittenPosition(in: text).isThere, "\(text.debugDescription)")
        }
        for area in ["5\u{200B}2 . 52 north", "٥٢٫٥ north", "52 .5 north"] {
            #expect(!PartnerOffer.isArea(area), "\(area.debugDescription)")
        }
    }

    @Test("is found by its activity and by a part of its area's name, both in any case")
    func meant() throws {
        let offer = try offer()
        for (activity, area) in [(nil, nil), ("running", nil), (nil, "town"), (" RUNNING", " OLD  town ")] as [(String?, String?)] {
            #expect(offer.isMeant(activity: activity, area: area), "\(String(describing: area))")
        }
        for (activity, area) in [("cycling", nil), ("run", nil), (nil, "new"), ("cycling", "old")] as [(String?, String?)] {
            #expect(!offer.isMeant(activity: activity, area: area), "\(String(describing: area))")
        }
    }

    @Test("is found by a pace that overlaps its own, and by any if it has none")
    func paces() throws {
        var offer = try offer()
        #expect(offer.isMeant(activity: nil, area: nil, pace: 200...210))
        offer.pace = 330...375
        for (pace, isMeant) in [(300...330, true), (375...400, true), (340...350, true), (300...329, false), (376...400, false)]
            as [(ClosedRange<Int64>, Bool)]
        {
            #expect(offer.isMeant(activity: nil, area: nil, pace: pace) == isMeant, "\(pace)")
        }
    }

    @Test("is the same after it was kept, and says to others nothing of when it ends")
    func kept() throws {
        var offer = try offer()
        #expect(PartnerOffer(kept: offer.own) == offer)
        (offer.pace, offer.text) = (330...375, "Mornings")
        #expect(PartnerOffer(kept: offer.own) == offer && offer.json["expires"] == nil)
    }

    private func offer() throws -> PartnerOffer {
        PartnerOffer(id: try ID("o1"), activity: "running", area: "Old Town", since: 1, expires: 2)
    }
}

@Suite("What a person has to do with partners")
struct PartnerListTests {
    @Test("fits into their document, however full that is, and is the same after it was kept")
    func full() throws {
        let id = String(repeating: "x", count: 32)
        let text = String(repeating: "👍", count: PartnerOffer.longestText.characters)
        let activity = String(repeating: "a", count: 64)
        func ask(_ number: Int) throws -> PartnerAsk {
            PartnerAsk(
                id: try ID("\(id)\(number)"), offer: try ID("\(id)\(number)"), other: try ID("\(id)\(number)"),
                activity: activity, text: text, time: 1_795_261_361_000)
        }
        var list = PartnerList()
        list.contact = String(repeating: "👍", count: PartnerList.longestContact.characters)
        list.asks = try (0..<PartnerList.mostAsks).map(ask)
        list.asked = try (0..<PartnerList.mostAsked).map(ask)
        list.partners = try (0..<PartnerList.mostPartners).map { number in
            Partner(id: try ID("\(id)\(number)"), other: try ID("\(id)\(number)"), activity: activity, since: 1_795_261_361_000)
        }
        for number in 0..<(2 * PartnerList.mostDeclined) { list.decline(try ID("\(id)\(number)")) }
        #expect(text.utf8.count == PartnerOffer.longestText.bytes)
        #expect(list.declined.count == PartnerList.mostDeclined)
        #expect(list.json.bytes.count < JSON.maximumLength, "\(list.json.bytes.count)")
        #expect(PartnerList(kept: list.json) == list)
    }
}
