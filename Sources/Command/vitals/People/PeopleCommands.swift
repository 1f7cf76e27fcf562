import Daemon
import Fitness

/// The commands about a person: the account, the profile, their own gateways and sensors.
enum PeopleCommands {
    static let groups = [
        (
            "Your account",
            [signUp, signIn, signOut, verify, account, whoami, devices, password, profile, picture, consent, Pushes.command]
        ),
        ("Your own gateways and sensors", [enrol, gateways, claim, release, claims, Phones.command]),
        ("What is stored about you", [export, resetAll, deleteAccount]),
    ]

    /// Does what the command line asks for; nil if it is none of these.
    static func execute(_ call: Call, _ arguments: Arguments) throws -> ExitCode? {
        switch arguments.command {
        case ["sign-up"]: try SigningIn(call, arguments).signUp()
        case ["sign-in"]: try SigningIn(call, arguments).signIn()
        case ["sign-out"]: try SigningIn(call, arguments).signOut()
        case ["verify"]: try SigningIn(call, arguments).verify()
        case ["account"], ["whoami"]: try OwnAccount(call).show()
        case ["devices"]: try Devices(call, arguments).list()
        case ["devices", "revoke"]: try Devices(call, arguments).revoke()
        case ["devices", "name"]: try Devices(call, arguments).name()
        case ["password", "change"]: try Passwords(call, arguments).change()
        case ["password", "reset"]: try Passwords(call, arguments).reset()
        case ["profile"], ["profile", "show"]: try Profiles(call, arguments).show()
        case ["profile", "set"]: try Profiles(call, arguments).set()
        case ["profile", "edit"]: try Profiles(call, arguments).edit()
        case ["picture", "set"]: try Pictures(call, arguments).set()
        case ["picture", "get"]: try Pictures(call, arguments).get()
        case ["picture", "remove"]: try Pictures(call, arguments).remove()
        case ["consent"]: try Consents(call, arguments).run()
        case ["enrol"]: try Enrolling(call, arguments).enrol()
        case ["gateways"]: try Enrolling(call, arguments).list()
        case ["gateways", "rename"]: try Enrolling(call, arguments).rename()
        case ["gateways", "household"]: try Enrolling(call, arguments).setHousehold()
        case ["gateways", "remove"]: try Enrolling(call, arguments).remove()
        case ["claim"]: try Enrolling(call, arguments).claim()
        case ["release"]: try Enrolling(call, arguments).release()
        case ["claims"]: try Enrolling(call, arguments).claims()
        case ["phone"], ["phone", "list"]: try Phones(call, arguments).list()
        case ["phone", "add"]: try Phones(call, arguments).add()
        case ["phone", "link"]: try Phones(call, arguments).link()
        case ["phone", "remove"]: try Phones(call, arguments).remove()
        case ["push"], ["push", "list"]: try Pushes(call, arguments).list()
        case ["push", "add"]: try Pushes(call, arguments).add()
        case ["push", "confirm"]: try Pushes(call, arguments).confirm()
        case ["push", "test"]: try Pushes(call, arguments).test()
        case ["push", "details"]: try Pushes(call, arguments).details()
        case ["push", "remove"]: try Pushes(call, arguments).remove()
        case ["export"]: try Exporting(call, arguments).run()
        case ["reset-all"]: try Forgetting(call, arguments).resetAll()
        case ["delete-account"]: try Forgetting(call, arguments).deleteAccount()
        default: nil
        }
    }

    /// The one place that says where passwords come from.
    private static let passwords = """
        The password is typed at the terminal, where it is not shown, or is the first line of --password-file, or comes on \
        standard input; never on the command line, which everybody on the machine can see.
        """

    private static let yes = Option.flag("yes", short: "y", "does not ask first")
    private static let device = Option.value(
        "device", "NAME", "what this device is called in the list of devices (default: this machine's name)")

