import Reactor

// What a try to connect waits for: the resolver and, with TLS and a name that has several addresses, the TCP connection, because
// libmosquitto offers nothing else that also checks the certificate's name; and the disk, which has the password and the
// certificates. Another thread does it, and then ends: neither the session's loop nor `stop` waits.

/// The result of a try so far.
struct Try {
    let made: Result<Connection, MQTTError>
    /// Numeric addresses of the host that were not tried yet.
    let addresses: ArraySlice<String>

    /// A try that was not made.
    init(failing error: MQTTError) { (made, addresses) = (.failure(error), []) }

    /// Makes a connection, which blocks.
    /// - Parameter known: what is left of the host's addresses; nil if they are not known yet.
    init(of session: Session, _ known: ArraySlice<String>?) {
        let options = session.options
        var left: ArraySlice<String> = []
        made = Result { () throws(MQTTError) in
            guard options.socketPath == nil else { return try Connection(options, address: nil, session: session) }
            if let known {
                left = known
            } else {
                left = try HostAddresses.resolve(options.host, attempted: "connect to \(options.address)")[...]
            }
            guard options.tls != nil else { return try Connection(options, address: left.popFirst(), session: session) }
            let name = left.count == 1 ? options.host : nil
            left = []
            return try Connection(options, address: name, session: session)
        }
        addresses = left
    }
}

extension Session {
    /// How many tries may be under way, with those that were given up.
    private static let mostHanging = 3

    /// Makes a connection on another thread, and then calls back on the loop, unless it is no longer wanted.
    func tryApart(_ known: ArraySlice<String>?, _ completion: @escaping @Sendable (Try) -> Void) {
        tries += 1
        guard triesOut < Self.mostHanging else {
            let error = MQTTError(.unreachable, "connect to \(options.address)", "earlier tries have not ended")
            return loop.perform { [self, number = tries] in if number == tries { completion(Try(failing: error)) } }
        }
        triesOut += 1
        let thread = EventLoop(name: "connect")
        thread.start()
        thread.perform { [self, number = tries] in
            // nonisolated(unsafe): this thread lets go of it.
            nonisolated(unsafe) let result = Try(of: self, known)
            loop.perform { [self] in
                triesOut -= 1
                if number == tries { completion(result) }
            }
            thread.end()
        }
    }
}
