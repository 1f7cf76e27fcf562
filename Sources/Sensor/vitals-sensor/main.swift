import Daemon

run(sensorCommand) { arguments in
    if arguments.command == ["check"] { return try checkRecording(arguments) }
    if arguments.command == ["phone"] { return try runPhone(arguments.completed()) }
    return try runSensor(arguments.completed())
}
