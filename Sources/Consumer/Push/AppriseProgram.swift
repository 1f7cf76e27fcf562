import Daemon
import Fetch
import FoundationEssentials
import Records
import Telemetry

// Apprise is a library for Python, and Debian has it as a package. Its own command would show addresses to everybody on the
// machine, reads its user's settings and plug-ins, and follows an address wherever that leads. So Apprise is used by a
// program of ours, of which nothing is on the disk: Python gets it on the command line, where everybody may see it, and what
// is to be sent on its standard input, where nobody sees it.
//
// An address is a way for a person to have this machine connect to anything that the machine can reach, also where only the
// machine should. Looking at the address would not be enough: names have other addresses a moment later, and servers answer
// that it is to be had elsewhere. So the program has Python ask it before each file that is opened, and before each connection:
// that has to lead to the Internet, and not into a network of the machine's own, or to where the operator lets it lead. (Python's
// audit hooks: PEP 578. They cannot be taken away again. The code that they watch is Debian's; what they guard against is an address.)
//
// A picture comes with the message and is on no disk either: it becomes a file in memory (memfd_create(2)) before the program
// may write no more files, and then nothing can change it. Apprise is given its path in /proc, the only one outside of what is
// installed that may be opened.
//
// The program's standard input is a socket. What the receiver has answered comes back on it.

/// What Apprise is to send.
package struct AppriseMessage {
    let address: PushAddress
    /// Receivers of some kinds can tell by it what comes twice.
    let id: String
    let title: String
    let text: String
    let isAlert: Bool
    let picture: Picture?
    /// How long Apprise waits for each answer of a server; nil for its own four seconds. Whoever never sends anything twice should wait
    /// long.
    let patience: Duration?

    /// A picture that goes along.
    package struct Picture: Hashable, Sendable {
        package let bytes: [UInt8]
        package let type: Kind

        /// By their media types.
        package enum Kind: String, Hashable, Sendable, CaseIterable {
            case png = "image/png"
            case jpeg = "image/jpeg"
            case webp = "image/webp"

            /// How a file's name ends.
            fileprivate var suffix: String {
                switch self {
                case .png: "png"
                case .jpeg: "jpg"
                case .webp: "webp"
                }
            }
        }

        package init(_ bytes: [UInt8], _ type: Kind = .png) { (self.bytes, self.type) = (bytes, type) }
    }

    package init(
        to address: PushAddress, id: String, title: String, text: String, isAlert: Bool = false,
        picture: Picture? = nil,
        patience: Duration? = nil
    ) {
        (self.address, self.id, self.title, self.text) = (address, id, title, text)
        (self.isAlert, self.picture, self.patience) = (isAlert, picture, patience)
    }
}

/// What became of it.
package struct AppriseResult {
    package let outcome: PushOutcome
    /// What the receiver said where it did not take the message, on one line; nil if it said nothing, or took it. It may have a part
    /// of the address in it, so it is for the person alone.
    package let answer: String?
    /// Whether Apprise has read the picture: what it uses for some receivers sends none.
    package let isPictureTaken: Bool

    /// Whether the receiver may have the message although it has not said so: it got all of it, and then did not answer,
    /// or said that it failed.
    package let isDoubtful: Bool

    /// No answer is longer, in characters.
    package static let longestAnswer = 120
    /// The same of all that the program says, in bytes.
    fileprivate static let longestReport = 4096

    fileprivate init(_ outcome: PushOutcome, _ report: [UInt8]) {
        self.outcome = outcome
        let report = decoded { () throws(MalformedValue) in try JSON(payload: report) }
        isPictureTaken = report?["picture"] == true
        isDoubtful = report?["doubt"] == true
        guard case .string(let text)? = report?["answer"], outcome != .sent else {
            answer = nil
            return
        }
        let harmless = text.unicodeScalars.map { $0.isHarmful ? " " : Character($0) }
        let words = String(String(harmless).prefix(Self.longestAnswer))
        answer = words.allSatisfy(\.isWhitespace) ? nil : words
    }
}

