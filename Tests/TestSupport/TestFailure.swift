/// Whatever a test waits for has this limit, unless the test says otherwise.
public let limit = Duration.seconds(120)

/// Why a test cannot continue.
public struct TestFailure: Error, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// The error of that type that `body` throws, or nil if it throws none or another.
/// (`#expect(throws:)` returns the error only since Swift 6.1.)
public func thrown<Thrown: Error>(_ type: Thrown.Type, _ body: () throws -> some Any) -> Thrown? {
    do {
        _ = try body()
        return nil
    } catch {
        return error as? Thrown
    }
}
