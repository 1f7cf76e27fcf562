// A program's metrics, for whoever watches the machine: by HTTP, in a file, or both.
//
// One thread, `metrics`, owns libmicrohttpd's daemon. The library offers threads of its own, but then its callbacks
// come on threads that nobody here has started, and `MHD_stop_daemon` has to wait for them. It also lets its owner wait
// for the descriptor of its epoll set and then call `MHD_run`; that is what our event loops do with every library. The
// thread waits while a page is made, and that is all that it has to do. No thread that carries readings ever waits for
// it.

import Reactor

/// Publishes what a program measures. `start` and `stop` belong to the owner.
// Proof of @unchecked: constants, and what the loop's thread owns from `start` until `stop` has ended it.
public final class Exposition: @unchecked Sendable {
    /// What goes wrong, for the log. The same may come again and again.
    public typealias Problem = @Sendable (String) -> Void

    private let loop = EventLoop(name: "metrics")
    private let source: PageSource
    private let address: ListeningAddress?
    private let file: MetricsFile?
    private let interval: Duration
    private let problem: Problem
    private var server: MetricsServer?

    /// - Parameters:
    ///   - address: where to listen; nil if nowhere.
    ///   - file: the path of a file to write; nil if there is none.
    ///   - interval: how often the file is written.
    ///   - limit: how long a page may take to be made.
    ///   - make: has a page made, on whatever thread, and hands it over, once.
    public init(
        at address: ListeningAddress?, file: String?, every interval: Duration, limit: Duration = .seconds(2),
        problem: @escaping Problem, _ make: @escaping @Sendable (_ done: @escaping @Sendable (Page) -> Void) -> Void
    ) {
        self.address = address
        self.file = file.map(MetricsFile.init)
        self.interval = interval
        self.problem = problem
        source = PageSource(limit: limit, make)
    }

    public func start() {
        loop.perform { [self] in
            listen()
            write()
        }
        loop.start()
    }

    /// Ends the connections and the thread, and removes the file.
    public func stop() {
        loop.perform { [self] in
            server?.stop()
            server = nil
        }
        loop.stop()
        file?.remove()
    }

    /// A port that is in use must not keep readings from being recorded.
    private func listen() {
        guard let address else { return }
        do throws(ListeningError) {
            server = try MetricsServer(on: loop, at: address) { [source] in source.text() }
        } catch {
            problem("metrics: cannot listen on \(address): \(error.said); trying again every 10 s")
            loop.after(.seconds(10)) { [unowned self] in listen() }
        }
    }

    private func write() {
        guard let file else { return }
        if let text = source.text() {
            if let said = file.write(text) { problem("metrics: cannot write \(said)") }
        } else {
            problem("metrics: the file was not written, because what is measured could not be collected in time")
        }
        loop.after(interval) { [unowned self] in write() }
    }
}
