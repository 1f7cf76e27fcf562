import Daemon

run(gatewayCommand) { arguments in
    let file = try arguments.string("settings")
    guard let command = arguments.command.first else {
        var running = Running(settingsFile: file)
        return try running.run()
    }
    let isAgain = try command == "enrol" && arguments.flag("again")
    let settings = try Settings.read(file) { (section) throws(SettingsError) in
        try GatewaySettings(section, isToBeEnrolled: isAgain)
    }
    log.level = settings.logLevel
    switch command {
    case "enrol": return try EnrolCommand(settings).run()
    case "claim-code": return try ClaimCodeCommand(settings).run(arguments)
    default:
        print(try Identity(in: settings.state).publicKeyText)
        return .ok
    }
}
