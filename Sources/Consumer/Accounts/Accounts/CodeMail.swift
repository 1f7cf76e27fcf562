import Daemon
import Features

/// Sends codes to the addresses of accounts, with the operator's program. Belongs to the session's thread.
final class CodeMail {
    private let command: MailCommand
    /// For everybody together, one in ten seconds: not all e-mail addresses are verified, and somebody who signs up with
    /// other people's must not make us write to thousands of them. Each purpose has its own: whoever signs up again and again keeps
    /// nobody from resetting their password.
    private var mails = Allowance<NameCodes.Purpose>(perSecond: 0.1, burst: 30)
    /// To people who have shown that the address is theirs, for whom the others must leave room: one a second.
    private var verified = Allowance<NameCodes.Purpose>(perSecond: 1, burst: 300)

    /// Nil if mails are not sent.
    init?(_ settings: AccountSettings) {
        guard let command = settings.mailCommand else { return nil }
        self.command = MailCommand(command)
    }

    /// Sends a mail.
    /// - Parameters:
    ///   - purpose: what its code is good for.
    ///   - isVerified: whether its receiver has shown that the address is theirs.
    ///   - time: Unix milliseconds.
    ///   - failed: called on another thread, if it could not be sent; its text holds nothing of the mail.
    /// - Returns: whether it may be sent at all: not if there were too many.
    func send(
        _ mail: Mail, for purpose: NameCodes.Purpose, isVerified: Bool, time: Int64, failed: @escaping @Sendable (String) -> Void
    ) -> Bool {
        let now = millisecondsSinceBoot()
        let wait = isVerified ? verified.take(purpose, now: now) : mails.take(purpose, now: now)
        guard wait == nil else { return false }
        command.send(mail.bytes(time: time), failed: failed)
        return true
    }
}
