import Daemon

run(loadCommand) { arguments in try play(LoadSettings(arguments)) }
