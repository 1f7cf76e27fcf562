package import Features
package import Files

// The export of a person's data, in parts.
//
// The files are the sections of all features, in the order of their list, and before them a README that explains them.
// Each comes in parts of at most 32 KiB of text. An empty file is left out. Nothing is remembered between two parts:
// the cursor says where the next one begins.

/// Makes the parts of a person's export. Belongs to the thread of its source's store and keys.
package struct Export {
    let sections: [ExportSection]
    package let source: ExportSource

    package init(_ features: [Feature], _ source: ExportSource) {
        let files = features.flatMap(\.exports)
        let explanation = "This text."
        let readme = ExportSection.text("README.txt", explanation) { _ throws(VaultError) in
            ExportSection.Text("README.txt", Self.readme(explanation, files))
        }
        sections = [readme] + files
        self.source = source
    }

    /// Where the export begins.
    package var start: ExportPosition { ExportPosition(section: sections[0].name) }

    /// The part that begins here. Files that would be empty are passed over.
    package func part(at position: ExportPosition) throws(VaultError) -> ExportPart {
        guard var index = sections.firstIndex(where: { $0.name == position.section }) else {
            throw VaultError("export", .misuse, said: "there is no section \(position.section)")
        }
        var position = position
        while true {
            let part = try sections[index].part(source, position)
            index += 1
            let next = index < sections.count ? ExportPosition(section: sections[index].name) : nil
            if var part {
                part.next = part.next ?? next
                return part
            }
            // Nothing is left, not even an empty table.
            guard let next else { return ExportPart(file: position.section) }
            position = next
        }
    }

    /// The text that explains the files, made from each file's explanation.
    private static func readme(_ own: String, _ sections: [ExportSection]) -> String {
        let files = sections.map { section -> String in
            let lines = section.columns.map { "      \($0.name): \($0.explanation)\n" }
            return "\(section.name)\n    \(section.explanation)\n" + lines.joined()
        }
        return """
            This folder contains everything that Vitals stores about you.

            All files are text (UTF-8), except for the picture. A file that ends with .json holds one JSON object; one that ends with
            .jsonl holds one on each line; one that ends with .csv is a table, whose first line names the columns. A file that
            would be empty is left out.

            Times are written as in ISO 8601, in UTC: 2026-11-21T10:00:00.000Z. Days, such as 2026-11-21, are those of the
            calendar where you were.

            \((["README.txt\n    \(own)\n"] + files).joined(separator: "\n"))
            """
    }
}
