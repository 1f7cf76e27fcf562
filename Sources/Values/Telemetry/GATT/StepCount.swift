/// A step counter: cumulative, and it may restart whenever its sensor likes.
public struct StepCount: Hashable, Sendable, ExpressibleByIntegerLiteral {
    /// Steps so far; wraps around.
    public var counter: UInt32
    /// Whether the gateway derived it from a foot pod's cadence (`CadenceSteps`); otherwise the sensor counted.
    public var isDerived: Bool

    /// A counter from its parts.
    public init(_ counter: UInt32, isDerived: Bool = false) {
        self.counter = counter
        self.isDerived = isDerived
    }

    /// What a sensor counted.
    public init(integerLiteral counter: UInt32) { self.init(counter) }
}
