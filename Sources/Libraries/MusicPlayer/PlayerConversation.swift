import Reactor

// What mpd and its client say to each other at one connection. Whatever is here happens on the loop.

extension Player {
    /// A command and what to do with its answer.
    struct Exchange {
        let command: String
        let arguments: [String]
        let purpose: PlayerReply.Purpose
        /// When nobody waits for it any longer; nil if it is always wanted.
        let deadline: ContinuousClock.Instant?
        let end: (Result<PlayerReply, PlayerError>) -> Void
    }

    /// What is under way at a connection.
    enum Turn {
        /// Nothing.
        case free
        /// An exchange waits for its answer.
        case asking(Exchange)
        /// mpd waits until something changes, or until it is told not to.
        case idling(isEnding: Bool)
    }

    // MARK: What mpd says

    func read(_ link: PlayerLink) {
        // Whatever is done with a line may end the connection.
        while self.link === link {
            if reply.binaryLeft > 0 {
                let bytes = link.bytes(atMost: min(reply.binaryLeft, 4096))
                guard !bytes.isEmpty else { break }
                understand { reply throws(PlayerReply.Fault) in try reply.take(bytes) }
            } else if version == nil {
                guard let text = link.text() else { break }
                greeted(text)
            } else {
                guard let line = link.line() else { break }
                understand(line)
            }
        }
        if self.link === link, let fault = link.fault { lost(link, fault) }
    }

    private func greeted(_ text: String) {
        guard text.hasPrefix("OK MPD ") else { return distrust("it does not greet: this is not mpd") }
        let version = harmless(String(text.dropFirst("OK MPD ".count)), atMost: 32)
        self.version = version
        introduce(version)
    }

    /// Says who we are, and what we want to be told.
    private func introduce(_ version: String) {
        do throws(PlayerError) {
            if let password = try password() {
                exchange("password", [password]) { [self] result in
                    // Where the connection was given up meanwhile, this was only abandoned.
                    if case .failure = result, link != nil { distrust("the password is wrong", .notPermitted) }
                }
            }
        } catch {
            return distrust("\(error)", error)
        }
        // A version that does not know these sends all tags, and smaller parts of pictures.
        exchange("tagtypes", ["clear"])
        exchange("tagtypes", ["enable", "Title", "Name", "Artist", "Album"])
        exchange("binarylimit", ["\(PlayerReply.mostBinary)"]) { [self] _ in
            // Where the connection was given up meanwhile, this was only abandoned.
            guard link != nil else { return }
            isReady = true
            tell(.connected(version))
        }
        look()
    }

    private func understand(_ line: PlayerLink.Line) {
        if case .free = turn { return distrust("it speaks unasked: this is not mpd") }
        switch line {
        case .pair(let name, let value):
            understand { reply throws(PlayerReply.Fault) in try reply.take(name, value) }
        case .malformed: distrust("a line that is not understood: this is not mpd")
        case .done: end(.success(reply))
        case .refused(let number): end(.failure(PlayerError(number)))
        }
    }

    private func understand(_ body: (inout PlayerReply) throws(PlayerReply.Fault) -> Void) {
        do throws(PlayerReply.Fault) { try body(&reply) } catch { distrust(error.words) }
    }

    /// The answer is complete.
    private func end(_ result: Result<PlayerReply, PlayerError>) {
        let ended = turn
        (turn, reply) = (.free, PlayerReply(for: .nothing))
        expiry?.cancel()
        switch ended {
        case .asking(let exchange): exchange.end(result)
        case .idling(let isEnding):
            // Without the right to look, idle would be asked for all the time.
            guard case .success(let reply) = result else { return distrust("it does not let us listen", .notPermitted) }
            if reply["changed"] != nil {
                gather()
            } else {
                guard isEnding else { return distrust("it speaks unasked: this is not mpd") }
                // What was known is so still. If nobody has asked, it was silent for long.
                looked = .now
                if waiting.isEmpty { look() }
            }
        case .free: break
        }
        advance()
    }

