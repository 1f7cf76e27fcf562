package import Daemon
package import Records

/// A command of `vitals-consumer` with which the operator looks at what a feature keeps, and decides about it. It works
/// beside a running service.
package struct OperatorCommand: Sendable {
    package let declaration: Command
    /// Reads the command line. What it returns carries the command out.
    package let reading: @Sendable (Arguments) throws -> (OperatorParts) throws(Failure) -> Void

    package init(
        _ declaration: Command,
        reading: @escaping @Sendable (Arguments) throws -> (OperatorParts) throws(Failure) -> Void
    ) {
        self.declaration = declaration
        self.reading = reading
    }
}

/// What such a command works with.
package struct OperatorParts {
    package typealias Opening = (Keys.Access) throws(Failure) -> (store: Store, keys: Keys)

    /// Opens the store and the keys of the settings.
    package let open: Opening
    /// Where its output goes: a file descriptor.
    package let output: CInt

    package init(output: CInt, open: @escaping Opening) { (self.output, self.open) = (output, open) }
}
