import Foundation

/// Values in the order in which threads left them, to be waited for.
public final class Record<Value: Sendable>: @unchecked Sendable {
    // Proof of @unchecked: `values` is only touched with `condition` held.
    private let condition = NSCondition()
    private var values: [Value] = []

    /// Nothing yet.
    public init() {}

    /// What came so far.
    public var all: [Value] { condition.withLock { values } }

    /// Leaves a value. From any thread.
    public func append(_ value: Value) {
        condition.withLock {
            values.append(value)
            condition.broadcast()
        }
    }

    /// Forgets what came so far.
    public func removeAll() { condition.withLock { values = [] } }

    /// Waits until there are this many.
    /// - Returns: all of them, more perhaps.
    @discardableResult
    public func wait(for count: Int, within limit: Duration = limit) throws -> [Value] {
        try wait(within: limit) { $0.count >= count }
    }

    /// Waits until there is enough.
    /// - Returns: what `isEnough` was content with.
    @discardableResult
    public func wait(within limit: Duration = limit, until isEnough: ([Value]) -> Bool) throws -> [Value] {
        guard let found = condition.wait(limit, for: { isEnough(values) ? values : nil }) else {
            throw TestFailure("nothing came after \(all)")
        }
        return found
    }

    /// The first value that is as asked, from the beginning; nil if none came within the limit.
    @discardableResult
    public func first(within limit: Duration = limit, where isWanted: (Value) -> Bool) -> Value? {
        condition.wait(limit) { values.first(where: isWanted) }
    }

    /// The first value that `choose` makes something of, among those that came and those that will; it is then
    /// forgotten.
    /// - Parameter what: what is waited for, for the error if it does not come.
    public func take<Chosen>(
        _ what: String, within limit: Duration = limit, _ choose: (Value) throws -> Chosen?
    ) throws -> Chosen {
        let found = try condition.wait(limit) {
            for (index, value) in values.enumerated() {
                guard let chosen = try choose(value) else { continue }
                values.remove(at: index)
                return chosen as Chosen?
            }
            return nil
        }
        guard let found else { throw TestFailure("\(what) did not come; there was \(all)") }
        return found
    }
}

extension NSCondition {
    /// Looks now and after each broadcast, with the lock held, until there is an answer; nil if the limit is over,
    /// or if `isOver` says after a look without success that nothing will come any more.
    func wait<Answer>(
        _ limit: Duration, isOver: () -> Bool = { false }, for look: () throws -> Answer?
    ) rethrows -> Answer? {
        let end = Date(timeIntervalSinceNow: limit / .seconds(1))
        return try withLock {
            while true {
                if let answer = try look() { return answer }
                guard !isOver(), wait(until: end) else { return nil }
            }
        }
    }
}
