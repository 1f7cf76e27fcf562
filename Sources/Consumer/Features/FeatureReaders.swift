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

    package var all: [StoreReaders] { [questions, exports, statistics] }

    /// - Parameter stale: a person's stale hours, if there are few, are computed again before anybody's question about
    ///   that person is answered.
    package init(_ settings: some HouseSettings, _ features: [Feature], _ loop: EventLoop, _ stale: StaleHours) {
        let read: StoreReaders.Opening = { read in try ReadSource.opened(settings, features, read) }
        let catchUp = { (user: ID) in _ = try stale.catchUp(user, within: StaleHours.portion) }
        questions = Readers(threadName: "queries", loop, prepare: catchUp, open: read)
        exports = Readers(threadName: "export", loop, open: read)
        statistics = Readers(threadName: "statistics", loop, prepare: catchUp, open: read)
    }
}
