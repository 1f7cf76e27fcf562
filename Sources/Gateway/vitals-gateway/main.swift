import Daemon
import Files
import ProgramSettings

run(gatewayCommand) { arguments in
    do { return try main(arguments) } catch let error as VaultError { throw Failure(error) }
}

private func main(_ arguments: Arguments) throws -> ExitCode {
    let file = try arguments.string("settings")
    guard let command = arguments.command.first else {
        var running = Running(settingsFile: file)
        return try running.run()
    }
    let isAgain = try command == "enrol" && arguments.flag("again")
    let settings = try Settings.read(file, example: GatewaySettings.example) { (section) throws(SettingsError) in
        try GatewaySettings(section, isToBeEnrolled: isAgain)
    }
    guard command != "settings" else {
        print(String(decoding: settings.report.json.bytes, as: UTF8.self))
        return .ok
    }
    log.level = settings.logLevel
    // Root must not make anything there that the gateway's own user cannot open.
    try FileRights.check(settings.state, files: GatewaySettings.stateFiles)
    try FileRights.take(ofOwnerOf: settings.state)
    switch command {
    case "enrol":
        let limit = try arguments.duration("timeout", in: .milliseconds(100) ... .seconds(86_400))
        return try EnrolCommand(settings, within: limit).run()
    case "claim-code": return try ClaimCodeCommand(settings).run(arguments)
    default:
        print(try Identity(in: settings.state).publicKeyText)
        return .ok
    }
}
