import Foundation
import Testing

/// A case of a file in the folder `Vectors`.
struct FigureVector: @unchecked Sendable, CustomTestStringConvertible {
    // Proof of @unchecked: what JSONSerialization makes is never changed.
    let name: String
    let call: String
    let arguments: [Any]
    let expected: Any

    var testDescription: String { name }

    /// The cases of a file that call one of some functions.
    static func all(_ file: String, _ calls: Set<String>) throws -> [FigureVector] {
        let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Vectors/\(file).json")
        let cases = try JSONSerialization.jsonObject(with: Data(contentsOf: path)) as? [[String: Any]] ?? []
        let vectors = cases.compactMap { one -> FigureVector? in
            guard let name = one["name"] as? String, let given = one["given"] as? [String: Any],
                let call = given["call"] as? String, let arguments = given["args"] as? [Any], calls.contains(call)
            else { return nil }
            return FigureVector(name: name, call: call, arguments: arguments, expected: one["expected"] ?? NSNull())
        }
        try #require(!vectors.isEmpty)
        return vectors
    }

    /// Members that are expected; nil if nothing is.
    subscript(_ field: String) -> Double? { ((expected as? [String: Any])?[field] as? NSNumber)?.doubleValue }
}

/// A list of numbers.
func numbers(_ value: Any?) -> [Double] { (value as? [Any] ?? []).compactMap { ($0 as? NSNumber)?.doubleValue } }

/// A list of lists of numbers.
func rows(_ value: Any?) -> [[Double]] { (value as? [Any] ?? []).map { numbers($0) } }

/// Whether a figure is the expected one, which is rounded.
func isNear(_ value: Double?, _ expected: Double?, _ tolerance: Double = 0.001) -> Bool {
    guard let value, let expected else { return value == nil && expected == nil }
    return abs(value - expected) <= tolerance
}
