internal import DBus
internal import Reactor

/// Looking for devices. It continues for as long as somebody holds a token, and starts again by itself when bluetoothd
/// or the adapter comes back.
///
/// Low energy only, and nothing else is filtered: BlueZ merges the filters of all programs on the bus, and a name or
/// service that one asks for would hide everything else from the others.
public final class Discovery {
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
    private var wanted: Set<Int> = []  // by token
    private var tokenCount = 0
    private var runningOn: String?  // the adapter's path
    private var isBusy = false
    /// The adapter has said that it discovers, since we asked it to.
    private var isSeen = false
    private var mustRestart = false
    /// Tries again after a pause if BlueZ refuses.
    private lazy var retry = Retry(on: central.loop, Backoff(first: .seconds(2), limit: .seconds(60))) { [weak self] in
        self?.settle()
    }

    init(of central: Central) { self.central = central }

    func begin() -> Token {
        tokenCount += 1
        wanted.insert(tokenCount)
        settle()
        return Token(tokenCount, central)
    }

    fileprivate func end(_ token: Int) {
        wanted.remove(token)
        settle()
    }

    /// bluetoothd is gone, and our discovery with it.
    func forget() {
        runningOn = nil
        isSeen = false
        isBusy = false
        mustRestart = false
        retry.reset()
        retry.cancel()
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
            // BlueZ has ended it by itself, and might do so again and again, so it is not restarted at once.
            (runningOn, isSeen) = (nil, false)
            return retry.later()
        }
        isSeen = runningOn != nil && adapter.isDiscovering
        if let path = runningOn, wanted.isEmpty || path != adapter.path || mustRestart {
            runningOn = nil
            mustRestart = false
            step(path, "StopDiscovery")
        } else if !wanted.isEmpty, runningOn == nil {
            step(adapter.path, "SetDiscoveryFilter", [.properties(["Transport": .string("le")])]) { [weak self] in
                self?.step(adapter.path, "StartDiscovery") { [weak self] in self?.runningOn = adapter.path }
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
                retry.reset()
                done()
                settle()
            case .failure(let error) where error.name == "org.bluez.Error.InProgress":
                done()  // It runs already.
                settle()
            case .failure:
                // Off, unplugged or busy: try again when the adapter changes, or after a while.
                retry.later()
            }
        }
    }
}
