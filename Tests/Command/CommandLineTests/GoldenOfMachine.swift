extension Golden {
    static let setup = """
        Usage: vitals setup [OPTIONS]

        Sets up a gateway, a consumer and a broker on this machine, and checks each step.

        It makes a home for one person: it asks whose readings are kept and how the sensor is called, writes
        the settings of the gateway and the consumer, makes passwords, sets up Debian's Mosquitto for this
        machine alone, and starts the services. After each step it checks what `vitals doctor` checks, and
        stops at a problem: it says what is wrong and what to do. Run it again after that. A second run
        changes nothing that is there, and files that you have changed stay as they are.

        Run it as root: sudo vitals setup. It takes the packages vitals, vitals-gateway, vitals-consumer and
        mosquitto. Where systemd does not run, it says what to start.

        It ends with 69 if there is a problem. With --json, each file and each finding is one object on one
        line.

        Options:
          -y, --yes                  asks nothing, and takes the defaults for what the command line leaves
                                     out
              --person ID            whose readings are kept (default: the user who has called sudo, or me)
              --sensor NAME          the name that the sensor advertises (default: none; vitals scan finds
                                     it, and vitals connect adds it)
              --bus ADDRESS          the message bus with BlueZ (default: system)
              --settings-folder DIR  where settings and passwords go (default: /etc/vitals)
              --state-folder DIR     where the services keep their data (default: /var/lib/vitals)
              --broker-folder DIR    where Mosquitto's settings are (default: /etc/mosquitto)
          -h, --help                 shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          sudo vitals setup
          sudo vitals setup --yes --person ada --sensor 'Polar H10 12345678'
              without a terminal

        """

    static let doctor = """
        Usage: vitals doctor [OPTIONS]

        Checks the installation on this machine, and says what to do about what is wrong.

        It looks at the settings of the gateway and the consumer that are on this machine, at their folders,
        passwords, keys and certificates, at the message bus and its adapters, the broker, the clock and the
        disk, and at what the running programs tell the broker about themselves. It changes nothing. If
        neither has settings here, it looks only at the broker.

        Run it as root, because the files belong to the services: sudo vitals doctor.

        Findings are ok, warning, unknown (it could not be looked at) or problem. It ends with 69 if there
        is a problem, with 75 if there is none, but something is unknown, and otherwise with 0. With --json,
        each finding is one object on one line. --timeout is how long it waits for each answer.

        Options:
              --gateway-settings FILE   the gateway's settings (default: /etc/vitals/gateway.json5, if it is
                                        there)
              --consumer-settings FILE  the consumer's settings (default: /etc/vitals/consumer.json5, if it
                                        is there)
              --backups DIR             the folder in which backups of the consumer are, each in a folder of
                                        its own (default: what backup.json in the state folder says of the
                                        latest)
          -q, --quiet                   prints only what is not well
          -h, --help                    shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          sudo vitals doctor
          sudo vitals doctor --quiet --backups /media/backup
              for a timer: prints nothing if all is well
          vitals doctor --gateway-settings .vitals/gateway.json5 --json

        """
}