/// The program that hands a message to Apprise.
package struct AppriseProgram {
    private let settings: AppriseSettings

    package init(_ settings: AppriseSettings) { self.settings = settings }

    /// Hands a message over, and waits for the outcome.
    package func send(_ message: AppriseMessage, isCancelled: () -> Bool = { false }) -> AppriseResult {
        let job: JSON = .object(present: [
            "address": .string(message.address.text), "id": .string(message.id), "title": .string(message.title),
            "text": .string(message.text), "is_alert": .bool(message.isAlert),
            "patience": message.patience.map { .number($0 / .seconds(1)) },
            "picture": message.picture.map { .string(Data($0.bytes).base64EncodedString()) },
            "picture_name": message.picture.map { .string("vitals.\($0.type.suffix)") },
            "picture_type": message.picture.map { .string($0.type.rawValue) },
            "has_headers": .bool(PushSchemes.withHeaders.contains(message.address.scheme)),
            "private_hosts": .array(settings.privateHosts.map { .string($0.text) }),
            "neighbours": .array(Reach.neighbours().map { .string($0.text) }),
        ])
        // Isolated: no variable and no folder of its user's is looked at. Nothing is compiled into a file.
        let program = ExternalProgram(
            [settings.python, "-I", "-B", "-X", "utf8", "-c", Self.source],
            environment: ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8"], staysOpen: true,
            isSilent: true)
        var report: [UInt8] = []
        let ending = program.run(
            job.bytes + [UInt8(ascii: "\n")], within: settings.timeLimit, answer: &report,
            atMost: AppriseResult.longestReport, isCancelled: isCancelled)
        let outcome: PushOutcome =
            switch ending {
            case .status(0): .sent
            case .status(10): .notTaken
            case .status(11): .notUnderstood
            case .status(12): .isPrivate
            case .status(13), .notStarted: .noApprise
            case .tookTooLong: .tookTooLong
            case .cancelled: .cancelled
            case let ending: .failed("\(ending)")
            }
        return AppriseResult(outcome, report)
    }

    static let source = #"""
        import os, select, sys, threading

        # The job is one line. Nothing comes after it: what can be read then is the end of the service, which ends this, too.
        line = bytearray()
        while not line.endswith(b"\n"):
            part = os.read(0, 65536)
            if not part:
                os._exit(1)
            line += part

        def end_with_the_service():
            select.select([0], [], [])
            os._exit(1)

        threading.Thread(target=end_with_the_service, daemon=True).start()

        import base64, fcntl, ipaddress, json, resource

        job = json.loads(line)

        def held(picture):
            """The path of a file in memory that nothing changes any more."""
            descriptor = os.memfd_create("picture", os.MFD_CLOEXEC | os.MFD_ALLOW_SEALING)
            with open(descriptor, "wb", closefd=False) as file:
                file.write(picture)
            seals = fcntl.F_SEAL_WRITE | fcntl.F_SEAL_GROW | fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_SEAL
            fcntl.fcntl(descriptor, fcntl.F_ADD_SEALS, seals)
            return f"/proc/self/fd/{descriptor}"

        picture = held(base64.b64decode(job["picture"])) if "picture" in job else None
        for limit, most in (
            (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CPU, 60), (resource.RLIMIT_AS, 1 << 30),
        ):
            try:
                resource.setrlimit(limit, (most, most))
            except (OSError, ValueError):
                pass  # It is lower already, or the service's own limits have to do.
        try:
            import apprise, requests, smtplib
        except ImportError:
            os._exit(13)

        allowed = [ipaddress.ip_network(network) for network in job["private_hosts"]]
        neighbours = [ipaddress.ip_network(network, strict=False) for network in job["neighbours"]]
        nat64 = ipaddress.ip_network("64:ff9b::/96")
        # Of IPv6, only the first of these is given to anybody; the others are kept back, which not all versions of Python know.
        given, kept = ipaddress.ip_network("2000::/3"), [ipaddress.ip_network(network) for network in ("192.88.99.0/24", "3fff::/20")]
        readable = {os.path.realpath(folder) + "/" for folder in (sys.prefix, sys.base_prefix, "/usr", "/etc/ssl")}
        is_refused = False
        report = {"picture": False}

        def ask(self, request, asked=requests.Session.send, **more):
            """What a web server says when it refuses."""
            try:
                response = asked(self, request, **more)
            except requests.ConnectionError as error:
                # It was sent, unless there was no connection at all.
                reason = getattr(error.args[0], "reason", None) if error.args else None
                never = requests.ConnectTimeout, requests.exceptions.SSLError
                is_unsent = isinstance(error, never) or "NewConnection" in type(reason).__name__
                # An address may have several requests made: one that is in doubt stays so.
                report["doubt"] = report.get("doubt") or not is_unsent
                raise
            except requests.Timeout:
                report["doubt"] = True
                raise
            if response.status_code >= 500:
                # What stands between may have passed it on, and got no answer.
                report["doubt"] = True
            if response.status_code >= 400:
                report["answer"] = f"{response.status_code} {response.reason or ''}"
                try:
                    said = response.json()
                    words = [said[name] for name in ("error", "message") if isinstance(said.get(name), str)]
                    report["answer"] = ": ".join([str(response.status_code), *words[:1]])
                except (AttributeError, RecursionError, ValueError):
                    pass
            return response

        def hear(self, heard=smtplib.SMTP.getreply):
            """The same of a server of mail."""
            code, words = heard(self)
            if code >= 400:
                report["answer"] = f"{code} {words.decode(errors='replace')}"
            return code, words

        def hand_over(self, mail, handed=smtplib.SMTP.data):
            try:
                return handed(self, mail)
            except (OSError, smtplib.SMTPServerDisconnected):
                report["doubt"] = True
                raise

        requests.Session.send, smtplib.SMTP.getreply, smtplib.SMTP.data = ask, hear, hand_over

        def end(status):
            if "answer" in report:
                # The service keeps no more, and the report stays short: JSON spells a character with up to 12 others.
                report["answer"] = report["answer"][:120]
            try:
                os.write(0, json.dumps(report).encode())
            except OSError:
                pass  # Nobody listens any more.
            os._exit(status)

        def reached(address):
            """The addresses that packets to this one may come to: others may be wrapped in it."""
            found = [address]
            if address.version == 6:
                found += [wrapped for wrapped in (address.ipv4_mapped, address.sixtofour) if wrapped]
                found += address.teredo or ()
                if address in nat64:
                    found.append(ipaddress.ip_address(address.packed[12:]))
            return found

        def is_public(address):
            # Behind an address of its own network, the machine and its neighbours answer as they answer to nobody else.
            if any(address in network for network in neighbours):
                return False
            # These count as what is wrapped in them: not all versions of Python call them global.
            if address.version == 6 and (address.ipv4_mapped or address in nat64):
                return True
            if address.version == 6 and address not in given or any(address in network for network in kept):
                return False
            return address.is_global and not (address.is_multicast or address.is_reserved)

        def may_reach(place):
            if not isinstance(place, tuple):
                return False
            found = reached(ipaddress.ip_address(str(place[0]).partition("%")[0]))
            return all(map(is_public, found)) or any(one in network for one in found for network in allowed)

        def may_open(path, mode, flags):
            if isinstance(path, int):
                return True
            if set("wax+") & set(mode or "") or (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
                return False
            if picture and os.fsdecode(path) == picture:
                report["picture"] = True
                return True
            path = os.path.realpath(os.fsdecode(path))
            return path.startswith(tuple(readable)) or path in ("/dev/null", "/dev/urandom") or path.endswith("/mime.types")

        def guard(event, arguments):
            """Python asks this before each connection, also one that a server's answer leads to, and before each file."""
            global is_refused
            if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
                if not may_reach(arguments[1]):
                    is_refused = True
                    raise PermissionError("a private network")
            elif event == "open":
                if not may_open(*arguments):
                    raise PermissionError("a file")
            elif event in ("os.exec", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "subprocess.Popen"):
                raise PermissionError("another program")

        sys.addaudithook(guard)
        asset = apprise.AppriseAsset(async_mode=False, secure_logging=True)
        receiver = apprise.Apprise.instantiate(job["address"], asset=asset)
        if receiver is None:
            os._exit(12 if is_refused else 11)
        if "patience" in job:
            receiver.socket_read_timeout = job["patience"]
        if job["has_headers"]:
            receiver.headers["Vitals-Notification"] = job["id"]
        sender = apprise.Apprise(asset=asset)
        sender.add(receiver)
        attached = apprise.AppriseAttachment(asset=asset) if picture else None
        if picture and not attached.add(f"file://{picture}?name={job['picture_name']}&mime={job['picture_type']}"):
            os._exit(14)
        kind = apprise.NotifyType.WARNING if job["is_alert"] else apprise.NotifyType.INFO
        # A text is a text, also where a message is HTML: a "<" in it is one.
        plain = apprise.NotifyFormat.TEXT
        is_sent = sender.notify(
            title=job["title"], body=job["text"], notify_type=kind, body_format=plain, attach=attached)
        end(0 if is_sent else 12 if is_refused else 10)
        """#
}
