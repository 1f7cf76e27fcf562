import Daemon
import Reactor
import Speech
import Synchronization

/// Says texts on a thread of its own, one after the other: speech-dispatcher may be slow, or gone for a while.
///
/// A text that could not be handed over is tried again until it is half a minute old. What is said of a workout is not true for long.
/// speech-dispatcher takes any number of texts, and other programs of the person's have to wait until all are said: so a flood is not
/// handed on to it.
// Proof of @unchecked: the speaker, the pause and what was told are touched on the loop's thread, and nowhere else.
final class SpeakingThread: @unchecked Sendable {
    /// A text that waits, and since when.
    private struct Waiting {
        let utterance: Utterance
        let heard: ContinuousClock.Instant
    }

    /// What waits, and whether the thread is at it or will come back to it.
    private struct Queue {
        var texts: [Waiting] = []
        var isAttended = false
    }

    private let loop = EventLoop(name: "speaker")
    private let note: @Sendable (String) -> Void
    private let queue = Mutex(Queue())
    private var speaker: Speaker?
    /// Ten texts at once, and then one every five seconds: no workout has more to say.
    private var allowance = Allowance<String>(perSecond: 0.2, burst: 10)
    private var pause = SpeakingThread.shortest
    private var isToldOf = false

    /// When a text is not said any more.
    private static let late = Duration.seconds(30)
    /// How many wait; those that came first go.
    private static let most = 4
    private static let shortest = Duration.milliseconds(250)
    private static let longest = Duration.seconds(8)

    /// - Parameter note: tells the person that speech-dispatcher has gone or come back.
    init(note: @escaping @Sendable (String) -> Void) {
        self.note = note
        loop.start()
    }

    deinit { loop.end() }

    /// Connects for the first time.
    /// - Returns: whether it has within two seconds. Otherwise it goes on, and texts wait.
    func connect() throws(SpeechError) -> Bool {
        let answer = Answer<Result<Void, SpeechError>>()
        loop.perform { [self] in answer.set(Result { () throws(SpeechError) in self.speaker = try Speaker() }) }
        guard let result = answer.wait(atMost: .seconds(2)) else { return false }
        try result.get()
        return true
    }

    /// Leaves a text to be said, and does not wait.
    func say(_ utterance: Utterance) {
        let isAttended = queue.withLock { queue in
            queue.texts.append(Waiting(utterance: utterance, heard: .now))
            if queue.texts.count > Self.most { queue.texts.removeFirst() }
            defer { queue.isAttended = true }
            return queue.isAttended
        }
        if !isAttended { loop.perform { [self] in sayAll() } }
    }

    private func sayAll() {
        while let next = first() {
            guard ContinuousClock.now - next.heard < Self.late else { continue }
            do throws(SpeechError) {
                let speaker = try connected()
                if let seconds = allowance.take("texts", now: millisecondsSinceBoot()) {
                    return comeBack(to: next, after: .seconds(seconds))
                }
                try speaker.say(next.utterance)
                pause = Self.shortest
                if isToldOf { note("speech-dispatcher is there again") }
                isToldOf = false
            } catch {
                speaker = nil
                if !isToldOf { note("\(error); trying again") }
                isToldOf = true
                comeBack(to: next, after: pause)
                pause = min(pause * 2, Self.longest)
                return
            }
        }
    }

    private func first() -> Waiting? {
        queue.withLock { queue in
            guard queue.texts.isEmpty else { return queue.texts.removeFirst() }
            queue.isAttended = false
            return nil
        }
    }

    private func connected() throws(SpeechError) -> Speaker {
        if let speaker { return speaker }
        let made = try Speaker()
        speaker = made
        return made
    }

    /// Where as many wait that came later, it is not said.
    private func comeBack(to text: Waiting, after delay: Duration) {
        queue.withLock { queue in
            if queue.texts.count < Self.most { queue.texts.insert(text, at: 0) }
        }
        loop.after(delay) { [weak self] in self?.sayAll() }
    }
}