    private static let signUp = Command(
        name: "sign-up", summary: "Makes an account, and signs in.",
        discussion: """
            The account's name is an e-mail address or a phone number with its country code. A password has upper-case and \
            lower-case letters, a digit and a special character such as "!".

            \(passwords)

            What signing in leaves on this machine is in ~/.config/vitals/accounts, for this broker; the other commands use it.
            """,
        options: [device], arguments: [.required("NAME", "an e-mail address or a phone number")],
        examples: [
            Example("vitals sign-up ada@example.org"),
            Example("vitals sign-up +4915123456789 --device 'The kitchen Pi'"),
        ])

    private static let signIn = Command(
        name: "sign-in", summary: "Signs in on this device, until sign-out.",
        discussion: """
            \(passwords)

            With a provider, such as google or facebook, it takes an ID token in a file; without one, it prints the nonce that \
            the token has to have.
            """,
        options: [
            device, .value("provider", "NAME", "the provider that says who you are, instead of a password"),
            .value("token-file", "FILE", "a file whose first line is the provider's ID token"),
        ],
        arguments: [.optional("NAME", "the account's e-mail address or phone number")],
        examples: [
            Example("vitals sign-in ada@example.org"),
            Example("vitals sign-in --provider google --token-file token.jwt"),
        ])

    private static let signOut = Command(
        name: "sign-out", summary: "Signs out on this device.",
        examples: [Example("vitals sign-out")])

    private static let verify = Command(
        name: "verify", summary: "Shows with a code that your e-mail address is yours.",
        discussion: """
            A service that sends mail sends the code when you sign up. Until the address is verified, invitations to it do not reach \
            you. Without CODE, another one is sent.
            """,
        arguments: [.optional("CODE", "that was sent to the address")],
        examples: [Example("vitals verify"), Example("vitals verify 7QKM2-DZX0H")])

    private static let account = Command(
        name: "account", summary: "Shows who is signed in here, their picture, guardians, dependents and devices.",
        examples: [Example("vitals account")])

    private static let whoami = Command(name: "whoami", summary: "The same as account.")

    private static let devices = Command(
        name: "devices", summary: "Lists the devices on which you are signed in; a star marks this one.",
        examples: [Example("vitals devices"), Example("vitals devices revoke q4kz7m2xw6ab3c5d")],
        subcommands: [
            Command(
                name: "revoke", summary: "Signs a device out.",
                arguments: [.required("DEVICE", "its id", offers: Offers.devices.rawValue)]),
            Command(
                name: "name", summary: "Gives a device another name.",
                arguments: [
                    .required("DEVICE", "its id", offers: Offers.devices.rawValue),
                    .required("NAME", "the new name"),
                ]),
        ], runsAlone: true)

    private static let newPassword = Option.value(
        "new-password-file", "FILE", "a file whose first line is the new password")

    private static let password = Command(
        name: "password", summary: "Changes the password, or resets one that was forgotten.",
        subcommands: [
            Command(
                name: "change", summary: "Changes the password.",
                discussion: "\(passwords) First the current one, then the new one.", options: [newPassword]),
            Command(
                name: "reset",
                summary: "Has a code sent, and sets another password with it. All devices are signed out.",
                discussion: """
                    At a terminal, it asks for the code and the new password. Elsewhere, it only has the code sent, and with --code, it \
                    reads it from standard input, and the new password from the next line or a file.

                    The first time, it shows what belongs to the account: friends, gateways, sensors, readings. If somebody else signed \
                    up with your address, that is theirs. It asks whether to keep it; nothing is changed before you say so.
                    """,
                options: [
                    .flag("code", "you already have a code"), newPassword,
                    .flag("keep", "keeps what belongs to the account, and does not ask"),
                    .flag("discard", "deletes all of it for good, and does not ask"),
                ],
                arguments: [.required("NAME", "the account's e-mail address or phone number")],
                examples: [Example("vitals password reset ada@example.org")]),
        ])

