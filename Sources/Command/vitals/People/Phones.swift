import Daemon
import Files
import Glibc
import QRCodes
import Telemetry

// `vitals phone`: phones with the app OwnTracks, which tell where their person is. A phone gets everything that the app
// needs by a link, which has its password: so it is shown to the person, and written only for its owner.

/// Connects, lists and removes phones.
struct Phones {
    private let call: Call
    private let arguments: Arguments

    init(_ call: Call, _ arguments: Arguments) {
        (self.call, self.arguments) = (call, arguments)
    }

    private static let svg = Option.value("svg", "FILE", "also writes the code as a picture, for its owner only")
    private static let phone = Positional.required("PHONE", "its id or name", offers: Offers.phones.rawValue)

    static let command = Command(
        name: "phone", summary: "Lists the phones that tell where you are, connects them and removes them.",
        discussion: """
            A phone needs the app OwnTracks. Your position is recorded only if you allow it: `vitals consent --record-location on`.
            """,
        examples: [
            Example("vitals phone add --name 'My phone'"), Example("vitals phone link my-phone --svg phone.svg"),
        ],
        subcommands: [
            Command(
                name: "add", summary: "Connects a phone: prints a link and a code for the app OwnTracks.",
                discussion: """
                    Open the link on the phone, or scan the code with its camera. The app first has to allow links: in its \
                    settings, under configuration. The link has the phone's password, so show it to nobody else.

                    The phone seals what it sends, unless you say --plain: nobody can read it without the link.
                    """,
                options: [
                    .value("name", "TEXT", "what the phone is called"),
                    .flag("plain", "the phone does not seal what it sends"),
                    svg,
                ],
                examples: [Example("vitals phone add --name 'My phone'"), Example("vitals phone add --svg phone.svg")]),
            Command(name: "list", summary: "Lists your phones."),
            Command(
                name: "link", summary: "Prints a phone's link and code again.", options: [svg], arguments: [phone],
                examples: [Example("vitals phone link 'My phone' > phone.link")]),
            Command(
                name: "remove", summary: "Removes a phone: nothing that it sends is recorded any more.",
                options: [.flag("yes", short: "y", "does not ask first")], arguments: [phone]),
        ], runsAlone: true)

    func add() throws -> ExitCode {
        let name = try arguments.optionalString("name")
        let isPlain = try arguments.flag("plain")
        let fields: [(String, JSON?)] = [("name", name.map(JSON.string)), ("encrypted", isPlain ? false : nil)]
        return try show(try Office.visit(call) { try $0.ask("phones/add", fields) })
    }

    func link() throws -> ExitCode {
        let wanted = try arguments.string("PHONE")
        let data = try Office.visit(call) { office in
            try office.about(.phone, wanted) { (id) throws(Failure) in
                try office.ask("phones/link", [("phone", .string(id))])
            }
        }
        return try show(data)
    }

    func list() throws -> ExitCode {
        let data = try Office.visit(call) { try $0.ask("phones/list") }
        let phones = data.list("phones")
        guard !call.isJSON else {
            try Output.write(phones.map(\.line).joined())
            return .ok
        }
        if phones.isEmpty {
            Output.note("no phones yet: vitals phone add")
        } else {
            let rows = phones.map { phone in
                [
                    phone.text("phone") ?? "-", phone.text("name") ?? "-", phone["encrypted"] == false ? "no" : "yes",
                    phone["signed_in"] == false ? "signed out" : phone.time("created") ?? "-",
                ]
            }
            try Output.write(table(["PHONE", "NAME", "SEALED", "CONNECTED"], rows))
        }
        if data["recorded"] == false {
            Output.note("your position is not recorded: vitals consent --record-location on")
        }
        return .ok
    }

    func remove() throws -> ExitCode {
        let wanted = try arguments.string("PHONE")
        let question = "Phone \(escaped(wanted)) will be signed out; what it has sent stays. Remove it?"
        guard try arguments.flag("yes") || isConfirmed(question) else {
            throw Failure(.declined, "nothing was changed")
        }
        let data = try Office.visit(call) { office in
            try office.about(.phone, wanted) { (id) throws(Failure) in
                try office.ask("phones/remove", [("phone", .string(id))])
            }
        }
        try Output.write(call.isJSON ? data.line : (data.text("message") ?? "\(escaped(wanted)) is removed") + "\n")
        return .ok
    }

    // MARK: The link

    /// Prints the link of a reply, and the code for a camera.
    private func show(_ data: JSON) throws -> ExitCode {
        guard case .string(let link)? = data["link"] else {
            throw Failure(.protocolError, "the consumer's reply has no link")
        }
        let code: QRCode
        do throws(QRCodeError) { code = try QRCode(link) } catch {
            throw Failure(.protocolError, "the link is too long for a code: \(error)")
        }
        if let file = try arguments.optionalString("svg") {
            do throws(VaultError) { try SmallFile.replace(file, with: Array(code.svg.utf8)) } catch {
                throw Failure(.inputOutput, "\(file) cannot be written: \(error.said)")
            }
        }
        guard !call.isJSON else {
            try Output.write(data.line)
            return .ok
        }
        try Output.write(escaped(link) + "\n")
        if isatty(STDOUT_FILENO) == 1 { try draw(code) }
        if let file = try arguments.optionalString("svg") { Output.note("\(escaped(file)): the code as a picture") }
        let phone = data.text("phone").map { " \($0)" } ?? ""
        Output.note(
            "open the link on the phone\(phone), or scan the code; it has a password, so show it to nobody else")
        return .ok
    }

    private func draw(_ code: QRCode) throws {
        let paper = Paper()
        guard paper.isUnicode, (Paper.columns ?? code.width) >= code.width else {
            Output.note("this terminal cannot show the code, which is \(code.width) columns wide: --svg FILE")
            return
        }
        let lines = code.lines(paper.style.isOn ? .coloured : .lightOnDark)
        try Output.write(lines.map { $0 + "\n" }.joined())
    }
}
