import Daemon

run(sensorCommand) { arguments in
    if arguments.command == ["check"] { return try checkRecording(arguments) }
    return try runSensor(arguments.completed())
}
