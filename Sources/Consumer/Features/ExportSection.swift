import Daemon
package import Files
package import Readings
package import Records
package import Telemetry

// A section is a file of what a person takes along. It is known by its name, which cursors hold, so that sections may
// come and go between two parts of an export.

/// A file of an export.
package struct ExportSection: Sendable {
    /// Makes the part that begins at a position; nil if there is nothing, or nothing more.
    package typealias Part = @Sendable (ExportSource, ExportPosition) throws(VaultError) -> ExportPart?

    /// What cursors and explanations call it, and what the file is called, unless a part says more.
    package let name: String
    /// What is in the file, for the person who gets it.
    package let explanation: String
    /// The columns of a table, and what stands in each.
    package var columns: [Column] = []
    private let make: Part

    package struct Column: Sendable {
        package let name: String
        package let explanation: String

        package init(name: String, explanation: String) {
            self.name = name
            self.explanation = explanation
        }
    }

    package init(_ name: String, _ explanation: String, columns: [Column] = [], part: @escaping Part) {
        self.name = name
        self.explanation = explanation
        self.columns = columns
        make = part
    }

    /// The part that begins at a position; nil if there is nothing, or nothing more.
    package func part(_ source: ExportSource, _ position: ExportPosition) throws(VaultError) -> ExportPart? {
        try make(source, position)
    }
}

/// Who exports what, and from where. Belongs to the thread of its store and keys.
package struct ExportSource {
    package let user: ID
    package let store: Store
    package let keys: Keys
    /// The time zone of people who have not named one.
    package let zone: String
    /// The sensors that the operator's settings give to the person.
    package let given: [SensorName]
    /// Unix milliseconds.
    package let now: Int64

    package var documents: Documents { Documents(store: store, keys: keys) }
}

/// Where a part begins.
package struct ExportPosition: Equatable {
    /// The name of the section.
    package var section: String
    /// Of readings: Unix milliseconds. Of days: days since 1970. Of other files: not used.
    package var time: Int64 = -Moment.limit
    /// Of readings: how many of this very time came before. Of other files: how many bytes.
    package var count: Int64 = 0

    package init(section: String, time: Int64 = -Moment.limit, count: Int64 = 0) {
        self.section = section
        self.time = time
        self.count = count
    }
}

/// A part of one of the files.
package struct ExportPart: Equatable {
    package let file: String
    package var text = ""
    /// Bytes as base64, and not as they are: a picture's.
    package var isBase64 = false
    /// Whether there are blocks about here that do not open.
    package var isDamaged = false
    /// Where the next part begins; nil at the end of the section, and, of an export's part, at the end of the export.
    package var next: ExportPosition?

    package init(
        file: String, text: String = "", isBase64: Bool = false, isDamaged: Bool = false, next: ExportPosition? = nil
    ) {
        self.file = file
        self.text = text
        self.isBase64 = isBase64
        self.isDamaged = isDamaged
        self.next = next
    }

    /// No part has more, in bytes.
    package static let maximumLength = 32 * 1024
}

// MARK: Documents

extension ExportSection {
    /// A file with one JSON object.
    /// - Parameter content: the object; nil if there is nothing.
    package static func document(
        _ name: String, _ explanation: String,
        _ content: @escaping @Sendable (ExportSource) throws(VaultError) -> JSON?
    ) -> ExportSection {
        text(name, explanation) { source throws(VaultError) in
            try content(source).map { Text(name, String(decoding: $0.bytes, as: UTF8.self) + "\n") }
        }
    }

    /// What is in a file of text.
    package struct Text {
        /// The file's name.
        package let file: String
        package let text: String
        package let isBase64: Bool

        package init(_ file: String, _ text: String, isBase64: Bool = false) {
            self.file = file
            self.text = text
            self.isBase64 = isBase64
        }
    }

    /// A file of text that is made whole for each of its parts.
    /// - Parameter content: nil if there is nothing.
    package static func text(
        _ name: String, _ explanation: String,
        _ content: @escaping @Sendable (ExportSource) throws(VaultError) -> Text?
    ) -> ExportSection {
        ExportSection(name, explanation) { source, position throws(VaultError) in
            try content(source).map { part(of: $0, at: position) }
        }
    }

    private static func part(of content: Text, at position: ExportPosition) -> ExportPart {
        let bytes = Array(content.text.utf8)
        let begin = min(max(0, Int(clamping: position.count)), bytes.count)
        var end = min(begin + ExportPart.maximumLength, bytes.count)
        // Between characters.
        while end > begin, end < bytes.count, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        var next: ExportPosition?
        if end < bytes.count {
            next = position
            next?.count = Int64(end)
        }
        return ExportPart(
            file: content.file, text: String(decoding: bytes[begin..<end], as: UTF8.self), isBase64: content.isBase64,
            next: next)
    }
}

extension ExportSource {
    package init(
        _ user: ID, _ settings: any HouseSettings, store: Store, keys: Keys, now: Int64 = unixMilliseconds()
    ) {
        let given = settings.people.filter { $0.user == user }.flatMap(\.sensors)
        self.init(user: user, store: store, keys: keys, zone: settings.timeZone, given: given, now: now)
    }
}
