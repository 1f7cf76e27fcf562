import Daemon
import Features
import Records
import Storage

/// `vitals-consumer`: the service, and the commands that operators run while it runs.
enum ConsumerCommand {
    /// The commands that operators run, in the order of the help. Those of the features follow.
    private static var subcommands: [any Subcommand.Type] {
        [
            IdentityCommand.self,
            ReadingsCommand.self,
            TotalsCommand.self,
            CheckCommand.self,
            RecountCommand.self,
            BackupCommand.self,
            RestoreCommand.self,
            KeepBackupsCommand.self,
            MoveCommand.self,
            RotateCommand.self,
            RotateRootCommand.self,
            ForgetCommand.self,
            ExportCommand.self,
            BrokerRulesCommand.self,
            PeopleCommand.self,
            ResetPasswordCommand.self,
            UnlockCommand.self,
            EnrolCodeCommand.self,
            GatewaysCommand.self,
            SettingsCommand.self,
        ]
    }

    /// The command line.
    static let declaration = Command(
        name: "vitals-consumer",
        summary: "Receives sealed blocks of readings from gateways, and keeps them.",
        discussion: """
            Without a command, it runs as a service until SIGTERM or SIGINT. If the broker is not there, it waits for it. \
            Under systemd, it says when it is ready, and gives signs of life. At SIGHUP it reads the settings again, and \
            applies people, gateways, reads, limits and log.

            The settings file names the gateways that are enrolled, and the person to whom each sensor belongs.
            """,
        options: [
            .value(
                "settings", short: "s", "FILE", "the settings, JSON5", default: "/etc/vitals/consumer.json5")
        ],
        examples: [
            Example("vitals-consumer --settings consumer.json5", "Runs the service."),
            Example(
                "vitals-consumer readings --settings consumer.json5 --user demo --kind heart-rate",
                "Prints what is stored of a person's heart rate."),
        ],
        subcommands: subcommands.map { $0.declaration } + Feature.all.flatMap(\.commands).map(\.declaration),
        runsAlone: true)

    /// Does what the command line asks for.
    static func execute(_ arguments: Arguments) throws -> ExitCode {
        if let run = try operation(arguments) {
            let settings = try settings(arguments)
            // In the state folder root makes nothing that the service cannot open. Files that the operator has named on
            // the command line, and files elsewhere, are opened by the commands as root or as the files' owner.
            try FileRights.check(settings.state, files: StateFolder.files)
            try FileRights.take(ofOwnerOf: settings.state)
            return try run(settings)
        }
        // Before the first thread starts, so that all of them have the mask.
        Signals.block()
        return try serve(arguments)
    }

    /// What an operator's command does; nil for the service.
    private static func operation(_ arguments: Arguments) throws -> ((ConsumerSettings) throws -> ExitCode)? {
        let name = arguments.command.first
        if let command = subcommands.first(where: { $0.declaration.name == name }) {
            let command = try command.init(arguments)
            return { settings in try command.run(settings, output: 1) }
        }
        guard let command = Feature.all.lazy.flatMap(\.commands).first(where: { $0.declaration.name == name }) else { return nil }
        let run = try command.reading(arguments)
        return { settings in
            try run(OperatorParts(settings, output: 1))
            return .ok
        }
    }

    private static func settings(_ arguments: Arguments) throws -> ConsumerSettings {
        let settings = try read(arguments)
        log.level = settings.logLevel
        return settings
    }

    private static func read(_ arguments: Arguments) throws -> ConsumerSettings {
        try Settings.read(
            arguments.string("settings"), example: ConsumerSettings.example, ConsumerSettings.init)
    }

    private static func serve(_ arguments: Arguments) throws -> ExitCode {
        let readiness = Readiness()
        let settings = try settings(arguments)
        try FileRights.check(settings.state, files: StateFolder.files, isService: true)
        let consumer = try Consumer(settings, readiness: readiness) { Signals.fail($0) }
        consumer.start()
        defer { consumer.stop() }
        while try Signals.wait() == .hangUp {
            do { consumer.reload(try read(arguments)) } catch {
                log.error("the settings were not read again: \(inOneLine(error))", event: .settingsRefused)
            }
        }
        readiness.stopping()
        log.notice("stopping")
        return .ok
    }
}
