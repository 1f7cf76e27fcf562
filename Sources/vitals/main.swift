import Daemon

run(Commands.vitals) { arguments in
    Output.ignoreBrokenPipes()
    if arguments.command == ["completion"] {
        _ = try arguments.choice("SHELL", of: Commands.Shell.self)
        try Output.write(Commands.vitals.bashCompletion)
        return .ok
    }
    let call = try Call(arguments)
    if let code = try PeopleCommands.execute(call, arguments) { return code }
    if let code = try DaysCommands.execute(call, arguments) { return code }
    if let code = try FriendsCommands.execute(call, arguments) { return code }
    switch arguments.command {
    case ["watch"]:
        var watch = try Watch(call, arguments)
        return try watch.run()
    case ["read", "steps"]: return try Read(.steps, call, arguments).run()
    case ["read", "temperature"]: return try Read(.temperature, call, arguments).run()
    case ["scan"]: return try Scan(call, arguments).run()
    case ["connect"]: return try Connect(call, arguments).run()
    case ["disconnect"]: return try Separate(.disconnect, call, arguments).run()
    case ["forget"]: return try Separate(.forget, call, arguments).run()
    case ["rename"]: return try Rename(call, arguments).run()
    case ["sensors"]: return try Sensors(call).run()
    default: return try Status(call).run()
    }
}
