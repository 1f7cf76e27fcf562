package import Telemetry

/// The people whose guardian a person is: the document "dependents".
package struct DependentList: Equatable {
    package static let document = "dependents"
    package static let most = 50

    package internal(set) var all: [ID] = []
    /// The one whom the person looks at now; nil if they look at themselves.
    package internal(set) var chosen: ID?

    mutating func remove(_ dependent: ID) {
        all.removeAll { $0 == dependent }
        if chosen == dependent { chosen = nil }
    }
}

// MARK: The document

extension DependentList {
    init(kept json: JSON?) {
        if case .array(let entries)? = json?["dependents"] { all = entries.compactMap(ID.init(kept:)) }
        chosen = json?["chosen"].flatMap(ID.init(kept:))
    }

    var json: JSON {
        .object(present: [
            "dependents": .array(all.map { .string($0.text) }), "chosen": chosen.map { .string($0.text) },
        ])
    }
}
