internal import DBus
internal import Reactor

/// Looking for devices. It goes on for as long as somebody holds a token, and starts again by itself when bluetoothd or
/// the adapter comes back.
///
/// BlueZ merges the filters of all programs on the bus; ours is one, from all tokens: it asks for low energy only, and
/// narrows by service or name where every token does.
public final class Discovery {
    /// What to look for. Low energy always.
    public struct Filter: Equatable, Sendable {
        /// Only devices that advertise one of these services (128-bit UUIDs); any device where empty.
        public var services: [String]
        /// Only devices whose address or name begins so; any device where nil.
        public var pattern: String?

        public init(services: [String] = [], pattern: String? = nil) {
            self.services = services
            self.pattern = pattern
        }
    }

    /// Holding it keeps the discovery going; `end()`, or its release on any thread, ends it.
    public final class Token {
        private weak var central: Central?
        private let number: Int

        fileprivate init(_ number: Int, _ central: Central) {
            self.number = number
            self.central = central
        }

        deinit { end() }

        public func end() {
            guard let central else { return }
            self.central = nil
            let number = number
            if central.loop.isCurrent { return central.discovery.end(number) }
            central.loop.perform { central.discovery.end(number) }
        }
    }

    private unowned let central: Central
    private var wanted: [Int: Filter] = [:]  // by token
    private var tokenCount = 0
    private var runningOn: String?  // the adapter's path
    private var runningFilter: Filter?
    private var isBusy = false
    /// The adapter has said that it discovers, since we asked it to.
    private var isSeen = false
    private var mustRestart = false
    /// Between tries where BlueZ refuses.
    private var backoff = Backoff(first: .seconds(2), limit: .seconds(60))

    init(of central: Central) { self.central = central }

    func begin(_ filter: Filter) -> Token {
        tokenCount += 1
        wanted[tokenCount] = filter
        settle()
        return Token(tokenCount, central)
    }

    fileprivate func end(_ token: Int) {
        wanted[token] = nil
        settle()
    }

    /// bluetoothd is gone, and our discovery with it.
    func forget() {
        runningOn = nil
        isSeen = false
        isBusy = false
        mustRestart = false
        backoff.reset()
    }

    func restart() {
        mustRestart = runningOn != nil
        settle()
    }

    /// Brings what BlueZ does in line with what is wanted. One step at a time: each answer leads back here.
    func settle() {
        guard !isBusy else { return }
        let adapter = central.adapter
        guard central.state == .ready, let adapter else {
            runningOn = nil  // BlueZ ends a discovery when the adapter is powered off.
            return
        }
        if runningOn == adapter.path, isSeen, !adapter.isDiscovering {
            runningOn = nil  // BlueZ has ended it by itself.
        }
        isSeen = runningOn != nil && adapter.isDiscovering
        if let path = runningOn, wanted.isEmpty || path != adapter.path || mustRestart {
            runningOn = nil
            mustRestart = false
            step(path, "StopDiscovery")
        } else if !wanted.isEmpty, runningOn == nil || runningFilter != merged {
            let filter = merged
            step(adapter.path, "SetDiscoveryFilter", [filter.value]) { [weak self] in
                guard let self else { return }
                runningFilter = filter
                guard runningOn == nil else { return }
                step(adapter.path, "StartDiscovery") { [weak self] in self?.runningOn = adapter.path }
            }
        }
    }

    private func step(_ path: String, _ member: String, _ arguments: [Value] = [], then done: @escaping () -> Void = {})
    {
        isBusy = true
        central.call("\(member) on \(path)", path, Objects.adapterInterface, member, arguments) { [weak self] result in
            guard let self else { return }
            isBusy = false
            switch result {
            case .success:
                backoff.reset()
                done()
                settle()
            case .failure(let error) where error.name == "org.bluez.Error.InProgress":
                done()  // It runs already.
                settle()
            case .failure:
                // Off, unplugged or busy: tried again when the adapter changes, or after a while.
                central.loop.after(backoff.next()) { [weak self] in self?.settle() }
            }
        }
    }

    private var merged: Filter {
        let services = wanted.values.map(\.services)
        let patterns = wanted.values.map(\.pattern)
        return Filter(
            services: services.contains([]) ? [] : Set(services.joined()).sorted(),
            pattern: Set(patterns).count == 1 ? patterns[0] : nil)
    }
}

extension Discovery.Filter {
    fileprivate var value: Value {
        var properties: [String: Value] = ["Transport": .string("le")]
        if !services.isEmpty { properties["UUIDs"] = .strings(services) }
        if let pattern { properties["Pattern"] = .string(pattern) }
        return .properties(properties)
    }
}
