import Features
package import Fitness
package import ProgramSettings
package import Telemetry

// Which quote a day has follows from the day and the catalogue alone: it is the same for all people, for the whole day and after
// each restart. The quotes stand in a fixed order that looks drawn by lot, and each day takes the next one, so none comes again
// before all others have been there. A quote's place comes from its id: one that is added or removed moves no other two
// past each other.

/// The quotes that there are.
package struct QuoteCatalogue: Equatable, Sendable {
    /// How many there may be.
    package static let most = 2000
    /// No file is longer, in bytes.
    static let longestFile = 4 << 20

    /// In the order in which days take them.
    package let quotes: [Quote]
    private let places: [ID: Int]

    /// - Parameter quotes: of several with the same id, the last counts.
    package init(_ quotes: [Quote] = []) {
        let known = Dictionary(quotes.map { ($0.id, $0) }) { $1 }
        self.quotes = known.values.sorted { one, other in
            (constantLot(one.id.text), one.id.text) < (constantLot(other.id.text), other.id.text)
        }
        places = Dictionary(uniqueKeysWithValues: self.quotes.enumerated().map { ($1.id, $0) })
    }

    /// The quotes of some files; one that a later file has, too, is as the later file has it.
    package init(files: [String]) throws(DataFault) {
        var quotes: [Quote] = []
        for path in files {
            quotes += try Self.read(DataFile(path, atMost: Self.longestFile))
            guard quotes.count <= Self.most else {
                throw DataFault(path, said: "there are more than \(Self.most) quotes with those of this file")
            }
        }
        self.init(quotes)
    }

    package subscript(id: ID) -> Quote? { places[id].map { quotes[$0] } }

    /// That of a day; nil if there are none.
    package func quote(of day: CalendarDay) -> Quote? {
        guard !quotes.isEmpty else { return nil }
        let count = Int64(quotes.count)
        let place = (day.daysSince1970 % count + count) % count
        return quotes[Int(place)]
    }
}

// MARK: Files

extension QuoteCatalogue {
    /// The quotes of a file. Each element is like `{"quote": "first-step", "en": "…", "de": "…"}`.
    static func read(_ file: DataFile) throws(DataFault) -> [Quote] {
        var lines: [ID: Int] = [:]
        var quotes: [Quote] = []
        for element in file.elements {
            let quote = try quote(element, of: file)
            if let line = lines.updateValue(element.line, forKey: quote.id) {
                throw file.fault(element, "the quote \(quote.id) is on line \(line) already")
            }
            quotes.append(quote)
        }
        return quotes
    }

    private static func quote(_ element: DataFile.Element, of file: DataFile) throws(DataFault) -> Quote {
        let names = ["quote", "en", "de"]
        guard case .object(let members) = element.value else {
            throw file.fault(element, #"expected {"quote": …, "en": …, "de": …}"#)
        }
        if let strange = members.first(where: { !names.contains($0.name) }) {
            throw file.fault(
                element, "a quote has no \"\(strange.name.prefix(40))\": only \(names.joined(separator: ", "))")
        }
        func text(_ name: String) throws(DataFault) -> String {
            guard case .string(let text)? = element.value[name] else {
                throw file.fault(element, "\"\(name)\" is missing")
            }
            return text
        }
        let name = try text("quote")
        let id: ID
        do throws(MalformedValue) { id = try ID(name) } catch { throw file.fault(element, "\"quote\": \(error)") }
        let (english, german) = (try text("en"), try text("de"))
        for (name, text) in [("en", english), ("de", german)] where !Quote.isText(text) {
            throw file.fault(
                element,
                "\"\(name)\" has to be a text of at most \(Quote.longestText.characters) characters on one line")
        }
        return Quote(id: id, english: english, german: german)
    }
}
