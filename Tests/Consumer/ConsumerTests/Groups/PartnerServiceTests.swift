import Desk
import Files
import HouseholdSupport
import MQTT
import Records
import Storage
import Telemetry
import TestSupport
import Testing

@testable import Partners
@testable import vitals_consumer

@Suite("Training partners, at a running service", .timeLimit(.minutes(60)))
struct PartnerServiceTests {
    private static let running: JSON = ["activity": "running", "area": "Old Town", "text": "Mornings"]

    private func offer(_ circle: Circle, _ user: ID, _ fields: JSON = running) throws -> JSON {
        try circle.id(circle.done(user, "partners/offer", fields), "offer")
    }

    @Test("find each other by activity and area without a name, and see name and contact only when both agree")
    func agree() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let pace: JSON = ["from_s_per_km": 330, "to_s_per_km": 375]
            let made = try circle.done(ada, "partners/offer", Self.running.with("pace", pace))
            #expect(made["expires"] == .integer(start + 90 * 86_400_000))
            for contact in ["ada@example.org", "by the river"] {
                try circle.done(ada, "partners/contact", ["contact": .string(contact)])
            }
            try circle.done(bob, "partners/contact", ["contact": "+49 151 23456789"])
            let reply = try circle.done(bob, "partners/find", ["activity": "running", "area": "old"])
            let found = try elements(reply, "offers")
            guard case .object(let members)? = found.first else { throw TestFailure("\(reply)") }
            #expect(members.map(\.name).sorted() == ["activity", "area", "offer", "pace", "since", "text"])
            #expect(found.count == 1 && found.first?["pace"] == pace && reply["next"] == nil)
            let slower: JSON = ["pace": ["from_s_per_km": 376, "to_s_per_km": 400]]
            for fields in [["activity": "cycling"], ["area": "new"], slower] as [JSON] {
                #expect(try elements(circle.done(bob, "partners/find", fields), "offers").isEmpty)
            }
            // Nobody finds their own.
            #expect(try elements(circle.done(ada, "partners/find"), "offers").isEmpty)
            let offer = try circle.id(made, "offer")
            let ask = try circle.done(bob, "partners/ask", ["offer": offer, "text": "Tuesdays?"])["ask"] ?? .null
            // Asking twice is asking once, in the words of the last time.
            #expect(try circle.done(bob, "partners/ask", ["offer": offer])["ask"] == ask)
            for words in ["Mondays?", "Tuesdays?"] as [JSON] {
                #expect(try circle.done(bob, "partners/ask", ["offer": offer, "text": words])["ask"] == ask)
                let asked = try circle.done(ada, "partners/list")
                #expect(try elements(asked, "asked").map { $0["text"] } == [words])
            }
            let words = "Somebody would like to train with you: running, Old Town. See vitals partners."
            #expect(try circle.told(ada, "partner-asked") == [words])
            let asked = try circle.done(ada, "partners/list")
            let asks = try circle.done(bob, "partners/list")
            #expect(try elements(asked, "asked").map { $0["text"] } == ["Tuesdays?"])
            #expect(try elements(asks, "asks").map { $0["ask"] } == [ask])
            for list in [asked, asks] {
                let text = String(decoding: list.bytes, as: UTF8.self)
                #expect(try elements(list, "partners").isEmpty, "\(list)")
                #expect(!text.contains(ada.text) && !text.contains(bob.text) && !text.contains("Bob"), "\(list)")
            }
            let answer = try circle.done(ada, "partners/answer", ["ask": ask, "accept": true])
            #expect(answer["partner"]?["name"] == "Bob" && answer["partner"]?["contact"] == "+49 151 23456789")
            let partners = try elements(circle.done(bob, "partners/list"), "partners")
            #expect(partners.map { $0["name"] } == ["Ada"] && partners.map { $0["contact"] } == ["by the river"])
            #expect(try circle.told(bob, "partner-found") == ["Ada would like to train with you, too: running. See vitals partners."])
            #expect(try circle.told(ada, "partner-asked").isEmpty)
            try circle.done(ada, "partners/contact", ["contact": .null])
            #expect(try elements(circle.done(bob, "partners/list"), "partners").first?["contact"] == nil)

