/// The help texts of `vitals`, letter by letter.
enum Golden {
    static let exitCodes = """
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
        """

    static let program = """
        Usage: vitals [OPTIONS] COMMAND

        Shows what the sensors of a household measure and how your days went, and manages your account.

        It speaks MQTT to the broker that the gateway uses. A person who has signed in asks as that person;
        anybody else only needs the rights of the household, which are to read what gateways publish and to
        ask for readings.

        What the command line leaves out is taken from the environment, then from the settings file, and
        otherwise has a default. A settings file looks like { broker: { host: "127.0.0.1", port: 1883 },
        gateway: "home" }.

        Times are local.

        The household's sensors:
          watch           Shows heart rates, running and cycling as they come, and sensors as they come and
                          go.
          read            Asks a sensor for a reading.
          scan            Looks for sensors, and shows each as it is found.
          connect         Connects a device, which becomes a sensor, or a sensor again.
          disconnect      Disconnects a sensor, until it is connected again.
          forget          Forgets a sensor: its link, its bond, its address.
          rename          Gives a sensor another name; its id stays.
          sensors         Lists the sensors, where they are worn and what they can do.
          status          Shows the state of the gateways: Bluetooth, sensors, and what waits to be stored.

        Your days:
          today           Shows your day so far.
          day             Shows any of your days, as `today` shows this one.
          week            Draws a week, from Monday to Sunday, with a bar for each day.
          month           Draws a month day by day, and a calendar with the percentages of your goals.
          year            Draws a year, with a bar for each month.
          years           Draws all your years, with a bar for each.
          summary         Sums up any days, and how often your goals were reached on them.
          weekly          Sends you a summary of each week on Monday at eight, if you want that.
          days            Counts your past days with another profile.
          heart-rate      Draws your recorded heart rate over any period.
          goals           Shows the progress of your goals, today and this week, and changes them.
          quote           Shows the quote of your day, and keeps the ones that you like.

        Your workouts:
          workout         Starts and stops workouts, and shows how they went.
          speak           Says aloud how your workout goes, for as long as it runs.

        Your training:
          train           Offers workouts that fit you, and follows one set by set.

        Your meals:
          meals           Shows what you have eaten and used today, and keeps what you eat.

        Music:
          music           Shows what is played in the house, and changes it.

        Your reminders:
          reminders       Lists what you are reminded of, and changes it.
          calendar        Keeps your reminders in step with a calendar of your own.

        Your friends:
          friends         Lists your friends with their steps of today, and the people who ask to be
                          friends.
          cheer           Gives a friend a thumb up or down, and tells them.
          notifications   Lists what you have been told, the latest first.

        Groups and training partners:
          groups          Lists your groups, and the challenges in them.
          partners        Lists your training partners, questions and offers, and finds others.

        Posts:
          posts           Shows what you, your friends and your groups have posted, the latest first.

        Sharing:
          share           Posts a workout, a report, statistics, a goal or a post to services of yours.

        Guardians:
          place           Shows where you were last and how you move, or a dependent of yours.
          guardians       Lists the people who watch over you, what each may see, and when they have looked.
          dependents      Lists the people whom you watch over, and where they were last.
          areas           Lists the areas of which you are told when somebody leaves or enters them.
          alerts          Lists what you want to be told of, and what you were told.

        Your account:
          sign-up         Makes an account, and signs in.
          sign-in         Signs in on this device, until sign-out.
          sign-out        Signs out on this device.
          verify          Shows with a code that your e-mail address is yours.
          account         Shows who is signed in here, their picture, guardians, dependents and devices.
          whoami          The same as account.
          devices         Lists the devices on which you are signed in; a star marks this one.
          password        Changes the password, or resets one that was forgotten.
          profile         Shows or changes the profile.
          picture         Keeps, fetches or removes the profile's picture.
          consent         Shows or changes what others may see of you, and whether your position is
                          recorded: nothing, at first.
          push            Lists where your notifications are brought, adds addresses and removes them.

        Your own gateways and sensors:
          enrol           Enrols this machine's gateway, and makes it yours.
          gateways        Lists your gateways.
          claim           Makes a sensor yours: from now on its readings are recorded for you.
          release         Gives up a sensor: nothing from it is recorded any more.
          claims          Lists the sensors that are yours, and what is recorded from them.
          phone           Lists the phones that tell where you are, connects them and removes them.

        What is stored about you:
          export          Writes everything that is stored about you into files.
          reset-all       Deletes everything that is stored about you; the account stays.
          delete-account  Deletes the account, and everything that is stored about you.

        This machine:
          setup           Sets up a gateway, a consumer and a broker on this machine, and checks each step.
          doctor          Checks the installation on this machine, and says what to do about what is wrong.

        This program:
          completion      Prints a script with which the shell completes these commands.

        Options:
              --settings FILE       the settings file (default: ~/.config/vitals/vitals.json5, if it is
                                    there)
              --host HOST           the broker's name or address; otherwise 127.0.0.1 (in the environment:
                                    VITALS_HOST)
              --port PORT           the broker's port; otherwise 1883 (in the environment: VITALS_PORT)
              --protocol NAME       mqtt5 or mqtt3.1.1 (default: mqtt5)
              --username NAME       the name of the user at the broker
              --password-file FILE  a file whose first line is that user's password, or the account's
              --anonymous           connects to the broker without a name, even if you are signed in
              --tls                 speaks TLS to the broker, usually with --port 8883
              --ca-file FILE        the same, but trusts the certificates in FILE (default: the system's)
              --gateway ID          only this gateway (default: all; to ask something: the only one)
              --timeout SECONDS     how long to wait for the broker and for answers (default: 10; for
                                    connect: 60)
              --json                prints JSON for programs, one object on each line; also errors
          -h, --help                shows this help
              --version             shows the version
              --manual              prints the manual page: vitals --manual | man -l -

        \(exitCodes)

        Examples:
          vitals watch
              shows heart rates as they come
          vitals read steps
              asks the only sensor for its step count
          vitals scan
              shows which sensors are nearby
          vitals status --json
          vitals week
              draws your steps of this week, if you are signed in
          vitals sign-up ada@example.org
              makes an account; then: vitals enrol, vitals claim

        More about a command: vitals COMMAND --help

        """

