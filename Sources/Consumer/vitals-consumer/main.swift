import Daemon

run(ConsumerCommand.declaration) { arguments in try ConsumerCommand.execute(arguments) }
