import Daemon

run(gatewayCommand) { arguments in
    let file = try arguments.string("settings")
    guard let command = arguments.command.first else {
        var running = Running(settingsFile: file)
        return try running.run()
    }
    let settings = try Settings.read(file, GatewaySettings.init)
    log.level = settings.logLevel
    switch command {
    case "enrol": return try EnrolCommand(settings, isAgain: arguments.flag("again")).run()
    case "claim-code": return try ClaimCodeCommand(settings).run(arguments)
    default:
        print(try Identity(in: settings.state).publicKeyText)
        return .ok
    }
}
