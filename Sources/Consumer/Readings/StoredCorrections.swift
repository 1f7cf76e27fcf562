package import Files
package import Records
import Telemetry

extension Corrections {
    /// All that the clock blocks of a stream say.
    package init(of stream: StoredStream, _ reader: inout StreamReader, _ store: Store) throws(VaultError) {
        self = try Corrections(of: stream, &reader, store) { _ in true } ?? Corrections()
    }

    /// The same, or nil if `goesOn` says no before one of them: each counts as a block.
    package init?(
        of stream: StoredStream, _ reader: inout StreamReader, _ store: Store, while goesOn: (Int) -> Bool
    ) throws(VaultError) {
        self.init()
        for block in try store.clockBlocks(of: stream.number) {
            guard goesOn(1) else { return nil }
            guard let body = try reader.body(of: block) else { continue }
            guard let clock = decoded({ () throws(MalformedValue) in try ClockBody(bytes: body) }) else { continue }
            add(clock)
        }
    }
}