    private static let profile = Command(
        name: "profile", summary: "Shows or changes the profile.",
        examples: [
            Example("vitals profile edit", "asks field by field"),
            Example("vitals profile set --weight-kg 61.5 --continuous-heart-rate on"),
            Example("vitals profile set --max-heart-rate 191", "zones by your own maximum"),
            Example("vitals profile set --zones-by limits --zone-limits 95,120,140,155,170"),
        ],
        subcommands: [
            Command(name: "show", summary: "Shows the profile."),
            Command(
                name: "set", summary: "Changes what the command line names.",
                discussion: """
                    The first time, name, date of birth, gender, weight and height are needed. Zones of heart rate count \
                    from today on: earlier days and workouts keep theirs, unless you have them counted again (vitals days \
                    recount). A heart rate that you enter as none is taken back.
                    """,
                options: [
                    .value("name", "TEXT", "the name"), .value("date-of-birth", "DATE", "such as 1985-12-10"),
                    .value(
                        "gender", "TEXT", "female, male, other or undisclosed",
                        values: ProfileRules.Gender.allCases.map(\.rawValue)),
                    .value("weight-kg", "N", "the weight in kilograms"),
                    .value("height-cm", "N", "the height in centimetres"),
                    .value("weight", "WEIGHT", "the same with its unit, such as 61.5kg or 135lb"),
                    .value("height", "HEIGHT", "the same with its unit, such as 168cm or 5ft6in"),
                    .value("voice", "ON", "on or off", values: ["on", "off"]),
                    .value(
                        "continuous-heart-rate", "ON", "on or off: whether heart rates are recorded all day",
                        values: ["on", "off"]),
                    .value("time-zone", "ZONE", "such as Europe/Berlin"), .value("locale", "TAG", "such as de-DE"),
                    .value("units", "NAME", "metric or imperial", values: Units.allCases.map(\.rawValue)),
                    .value(
                        "zones-by", "NAME", "what zones are computed from: age, maximum, reserve, threshold or limits",
                        values: HeartRateZones.Method.allCases.map(\.rawValue)),
                    .value(
                        "max-heart-rate", "N", "your highest heart rate, or none (zones by age become zones by it)",
                        values: ["none"]),
                    .value("resting-heart-rate", "N", "your heart rate at rest, or none", values: ["none"]),
                    .value(
                        "threshold-heart-rate", "N", "your heart rate at the lactate threshold, or none",
                        values: ["none"]),
                    .value(
                        "zone-limits", "LIST", "where zones 1 to 5 begin, such as 95,120,140,155,170, or none",
                        values: ["none"]),
                ]),
            Command(
                name: "edit", summary: "Asks field by field, and saves.",
                discussion: """
                    Each answer is checked when it is given. An empty answer leaves a field as it is; Ctrl-D leaves everything as it \
                    is. After an interruption, the next edit offers your earlier answers.
                    """),
        ], runsAlone: true)

    private static let picture = Command(
        name: "picture", summary: "Keeps, fetches or removes the profile's picture.",
        subcommands: [
            Command(
                name: "set", summary: "Keeps a picture: JPEG, PNG or WebP, at most 32 KiB.",
                arguments: [.required("FILE", "the picture")]),
            Command(
                name: "get", summary: "Fetches the picture.", arguments: [.required("FILE", "where to")]),
            Command(name: "remove", summary: "Removes the picture."),
        ])

    private static let consent = Command(
        name: "consent",
        summary:
            "Shows or changes what others may see of you, and whether your position is recorded: nothing, at first.",
        options: [
            .value("location", "ON", "on or off: where you are", values: ["on", "off"]),
            .value("motion", "ON", "on or off: whether you move", values: ["on", "off"]),
            .value("steps", "ON", "on or off: the day's steps", values: ["on", "off"]),
            .value(
                "home-assistant", "ON",
                "on or off: your day in Home Assistant, where everybody who can sign in sees it and it is kept in the clear",
                values: ["on", "off"]),
            .value(
                "record-location", "ON", "on or off: whether where you are is recorded for you", values: ["on", "off"]),
        ],
        examples: [
            Example("vitals consent"), Example("vitals consent --steps on"),
            Example("vitals consent --record-location on"),
        ])

