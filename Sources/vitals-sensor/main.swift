import Daemon

run(sensorCommand) { arguments in try runSensor(arguments.completed()) }
