package import Files
package import Records
package import Telemetry

/// What one block of a batch brought.
package struct Arrival {
    package let stream: StoredStream
    package let boot: BootID
    package let readings: [BareReading]
    /// Whether the same readings may lie in another block, too.
    package let isLoose: Bool
}

/// A clock block of a batch.
package struct ClockArrival {
    package let stream: StoredStream
    package let clock: ClockBody
}

/// Hears of the readings that are stored, in the transaction that stores them: either a reading is stored and counted,
/// or neither. Belongs to the thread of `Ingest`.
package protocol ReadingsSink: AnyObject {
    /// What people had deleted, which is not counted.
    var deletions: Deletions { get }

    /// Takes what a batch brought, within its transaction.
    /// - Parameter now: Unix milliseconds.
    func take(_ arrivals: [Arrival], _ clocks: [ClockArrival], now: Int64) throws(VaultError)

    /// The batch is committed.
    func committed()

    /// The batch, and what was read for it, is rolled back.
    func rolledBack()

    /// What was read is no longer valid: streams have ended, or a person was forgotten.
    func forgetRead()

    /// By how much the clocks of a stream's gateway were wrong, as far as stored blocks say.
    func corrections(of stream: StoredStream) throws(VaultError) -> Corrections
}
