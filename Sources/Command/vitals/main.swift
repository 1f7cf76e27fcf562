import Daemon
import Files
import ProgramSettings

run(Commands.vitals) { arguments in
    try Hints.use(arguments)
    do { return try execute(arguments) } catch {
        throw (error as? VaultError).map { Failure($0) } ?? (error as? Failure).map { Hints.completed($0) } ?? error
    }
}

private func execute(_ arguments: Arguments) throws -> ExitCode {
    Output.ignoreBrokenPipes()
    let offers = arguments.command == ["completion"] ? try Offers(rawValue: arguments.string("WHAT")) : nil
    if arguments.command == ["completion"], offers == nil {
        let shell = try arguments.choice("WHAT", of: CompletionShell.self)
        try Output.write(Commands.vitals.completion(for: shell))
        return .ok
    }
    let call = try Call(arguments)
    try Hints.use(arguments, call)
    if let offers { return try offers.list(call) }
    if let code = try PeopleCommands.execute(call, arguments) { return code }
    if let code = try DaysCommands.execute(call, arguments) ?? WorkoutCommands.execute(call, arguments) {
        if code == .ok { LookingAt.note(call) }
        return code
    }
    if let code = try TrainCommands.execute(call, arguments) { return code }
    if let code = try ReminderCommands.execute(call, arguments) { return code }
    if let code = try Quotes(call, arguments).execute() { return code }
    if let code = try MealCommands.execute(call, arguments) { return code }
    if let code = try FriendsCommands.execute(call, arguments) { return code }
    if let code = try GroupCommands.execute(call, arguments) { return code }
    if let code = try PostsCommands.execute(call, arguments) { return code }
    if let code = try GuardianCommands.execute(call, arguments) { return code }
    if let code = try MusicCommands.execute(call, arguments) { return code }
    if let code = try ShareCommands.execute(call, arguments) { return code }
    switch arguments.command {
    case ["watch"]:
        var watch = try Watch(call.about(NamedSensor.given(arguments), arguments), arguments)
        return try watch.run()
    case ["read", "steps"]: return try Read(.steps, call, arguments).run()
    case ["read", "temperature"]: return try Read(.temperature, call, arguments).run()
    case ["scan"]: return try Scan(call.about(nil, arguments), arguments).run()
    case ["connect"]: return try Connect(call.about(NamedSensor.known(arguments), arguments), arguments).run()
    case ["disconnect"]:
        return try Separate(.disconnect, call.about(NamedSensor.given(arguments), arguments), arguments).run()
    case ["forget"]: return try Separate(.forget, call.about(NamedSensor.given(arguments), arguments), arguments).run()
    case ["rename"]: return try Rename(call.about(NamedSensor.given(arguments), arguments), arguments).run()
    case ["setup"]: return try Setup(call, arguments).run()
    case ["doctor"]: return try Doctor(call, arguments).run()
    case ["sensors"]: return try Sensors(call.about(nil, arguments)).run()
    default: return try Status(call.about(nil, arguments)).run()
    }
}
