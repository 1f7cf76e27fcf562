import Glibc
import MQTT
import Reactor
import TestSupport
import Testing

@Suite("A session on a loop that others use, too")
struct SharedLoopTests {
    /// A loop that runs for as long as the closure does.
    private func withLoop<Result>(_ body: (EventLoop) throws -> Result) rethrows -> Result {
        let loop = EventLoop(name: "shared")
        loop.start()
        defer { loop.stop() }
        return try body(loop)
    }

    @Test("carries messages, and leaves the loop to the others when it stops")
    func two() throws {
        try Broker.with { broker in
            try withLoop { loop in
                let (first, second) = (
                    Client(Options(broker, clientID: "first"), on: loop),
                    Client(Options(broker, clientID: "second"), on: loop)
                )
                defer { second.session.stop() }
                try first.connected()
                try second.connected()
                try second.subscribe(Subscription("t"))
                #expect(try first.publish("both", to: "t") == nil)
                try second.messages.wait(for: 1)
                first.session.stop()
                #expect(first.states.all.last == .stopped)
                #expect(try second.publish("one", to: "t") == nil)
                #expect(try second.messages.wait(for: 2).map(\.text) == ["both", "one"])
            }
        }
    }

    @Test("reads one batch in a turn, however much a broker sends")
    func flood() throws {
        let broker = try FakeBroker()
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "x")
        options.batchLimit = 1
        let (commits, turns) = (Record<Bool>(), Record<Bool>())
        try withLoop { loop in
            loop.sync { loop.beforeWaiting { turns.append(true) } }
            let client = Client(options, on: loop) {
                commits.append(true)
                return true
            }
            defer { client.session.stop(sayGoodbye: false) }
            let peer = try broker.welcome()
            peer.write((1...250).flatMap { Packet.publish("x", to: "t", id: UInt8($0)) })
            try client.messages.wait(for: 250)
            // The turn that is under way is not counted yet, and the last batch may not be committed.
            let (batches, ended) = (commits.all.count, turns.all.count)
            #expect(batches >= 200 && batches <= ended + 1, "\(batches) \(ended)")
        }
    }

    @Test("does not hold it up, nor its own end, while a try waits for a file")
    func waitingTry() throws {
        let (broker, folder) = (try FakeBroker(), try TemporaryFolder())
        // Who opens a pipe for reading waits until somebody opens it for writing.
        let pipe = folder.path("ca.crt")
        try #require(mkfifo(pipe, 0o600) == 0)
        var options = Options(host: "127.0.0.1", port: broker.port, clientID: "x")
        options.tls = Options.TLS(caFile: pipe)
        withLoop { loop in
            let client = Client(options, on: loop)
            let isWaiting = Answer<Bool>()
            loop.perform { [unowned loop] in
                loop.after(.milliseconds(100)) { isWaiting.set(client.states.all == [.connecting]) }
            }
            #expect(isWaiting.wait(atMost: limit) == true)
            client.session.stop()
            #expect(client.states.all == [.connecting, .stopped])
            // Lets the other thread go, which may open the file more than once.
            let deadline = ContinuousClock.now + limit
            while isTrying, ContinuousClock.now < deadline {
                let end = open(pipe, O_RDWR)
                usleep(1000)
                close(end)
            }
            #expect(!isTrying)
        }
    }

    /// Whether a thread of this process makes a connection.
    private var isTrying: Bool {
        guard let folder = opendir("/proc/self/task") else { return false }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let thread = withUnsafePointer(to: entry.pointee.d_name) { name in
                name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            guard let file = fopen("/proc/self/task/\(thread)/comm", "r") else { continue }
            defer { fclose(file) }
            var line = [CChar](repeating: 0, count: 32)
            guard fgets(&line, 32, file) != nil else { continue }
            if String(decoding: line.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self) == "connect\n" { return true }
        }
        return false
    }
}
