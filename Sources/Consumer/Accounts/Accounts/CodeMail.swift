import Daemon
import Features

/// Sends codes to the addresses of accounts, with the operator's program. Belongs to the session's thread.
final class CodeMail {
    private let command: MailCommand
    /// For everybody together, one in ten seconds: not all e-mail addresses are verified, and somebody who signs up with
    /// other people's must not make us write to thousands of them.
    private var mails = Allowance<Int>(perSecond: 0.1, burst: 30)

    /// Nil if mails are not sent.
    init?(_ settings: AccountSettings) {
        guard let command = settings.mailCommand else { return nil }
        self.command = MailCommand(command)
    }

    /// Sends a mail.
    /// - Parameters:
    ///   - time: Unix milliseconds.
    ///   - failed: called on another thread, if it could not be sent; its text holds nothing of the mail.
    /// - Returns: whether it may be sent at all: not if there were too many.
    func send(_ mail: Mail, time: Int64, failed: @escaping @Sendable (String) -> Void) -> Bool {
        guard mails.take(0, now: millisecondsSinceBoot()) == nil else { return false }
        command.send(mail.bytes(time: time), failed: failed)
        return true
    }
}
