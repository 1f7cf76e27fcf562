import Daemon
package import Days
import Desk
package import Reactor
package import Readings
import Telemetry

/// The threads that read for features.
package struct FeatureReaders {
    /// People's questions.
    package let questions: StoreReaders
    /// The statistics of years, which take a while.
    package let statistics: StoreReaders
    /// What people take along.
    package let exports: StoreReaders
    /// What nobody sees at once: files that people bring, and workouts under way that are counted again.
    package let background: StoreReaders

    package var all: [StoreReaders] { [questions, exports, statistics, background] }

    /// - Parameter stale: a person's stale hours, if there are few, are computed again before anybody's question about
    ///   that person is answered.
    package init(_ settings: some HouseSettings, _ features: [Feature], _ loop: EventLoop, _ stale: StaleHours) {
        let catchUp = { (user: ID) in _ = try stale.catchUp(user, within: StaleHours.portion) }
        func access() -> StoreReaders.Access {
            let connections = ReadConnections(settings, features)
            return StoreReaders.Access(
                open: { try connections.read($0) }, state: { try $0.state(of: $1) },
                rest: {
                    connections.rest()
                    giveBackMemory()
                }, close: { connections.close() })
        }
        questions = Readers(threadName: "queries", loop, prepare: catchUp, access(), long: access())
        exports = Readers(threadName: "export", loop, access())
        background = Readers(threadName: "background", loop, access())
        statistics = Readers(threadName: "statistics", loop, prepare: catchUp, access())
    }
}
