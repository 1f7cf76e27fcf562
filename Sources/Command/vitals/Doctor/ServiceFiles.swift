import Daemon
import Glibc
import ProgramSettings
import Telemetry

/// The files of the gateway or the consumer. Nothing in them is read.
struct ServiceFiles {
    private let subject: Check.Subject
    private let report: SettingsReport
    private let program: String

    init(_ subject: Check.Subject, _ report: SettingsReport, _ program: String) {
        (self.subject, self.report, self.program) = (subject, report, program)
    }

    // MARK: The state folder

    func folder() -> Finding {
        var status = stat()
        guard stat(report.state, &status) == 0 else {
            let reason = String(cString: strerror(errno))
            guard errno == ENOENT else { return .needsRoot("\(report.state): \(reason)") }
            return .warning("\(report.state) is not there yet", "the program makes it when it starts")
        }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            return .problem("\(report.state) is not a folder", "name another as `state` in the settings")
        }
        guard status.st_mode & 0o077 == 0 else {
            return .problem(
                "others may look into \(report.state)", "only its owner may use it",
                run: command("sudo chmod 700 \(shellQuoted(report.state))", on: report.state))
        }
        return .ok(report.state)
    }

    func process() -> Finding {
        let lock = "\(report.state)/\(StateLock.file)"
        let start = "sudo systemctl start \(program)"
        var status = stat()
        guard lstat(lock, &status) == 0 else {
            guard errno == ENOENT else { return .needsRoot("\(lock): \(String(cString: strerror(errno)))") }
            return .problem("\(program) has never run with \(report.state)", "start it", run: start)
        }
        // A pipe of this name would keep us waiting.
        guard status.st_mode & S_IFMT == S_IFREG else {
            return .problem("\(lock) is not a lock of ours", "find out who has put it there")
        }
        guard access(lock, R_OK) == 0 else {
            return .needsRoot("\(lock) is another user's")
        }
        do throws(Failure) {
            guard let holder = try StateLock.holder(of: report.state) else {
                return .problem("\(program) is not running", "start it, and see its log", run: start)
            }
            return .ok("process \(holder.process) is running")
        } catch {
            return .unknown(error.message, error.hint ?? "restart it")
        }
    }

    func disk() -> Finding {
        var status = statvfs()
        guard statvfs(existing(report.state), &status) == 0 else {
            return .needsRoot("\(report.state): \(String(cString: strerror(errno)))")
        }
        let block = UInt64(status.f_frsize)
        return Self.disk(
            report.state, free: UInt64(status.f_bavail) * block, isReadOnly: status.f_flag & UInt(ST_RDONLY) != 0)
    }

    static func disk(_ path: String, free: UInt64, isReadOnly: Bool) -> Finding {
        let megabytes = free / 1_000_000
        guard !isReadOnly else {
            return .problem(
                "the file system of \(path) can only be read: nothing is kept",
                "a damaged card often shows like this: see dmesg, and replace it", run: "sudo dmesg --level err")
        }
        guard megabytes >= 100 else {
            return .problem("\(megabytes) MB are free for \(path)", "make room: what is stored soon finds none")
        }
        guard megabytes >= 1000 else {
            return .warning("\(megabytes) MB are free for \(path)", "make room, or move it to a larger disk")
        }
        return .ok("\(megabytes / 1000) GB are free for \(path)")
    }

    // MARK: Passwords and keys

    /// Each file that holds a secret: its name, who may use it, never what is in it.
    var secrets: [Check] {
        let broker = report.broker
        var files: [(name: String, path: String)] = []
        if let path = broker.text("password_file") { files.append(("password", path)) }
        if let path = broker["tls"]?.text("key_file") { files.append(("tls key", path)) }
        if let path = report.more.text("root_key_file") { files.append(("root key", path)) }
        return files.map { name, path in Check(subject, name) { secret(path, isKey: name == "root key") } }
    }

    private func secret(_ path: String, isKey: Bool) -> Finding {
        // As the program's own user, who has to be able to read it.
        let rights = try? FileRights.take(ofOwnerOf: report.state)
        defer { rights?.giveBack() }
        let file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY)
        if file < 0, errno == EACCES, isKey, isOfRootAlone(path) {
            return .ok("\(path), which is root's alone: the service gets it as a credential")
        }
        guard file >= 0 else { return unreadable(path, errno, isKey: isKey) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .problem("\(path) is not a file", "put the file itself there")
        }
        guard status.st_mode & 0o077 == 0 else {
            return .problem(
                "others may read \(path)", "only its owner may",
                run: command("sudo chmod 600 \(shellQuoted(path))", on: path))
        }
        guard status.st_size > 0 else { return .problem("\(path) is empty", "write it again") }
        return .ok(path)
    }

    /// Whether a file, which no link leads to, is root's, and nobody else may read it.
    private func isOfRootAlone(_ path: String) -> Bool {
        let rights = FileRights.takeCallers()
        defer {
            rights.giveBack()
            errno = EACCES
        }
        var status = stat()
        return geteuid() == 0 && lstat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
            && status.st_uid == 0 && status.st_mode & 0o077 == 0
    }

    private func unreadable(_ path: String, _ number: Int32, isKey: Bool) -> Finding {
        let text = "\(path): \(String(cString: strerror(number)))"
        switch number {
        case ENOENT where isKey: return .problem(text, "put it back: without it, nothing can be opened")
        case ENOENT: return .problem(text, "write it; if it is a password's, its first line is the password")
        case EACCES where geteuid() != 0: return .needsRoot(text)
        default:
            let folder = shellQuoted(report.state)
            return .problem(
                "\(text), for the owner of \(report.state)", "give that user a file of their own there",
                run: command("sudo chown --no-dereference --reference=\(folder) \(shellQuoted(path))", on: path))
        }
    }

    /// A command for root that changes a file; nil if the path leads over a link, or the file has another name, too. The
    /// folder may be the service's, and whoever has taken the service over may have put a link there: root would then
    /// change, or give away, any file of the machine.
    private func command(_ text: String, on path: String) -> String? {
        let rights = FileRights.takeCallers()
        defer { rights.giveBack() }
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        var status = stat()
        guard String(cString: real) == path, lstat(path, &status) == 0,
            status.st_mode & S_IFMT == S_IFDIR || status.st_nlink == 1
        else { return nil }
        return text
    }

    /// The nearest folder above that is there.
    private func existing(_ path: String) -> String {
        var path = path
        while access(path, F_OK) != 0, let slash = path.lastIndex(of: "/"), slash > path.startIndex {
            path = String(path[..<slash])
        }
        return path
    }
}
