/// Help texts, letter by letter.
enum Golden {
    static let program = """
        Usage: vitals [OPTIONS] COMMAND

        Shows what the sensors of a household say.

        It asks the gateway over MQTT, so the broker must be reachable; it needs no settings of its own, and
        no rights beyond those of the household.

        Times are UTC.

        Commands:
          watch  Shows readings as they come.
          read   Asks a sensor for a reading.

        Options:
          -b, --broker HOST       the broker's name or address (default: localhost)
              --port PORT         the broker's port (default: 1883)
              --json              prints one JSON object a line, for programs
          -h, --help              shows this help
              --version           shows the version
              --manual            prints the manual page: vitals --manual | man -l -
              --completion SHELL  prints a script with which bash, zsh or fish completes these commands

        Exit codes:
          0   success
          1   you said no, and nothing was changed
          64  wrong command line
          65  wrong or damaged data
          66  a file to be read is not there
          67  no such person, friend, device, gateway, sensor or value
          69  a broker, bus, sensor or service is not there
          70  a defect of a program
          74  something cannot be written
          75  no answer in time, or too much at once; try again
          76  the other side answers what this version does not understand
          77  not signed in, or not allowed
          78  wrong or missing settings

        Examples:
          vitals watch
              shows heart rates as they come
          vitals read steps strap

        More about a command: vitals COMMAND --help

        """

    static let watch = """
        Usage: vitals watch [OPTIONS] [SENSOR...]

        Shows readings as they come.

        Arguments:
          SENSOR  only these

        Options:
          -b, --broker HOST  the broker's name or address (default: localhost)
              --port PORT    the broker's port (default: 1883)
              --json         prints one JSON object a line, for programs
          -h, --help         shows this help

        """

    static let read = """
        Usage: vitals read [OPTIONS] COMMAND

        Asks a sensor for a reading.

        Commands:
          steps  Asks a sensor for its step count.

        Options:
          -b, --broker HOST  the broker's name or address (default: localhost)
              --port PORT    the broker's port (default: 1883)
              --json         prints one JSON object a line, for programs
          -h, --help         shows this help

        More about a command: vitals read COMMAND --help

        """

    static let steps = """
        Usage: vitals read steps [OPTIONS] SENSOR [NOTE]

        Asks a sensor for its step count.

        Arguments:
          SENSOR  the sensor's id
          NOTE    a note

        Options:
          -w, --within TIME   how long to wait for the answer, such as 5s or 2min, before giving up with
                              exit code 75 (default: 10s)
              --tag TAG       a tag (may be repeated)
              --scale-of-the-instrument A-LONG-NAME
                              an option with a long name
              --scale NUMBER  a factor
              --kind KIND     what
          -b, --broker HOST   the broker's name or address (default: localhost)
              --port PORT     the broker's port (default: 1883)
              --json          prints one JSON object a line, for programs
          -h, --help          shows this help

        """
}
