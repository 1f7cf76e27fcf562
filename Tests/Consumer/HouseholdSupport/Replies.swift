package import Telemetry
import TestSupport

extension Reply.Outcome {
    package var error: ReplyError? { if case .error(let error) = self { error } else { nil } }
    package var data: JSON? { if case .ok(let data) = self { data } else { nil } }
}

extension JSON {
    /// A text that has to be there.
    package func text(_ name: String) throws -> String {
        guard case .string(let text)? = self[name] else { throw TestFailure("no text \"\(name)\" in \(self)") }
        return text
    }
}