    private static let enrol = Command(
        name: "enrol", summary: "Enrols this machine's gateway, and makes it yours.",
        discussion: """
            It asks for a code and hands it to `vitals-gateway enrol`; a gateway that is running here uses it at once. For a \
            gateway on another machine, --show prints the code, so that you can type it there.

            With --household, you also see what the gateway publishes live from all its sensors, and may ask it for readings. On \
            your own broker, where everybody may do so, it makes no difference.
            """,
        options: [
            .flag("show", "prints the code only"),
            .flag("code", "uses a code that you got from an operator, and asks for it"),
            .value("name", "TEXT", "the gateway's name for its owner"),
            .flag("household", "you also see its live readings"), .flag("again", "even if it is already enrolled"),
            .value("gateway-settings", "FILE", "the gateway's settings file (default: its own default)"),
        ],
        examples: [Example("vitals enrol --name Attic"), Example("vitals enrol --show")])

    private static let gateways = Command(
        name: "gateways", summary: "Lists your gateways.",
        examples: [Example("vitals gateways"), Example("vitals gateways rename k3v7q2mz Attic")],
        subcommands: [
            Command(
                name: "rename", summary: "Gives a gateway another name; its id stays.",
                arguments: [
                    .required("GATEWAY", "its id", offers: Offers.ownGateways.rawValue),
                    .required("NAME", "the new name; '' for none"),
                ]),
            Command(
                name: "household", summary: "Says whether you see a gateway's live readings, and may ask it.",
                discussion: """
                    It is what `vitals enrol --household` says when a gateway is enrolled. Your devices are disconnected from the \
                    broker for a moment. On your own broker, where everybody sees all gateways, it makes no difference.
                    """,
                arguments: [
                    .required("GATEWAY", "its id", offers: Offers.ownGateways.rawValue),
                    .required("ON", "on or off", values: ["on", "off"]),
                ],
                examples: [Example("vitals gateways household k3v7q2mz on")]),
            Command(
                name: "remove", summary: "Removes a gateway: nothing that it sends is accepted any more.",
                options: [yes],
                arguments: [.required("GATEWAY", "its id", offers: Offers.ownGateways.rawValue)]),
        ], runsAlone: true)

    private static func sensor(_ offers: Offers) -> Positional {
        .required("SENSOR", "a gateway's id and a sensor's: attic/strap", offers: offers.rawValue)
    }

    private static let claim = Command(
        name: "claim", summary: "Makes a sensor yours: from now on its readings are recorded for you.",
        discussion: """
            The code is what `vitals-gateway claim-code` prints on the gateway's machine. A sensor that belonged to somebody \
            else is then yours; what was recorded for them stays with them.
            """,
        arguments: [sensor(.claimable), .required("CODE", "the claim code")],
        examples: [Example("vitals claim k3v7q2mz/strap NF6YG-W8X2X-EQSRN")])

    private static let release = Command(
        name: "release", summary: "Gives up a sensor: nothing from it is recorded any more.",
        arguments: [sensor(.claims)],
        examples: [Example("vitals release k3v7q2mz/strap")])

    private static let claims = Command(
        name: "claims", summary: "Lists the sensors that are yours, and what is recorded from them."
    )

    private static let export = Command(
        name: "export", summary: "Writes everything that is stored about you into files.",
        arguments: [.required("TARGET", "a folder that does not exist yet, or a file FILE.tar")],
        examples: [Example("vitals export my-data"), Example("vitals export my-data.tar")])

    private static let resetAll = Command(
        name: "reset-all", summary: "Deletes everything that is stored about you; the account stays.",
        discussion: """
            It says what there is, asks, shows its progress, and shows that nothing can be read any more. \
            Nobody can bring it back.

            \(Confirming.explanation)
            """,
        options: [yes] + Confirming.options)

    private static let deleteAccount = Command(
        name: "delete-account", summary: "Deletes the account, and everything that is stored about you.",
        discussion: Confirming.explanation, options: [yes] + Confirming.options)
}
