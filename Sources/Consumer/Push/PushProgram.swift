import Daemon
import Telemetry

// Apprise is a library for Python, and Debian has it as a package. Its own command would show addresses to everybody on the
// machine, reads its user's settings and plug-ins, and follows an address wherever that leads. So Apprise is used by a
// program of ours, of which nothing is on the disk: Python gets it on the command line, where everybody may see it, and what
// is to be sent on its standard input, where nobody sees it.
//
// An address is a way for a person to have this machine connect to anything that the machine can reach, also where only the
// machine should. Looking at the address would not be enough: names have other addresses a moment later, and servers answer
// that it is to be had elsewhere. So the program has Python ask it before each connection whether that leads to the Internet
// or to where the operator lets it lead, and before each file that is opened. (Python's audit hooks: PEP 578. They cannot
// be taken away again. The code that they watch is Debian's; what they guard against is an address.)

/// The program that hands a message to Apprise.
struct PushProgram {
    private let settings: PushSettings

    init(_ settings: PushSettings) { self.settings = settings }

    /// Hands a message over, and waits for the outcome.
    func send(_ message: PushMessage, isCancelled: () -> Bool = { false }) -> PushOutcome {
        let job: JSON = [
            "address": .string(message.address.text), "id": .string(message.id), "title": .string(PushMessage.title),
            "text": .string(String(message.text.prefix(PushMessage.longestText))), "is_alert": .bool(message.isAlert),
            "has_headers": .bool(PushSchemes.withHeaders.contains(message.address.scheme)),
            "private_hosts": .array(settings.privateHosts.map { .string($0.text) }),
        ]
        // Isolated: no variable and no folder of its user's is looked at. Nothing is compiled into a file.
        let program = ExternalProgram(
            [settings.python, "-I", "-B", "-X", "utf8", "-c", Self.source],
            environment: ["PATH=/usr/bin:/bin", "HOME=/nonexistent", "LC_ALL=C.UTF-8"], staysOpen: true,
            isSilent: true)
        return
            switch program.run(
                job.bytes + [UInt8(ascii: "\n")], within: settings.timeLimit, isCancelled: isCancelled)
        {
        case .status(0): .sent
        case .status(10): .notTaken
        case .status(11): .notUnderstood
        case .status(12): .isPrivate
        case .status(13), .notStarted: .noApprise
        case .tookTooLong: .tookTooLong
        case .cancelled: .cancelled
        case let ending: .failed("\(ending)")
        }
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

        import ipaddress, json, resource

        job = json.loads(line)
        for limit, most in (
            (resource.RLIMIT_CORE, 0), (resource.RLIMIT_FSIZE, 0), (resource.RLIMIT_CPU, 60), (resource.RLIMIT_AS, 1 << 30),
        ):
            try:
                resource.setrlimit(limit, (most, most))
            except (OSError, ValueError):
                pass  # It is lower already, or the service's own limits have to do.
        try:
            import apprise
        except ImportError:
            os._exit(13)

        allowed = [ipaddress.ip_network(network) for network in job["private_hosts"]]
        nat64 = ipaddress.ip_network("64:ff9b::/96")
        readable = {os.path.realpath(folder) + "/" for folder in (sys.prefix, sys.base_prefix, "/usr", "/etc/ssl")}
        is_refused = False

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
            # These count as what is wrapped in them: not all versions of Python call them global.
            if address.version == 6 and (address.ipv4_mapped or address in nat64):
                return True
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
        if job["has_headers"]:
            receiver.headers["Vitals-Notification"] = job["id"]
        sender = apprise.Apprise(asset=asset)
        sender.add(receiver)
        kind = apprise.NotifyType.WARNING if job["is_alert"] else apprise.NotifyType.INFO
        is_sent = sender.notify(title=job["title"], body=job["text"], notify_type=kind)
        os._exit(0 if is_sent else 12 if is_refused else 10)
        """#
}