    static let watch = """
        Usage: vitals watch [OPTIONS] [SENSOR]

        Shows heart rates, running and cycling as they come, and sensors as they come and go.

        At the start, it waits for the broker no longer than --timeout; later, it waits as long as it takes.
        Ctrl-C ends it.

        If you are signed in and a workout of yours is under way, it is shown below as a dashboard, instead
        of single measurements; not with SENSOR, --count or --json.

        Colours appear only on a terminal, and not if NO_COLOR is set. With --json, only measurements are
        printed, each with its gateway and its sensor.

        Arguments:
          SENSOR  only this sensor

        Options:
              --count N  ends after this many measurements
          -h, --help     shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals watch
          vitals watch strap --json --count 100 > heart-rates.jsonl

        """

    static let read = """
        Usage: vitals read [OPTIONS] COMMAND

        Asks a sensor for a reading.

        Without --mine, it asks a gateway, which takes the rights of the gateway's household. With --mine,
        it asks for a sensor that is yours, wherever that is; then SENSOR is written as attic/strap.

        Commands:
          steps        Asks a sensor for its step count.
          temperature  Asks a sensor for a body temperature.

        Options:
              --mine  asks for a sensor of your own
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        More about a command: vitals read COMMAND --help

        """

    static let steps = """
        Usage: vitals read steps [OPTIONS] [SENSOR]

        Asks a sensor for its step count.

        Arguments:
          SENSOR  the sensor's id; may be left out if there is only one

        Options:
              --mine  asks for a sensor of your own
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals read steps
          vitals read steps strap --json
          vitals read steps --mine

        """

    static let temperature = """
        Usage: vitals read temperature [OPTIONS] [SENSOR]

        Asks a sensor for a body temperature.

        Arguments:
          SENSOR  the sensor's id; may be left out if there is only one

        Options:
              --mine  asks for a sensor of your own
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals read temperature
          vitals read temperature strap --json

        """

    static let scan = """
        Usage: vitals scan [OPTIONS]

        Looks for sensors, and shows each as it is found.

        The gateway scans for what Vitals can use, unless --service or --all says otherwise: heart rate,
        thermometer, running, cycling, power, location, physical activity. A device is shown with its name,
        its address, its signal strength, its battery and its services, and with the sensor's id if it is a
        sensor; a star marks devices that are connected.

        A sensor advertises only while nothing is connected to it: close the app that holds it, and wear the
        sensor. If nothing is found, the command says what was heard and what to try, and ends with 69.

        Options:
              --seconds N     how long, 1 to 254 (default: 10)
              --service NAME  only with this service: a name such as heart-rate, or a UUID (may be repeated)
              --all           every device, whatever it offers
          -h, --help          shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals scan
          vitals scan --seconds 30 --service heart-rate
          vitals scan --all --json

        """

    static let connect = """
        Usage: vitals connect [OPTIONS] DEVICE

        Connects a device, which becomes a sensor, or a sensor again.

        From then on, the gateway keeps it connected, even after restarts. A device needs to be nearby and
        awake: `vitals scan` shows it. A sensor that was disconnected is connected again by its id.

        Arguments:
          DEVICE  a device's address or name, or a sensor's id

        Options:
              --sensor ID  its id in topics (default: made from its name)
              --name NAME  its name for people (default: its own)
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals connect C0:FF:EE:00:00:01 --sensor strap
          vitals connect 'Polar H10'
          vitals connect strap

        """

    static let disconnect = """
        Usage: vitals disconnect [OPTIONS] [SENSOR]

        Disconnects a sensor, until it is connected again.

        It stays disconnected until `vitals connect`, even after restarts of the gateway: others can use it
        in the meantime.

        On a terminal, it asks first. Without one, as in a script, it does not.

        Arguments:
          SENSOR  the sensor's id; may be left out if there is only one

        Options:
          -y, --yes   does not ask first
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals disconnect strap
          vitals disconnect --yes

        """

    static let forget = """
        Usage: vitals forget [OPTIONS] [SENSOR]

        Forgets a sensor: its link, its bond, its address.

        A sensor that was added with `vitals connect` is then gone. A sensor of the gateway's settings is
        looked for again, and paired again if it needs that. This helps if a sensor has lost its bond, or
        was replaced by another one.

        On a terminal, it asks first. Without one, as in a script, it does not.

        Arguments:
          SENSOR  the sensor's id; may be left out if there is only one

        Options:
          -y, --yes   does not ask first
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals forget strap

        """

    static let rename = """
        Usage: vitals rename [OPTIONS] SENSOR NAME

        Gives a sensor another name; its id stays.

        Arguments:
          SENSOR  the sensor's id
          NAME    the new name; '' for the sensor's own name

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals rename strap 'Chest strap'

        """

    static let sensors = """
        Usage: vitals sensors [OPTIONS]

        Lists the sensors, where they are worn and what they can do.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals sensors
          vitals sensors --gateway home --json

        """

    static let status = """
        Usage: vitals status [OPTIONS]

        Shows the state of the gateways: Bluetooth, sensors, and what waits to be stored.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals status

        """
}