    /// Looks at a change soon, together with what else changes.
    private func gather() {
        let since = looked.map { ContinuousClock.now - $0 } ?? patience.pace
        gathering = loop.after(max(patience.gathering, patience.pace - since)) { [weak self] in
            self?.gathering = nil
            self?.look(atOnce: true)
        }
    }

    // MARK: What is asked

    /// Asks mpd a command. What it says to it is taken on the loop.
    /// - Parameters:
    ///   - asker: the one for whom it is; nil if it is for everybody.
    ///   - isFirst: whether it is asked before what waits.
    func exchange(
        _ command: String, _ arguments: [String] = [], reading purpose: PlayerReply.Purpose = .nothing,
        for asker: Asker? = nil, first isFirst: Bool = false,
        _ end: @escaping (Result<PlayerReply, PlayerError>) -> Void = { _ in }
    ) {
        guard link != nil else { return end(.failure(.away(lastReason))) }
        let exchange = Exchange(
            command: command, arguments: arguments, purpose: purpose, deadline: asker?.deadline, end: end)
        waiting.insert(exchange, at: isFirst ? 0 : waiting.count)
        advance()
    }

    /// Finds out what is played now, and tells the owner, too.
    /// - Parameter isAtOnce: whether before all that waits.
    func look(
        atOnce isAtOnce: Bool = false, _ answer: @escaping (Result<PlayerState, PlayerError>) -> Void = { _ in }
    ) {
        exchange("status", reading: .status, first: isAtOnce) { [self] result in
            guard case .success(let status) = result else { return answer(result.map { $0.state(with: nil) }) }
            looked = .now
            exchange("currentsong", reading: .songs(atMost: 1), first: true) { [self] result in
                let state = result.map { status.state(with: $0.songs.first) }
                if case .success(let state) = state {
                    // Only now: something that greets and is silent must not be asked all the time.
                    absences.reset()
                    refusals.reset()
                    tell(.state(state))
                }
                answer(state)
            }
        }
    }

    private func advance() {
        guard let link else { return }
        switch turn {
        case .asking, .idling(isEnding: true): return
        case .idling(isEnding: false): if !waiting.isEmpty { endIdling() }
        case .free:
            guard !waiting.isEmpty else { return idle(link) }
            if isReady, let time = looked, ContinuousClock.now - time > patience.busy {
                looked = .now
                return look(atOnce: true)
            }
            let exchange = waiting.removeFirst()
            if let deadline = exchange.deadline, deadline <= .now {
                exchange.end(.failure(.late))
                return advance()
            }
            (turn, reply) = (.asking(exchange), PlayerReply(for: exchange.purpose))
            guard send(exchange.command, exchange.arguments, on: link) else { return }
            expire(after: patience.answering) { player in player.giveUp("mpd does not answer", .timeout) }
        }
    }

    private func idle(_ link: PlayerLink) {
        // Until a change was looked at, nothing is gained by waiting for the next one.
        guard isReady, gathering == nil else { return }
        (turn, reply) = (.idling(isEnding: false), PlayerReply(for: .changes))
        guard send("idle", ["player", "playlist"], on: link) else { return }
        expire(after: patience.silence) { player in player.endIdling() }
    }

    /// mpd answers the command that waits, and not this one.
    private func endIdling() {
        guard let link, case .idling(isEnding: false) = turn else { return }
        turn = .idling(isEnding: true)
        guard send("noidle", on: link) else { return }
        expire(after: patience.waking) { player in player.giveUp("mpd does not answer", .timeout) }
    }

    /// - Returns: whether there was room for it: one command is smaller than the buffer, which is empty unless mpd does not
    ///   read. Otherwise the connection was given up.
    private func send(_ command: String, _ arguments: [String] = [], on link: PlayerLink) -> Bool {
        guard link.send(command, arguments) else {
            giveUp("could not write")
            return false
        }
        watch?.events = link.wanted
        return true
    }

    func expire(after limit: Duration, _ body: @escaping (Player) -> Void) {
        expiry?.cancel()
        expiry = loop.after(limit) { [weak self] in
            if let self { body(self) }
        }
    }
}
