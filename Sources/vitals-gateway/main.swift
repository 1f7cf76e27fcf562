import Daemon

run(gatewayCommand) { arguments in
    let settings = try Settings.read(arguments.string("settings"), GatewaySettings.init)
    log.level = settings.logLevel
    if arguments.command == ["identity"] {
        print(try Identity(in: settings.state).publicKeyText)
        return .ok
    }
    return try Gateway.run(settings)
}
