import Desk
import Reactor
import Records
import Telemetry

/// The threads that read for features.
struct FeatureReaders {
    /// People's questions.
    let questions: StoreReaders
    /// The statistics of years, which take a while.
    let statistics: StoreReaders
    /// What people take along.
    let exports: StoreReaders

    var all: [StoreReaders] { [questions, exports, statistics] }

    /// - Parameter stale: hours that are to be computed again are, before anybody asks about their person, if they are
    ///   few.
    init(_ settings: some HouseSettings, _ loop: EventLoop, _ stale: StaleHours) {
        let read: StoreReaders.Opening = { read in try ReadSource.opened(settings, read) }
        let catchUp = { (user: ID) in _ = try stale.catchUp(user, within: StaleHours.portion) }
        questions = Readers(threadName: "queries", loop, prepare: catchUp, open: read)
        exports = Readers(threadName: "export", loop, open: read)
        statistics = Readers(threadName: "statistics", loop, prepare: catchUp, open: read)
    }
}