            try circle.done(bob, "partners/end", ["partner": try #require(partners.first?["partner"])])
            for user in [ada, bob] { #expect(try elements(circle.done(user, "partners/list"), "partners").isEmpty) }
            #expect(try circle.told(bob, "partner-found") == ["Vitals has news for you: it is about training partners."])
        }
    }

    @Test("are not asked again about an offer once they have declined; questions are taken back, and end with the offer")
    func decline() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let offer = try offer(circle, ada)
            let first = try circle.done(bob, "partners/ask", ["offer": offer])["ask"] ?? .null
            try circle.done(bob, "partners/take-back", ["ask": first])
            #expect(try circle.told(ada, "partner-asked").isEmpty)
            #expect(try circle.refused(ada, "partners/answer", ["ask": first, "accept": true]).code == .notFound)
            let ask = try circle.done(bob, "partners/ask", ["offer": offer])["ask"] ?? .null
            // A question is answered by nobody but whom it is for.
            #expect(try circle.refused(bob, "partners/answer", ["ask": ask, "accept": true]).code == .notFound)
            try circle.done(ada, "partners/answer", ["ask": ask, "accept": false])
            #expect(try circle.told(bob, "partner-declined").count == 1)
            let again = try circle.refused(bob, "partners/ask", ["offer": offer])
            #expect(again.code == .notAllowed && again.field == "offer")
            let other = try self.offer(circle, ada, ["activity": "cycling", "area": "Hill"])
            _ = try circle.done(bob, "partners/ask", ["offer": other])
            try circle.done(ada, "partners/withdraw", ["offer": other])
            #expect(try elements(circle.done(bob, "partners/list"), "asks").isEmpty)
            let gone = try circle.refused(bob, "partners/ask", ["offer": other])
            #expect(try gone == circle.refused(bob, "partners/ask", ["offer": "nobodys-offer"]))
            #expect(try circle.refused(bob, "partners/withdraw", ["offer": offer]) == gone)
        }
    }

    @Test("ask in other words as often as they ask at all")
    func rewording() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let offer = try offer(circle, ada)
            func ask(_ text: String) throws -> Reply.Outcome {
                try circle.ask(bob, "partners/ask", ["offer": offer, "text": .string(text)])
            }
            for number in 1...20 {
                // The same words again cost nothing.
                for _ in 1...2 { guard case .ok = try ask("Day \(number)?") else { throw TestFailure("\(number) is refused") } }
            }
            guard case .error(let often) = try ask("And now?") else { throw TestFailure("nothing is refused") }
            #expect(often.code == .rateLimited)
            #expect(try elements(circle.done(ada, "partners/list"), "asked").map { $0["text"] } == ["Day 20?"])
        }
    }

    @Test("are asked nothing any longer when their offer is over")
    func over() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            try circle.done(bob, "partners/ask", ["offer": offer(circle, ada)])
            func questions() throws -> [Int] {
                try circle.onSession { [consumer = circle.consumer] context in
                    consumer.features.only(Partners.self)?.endWhatIsOver()
                    let book = PartnerBook(context.documents)
                    return [try book.list(of: ada).asked.count, try book.list(of: bob).asks.count]
                }
            }
            #expect(try questions() == [1, 1])
            circle.advance(91 * 86_400_000)
            #expect(try questions() == [0, 0])
        }
    }

    @Test("are not found when their offer is over, whatever its row says of that in the clear")
    func sealedEnd() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let offer = try offer(circle, ada)
            _ = try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    try context.store.database.execute(
                        "UPDATE partner_offers SET expires_ms = expires_ms * 2 WHERE person = ?", [.text(ada.text)])
                }
            }
            #expect(try elements(circle.done(bob, "partners/find"), "offers").count == 1)
            circle.advance(91 * 86_400_000)
            #expect(try elements(circle.done(bob, "partners/find"), "offers").isEmpty)
            #expect(try circle.refused(bob, "partners/ask", ["offer": offer]).code == .notFound)
            #expect(try elements(circle.done(ada, "partners/list"), "offers").isEmpty)
        }
    }

    @Test("offer for ninety days, which offering again renews, and no more than they may")
    func limits() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let offer = try offer(circle, ada)
            circle.advance(80 * 86_400_000)
            // In any case, and with any space.
            let renewed = try circle.done(ada, "partners/offer", ["activity": "Running", "area": " old  TOWN "])
            #expect(renewed["offer"] == offer && renewed["since"] == .integer(start) && renewed["text"] == nil)
            circle.advance(80 * 86_400_000)
            let ask = try circle.done(bob, "partners/ask", ["offer": offer])["ask"] ?? .null
            circle.advance(11 * 86_400_000)
            #expect(try elements(circle.done(bob, "partners/find"), "offers").isEmpty)
            #expect(try elements(circle.done(ada, "partners/list"), "offers").isEmpty)
            #expect(try elements(circle.done(ada, "partners/list"), "asked").isEmpty)
            #expect(try circle.refused(ada, "partners/answer", ["ask": ask, "accept": true]).code == .notFound)

            for number in 1...5 {
                _ = try self.offer(circle, ada, ["activity": "running", "area": .string("Town \(number)")])
            }
            #expect(try circle.refused(ada, "partners/offer", Self.running).code == .notAllowed)
            for (field, value) in [
                ("area", "52.52, 13.40"), ("area", "a\nb"), ("activity", ""), ("activity", "52.5200, 13.4050"), ("activity", "\u{200B}"), ("text", .string(String(repeating: "x", count: 201))),
                ("text", "Meet at 52.5200"), ("area", "GC22+22 Berlin"),
                ("pace", ["from_s_per_km": 400, "to_s_per_km": 300]), ("pace", ["from_s_per_km": 1, "to_s_per_km": 300]), ("pace", 5),
            ] as [(String, JSON)] {
                let wrong = try circle.refused(bob, "partners/offer", Self.running.replacing(field, with: value))
                #expect(wrong.field == field, "\(field): \(wrong)")
            }
            let offers = try elements(circle.done(bob, "partners/find"), "offers").compactMap { $0["offer"] }
            let more = try (0..<2).flatMap { number -> [JSON] in
                let user = try circle.person()
                return try (0..<4).map { try self.offer(circle, user, ["activity": "walking", "area": .string("Hill \(number) \($0)")]) }
            }
            #expect(offers.count == 5 && more.count == 8)
            let all = offers + more
            for offer in all.prefix(10) { _ = try circle.done(bob, "partners/ask", ["offer": offer]) }
            let eleventh = try circle.refused(bob, "partners/ask", ["offer": all[10]])
            #expect(eleventh.code == .notAllowed && eleventh.message.contains("take one back"))
        }
    }

    @Test("are found page by page, each offer once, also where so many offers of others are in between that a page is empty")
    func pages() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            // More than anybody may offer, and all at once.
            try circle.onSession { context in
                try context.store.change(ada) { () throws(VaultError) in
                    for number in 0..<1200 {
                        guard let id = ID(kept: .string("offer-\(1000 + number)")) else { continue }
                        let offer = PartnerOffer(
                            id: id, activity: number < 600 ? "running" : "cycling", area: "Town \(number)", since: start,
                            expires: start + 86_400_000)
                        try OfferRows(context.store, context.keys).write(offer, of: ada)
                    }
                }
            }
            func pages(_ activity: String) throws -> [[JSON]] {
                var (pages, after): ([[JSON]], JSON?) = ([], nil)
                repeat {
                    let page = try circle.done(
                        bob, "partners/find", .object(present: ["activity": .string(activity), "after": after]))
                    pages.append(try elements(page, "offers").compactMap { $0["offer"] })
                    after = page["next"]
                } while after != nil
                return pages
            }
            let (runs, rides) = (try pages("running"), try pages("cycling"))
            for found in [runs.flatMap(\.self), rides.flatMap(\.self)] { #expect(found.count == 600 && Set(found).count == 600) }
            #expect(runs.prefix(12).allSatisfy { $0.count == Partners.page } && rides.first?.isEmpty == true, "\(rides.map(\.count))")
            #expect(try circle.refused(bob, "partners/find", ["after": .string(String(repeating: "x", count: 65))]).field == "after")
        }
    }

    @Test("are asked by 25 people at a time, and nobody has more than 50")
    func most() throws {
        try Circle.with { circle in
            let (ada, bob) = (try circle.person(name: "Ada"), try circle.person(name: "Bob"))
            let offer = try offer(circle, ada)
            var asks: [JSON] = []
            for _ in 0..<PartnerList.mostAsked {
                asks.append(try circle.done(circle.person(), "partners/ask", ["offer": offer])["ask"] ?? .null)
            }
            #expect(asks.count == 25)
            let late = try circle.refused(bob, "partners/ask", ["offer": offer])
            #expect(late.code == .notAllowed && late.field == "offer", "\(late)")
            try circle.done(ada, "partners/answer", ["ask": asks[0], "accept": false])
            let ask = try circle.done(bob, "partners/ask", ["offer": offer])["ask"] ?? .null
            func fill(to count: Int) throws {
                try circle.onSession { context in
                    try context.store.change(ada) { () throws(VaultError) in
                        try PartnerBook(context.documents).change(ada) { list in
                            list.partners = (0..<count).compactMap { number in
                                guard let id = try? ID("partner-\(number)"), let other = try? ID("other-\(number)") else { return nil }
                                return Partner(id: id, other: other, activity: "running", since: start)
                            }
                        }
                    }
                }
            }
            try fill(to: 50)
            let full = try circle.refused(ada, "partners/answer", ["ask": ask, "accept": true])
            #expect(full.code == .notAllowed && full.message.contains("50 partners"), "\(full)")
            try fill(to: 49)
            #expect(try circle.done(ada, "partners/answer", ["ask": ask, "accept": true])["partner"]?["name"] == "Bob")
        }
    }

    @Test("forget a person: offers, questions, partnership and name, and there were some before")
    func forgetting() throws {
        try Circle.with { circle in
            let ada = try circle.person("ada@example.org", name: "Ada")
            let (bob, eve) = (try circle.person(name: "Bob"), try circle.person(name: "Eve"))
            let (offer, other) = (try offer(circle, ada), try self.offer(circle, bob))
            // What is left in a document when the others have gone from it is not sealed again.
            try circle.done(ada, "partners/contact", ["contact": "ada@example.org"])
            let ask = try circle.done(eve, "partners/ask", ["offer": offer])["ask"] ?? .null
            try circle.done(ada, "partners/answer", ["ask": ask, "accept": true])
            _ = try circle.done(bob, "partners/ask", ["offer": offer])
            _ = try circle.done(ada, "partners/ask", ["offer": other])
            #expect(try elements(circle.done(eve, "partners/list"), "partners").count == 1)
            #expect(try elements(circle.done(bob, "partners/list"), "asked").count == 1)
            #expect(try elements(circle.done(bob, "partners/list"), "asks").count == 1)
            #expect(try circle.told(eve, "partner-found").contains { $0.contains("Ada") })
            let before = try circle.onSession { context in try context.store.personalRows(of: ada, upTo: 1) }
            #expect(before["partner_offers"] == 1)
            let asked = try circle.done(ada, "reset-all/ask")
            let reply = try circle.done(ada, "reset-all/confirm", ["confirmation": asked["confirmation"] ?? .null])
            #expect(reply["opened"] == 0)
            let left = try circle.onSession { context in try context.store.personalRows(of: ada, upTo: 1) }
            #expect(left["partner_offers"] == 0)
            let document = try circle.onSession { context in try context.documents.read(PartnerList.document, of: ada) }
            #expect(document == nil && before["documents"] ?? 0 > 0)
            #expect(try elements(circle.done(bob, "partners/find"), "offers").isEmpty)
            for user in [bob, eve] {
                let list = try circle.done(user, "partners/list")
                for name in ["asked", "asks", "partners"] { #expect(try elements(list, name).isEmpty, "\(list)") }
                let kept = try circle.onSession { context in
                    try context.documents.read(PartnerList.document, of: user).map { String(decoding: $0.bytes, as: UTF8.self) }
                }
                #expect(kept?.contains(ada.text) != true)
                let told = try circle.notifications(user, all: true)
                #expect(try told.allSatisfy { try $0["from_name"] == nil && !$0.text("text").contains("Ada") }, "\(told)")
            }
        }
    }
}
