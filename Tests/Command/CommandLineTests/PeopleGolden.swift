/// The help texts of the commands of `vitals` about a person, letter by letter.
extension Golden {
    static let signUp = """
        Usage: vitals sign-up [OPTIONS] NAME

        Makes an account, and signs in.

        The account's name is an e-mail address or a phone number with its country code. A password has
        upper-case and lower-case letters, a digit and a special character such as "!".

        The password is typed at the terminal, where it is not shown, or is the first line of
        --password-file, or comes on standard input; never on the command line, which everybody on the
        machine can see.

        What signing in leaves on this machine is in ~/.config/vitals/accounts, for this broker; the other
        commands use it.

        Arguments:
          NAME  an e-mail address or a phone number

        Options:
              --device NAME  what this device is called in the list of devices (default: this machine's
                             name)
          -h, --help         shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals sign-up ada@example.org
          vitals sign-up +4915123456789 --device 'The kitchen Pi'

        """

    static let signIn = """
        Usage: vitals sign-in [OPTIONS] [NAME]

        Signs in on this device, until sign-out.

        The password is typed at the terminal, where it is not shown, or is the first line of
        --password-file, or comes on standard input; never on the command line, which everybody on the
        machine can see.

        With a provider, such as google or facebook, it takes an ID token in a file; without one, it prints
        the nonce that the token has to have.

        Arguments:
          NAME  the account's e-mail address or phone number

        Options:
              --device NAME      what this device is called in the list of devices (default: this machine's
                                 name)
              --provider NAME    the provider that says who you are, instead of a password
              --token-file FILE  a file whose first line is the provider's ID token
          -h, --help             shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals sign-in ada@example.org
          vitals sign-in --provider google --token-file token.jwt

        """

    static let devices = """
        Usage: vitals devices [OPTIONS] [COMMAND]

        Lists the devices on which you are signed in; a star marks this one.

        Commands:
          revoke  Signs a device out.
          name    Gives a device another name.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals devices
          vitals devices revoke q4kz7m2xw6ab3c5d

        More about a command: vitals devices COMMAND --help

        """

    static let passwordReset = """
        Usage: vitals password reset [OPTIONS] NAME

        Has a code sent, and sets another password with it. All devices are signed out.

        At a terminal, it asks for the code and the new password. Elsewhere, it only has the code sent, and
        with --code, it reads it from standard input, and the new password from the next line or a file.

        The first time, it shows what belongs to the account: friends, gateways, sensors, readings. If
        somebody else signed up with your address, that is theirs. It asks whether to keep it; nothing is
        changed before you say so.

        Arguments:
          NAME  the account's e-mail address or phone number

        Options:
              --code                    you already have a code
              --new-password-file FILE  a file whose first line is the new password
              --keep                    keeps what belongs to the account, and does not ask
              --discard                 deletes all of it for good, and does not ask
          -h, --help                    shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals password reset ada@example.org

        """

    static let profileSet = """
        Usage: vitals profile set [OPTIONS]

        Changes what the command line names.

        The first time, name, date of birth, gender, weight and height are needed. Zones of heart rate count
        from today on: earlier days and workouts keep theirs, unless you have them counted again (vitals
        days recount). A heart rate that you enter as none is taken back.

        Options:
              --name TEXT                 the name
              --date-of-birth DATE        such as 1985-12-10
              --gender TEXT               female, male, other or undisclosed
              --weight-kg N               the weight in kilograms
              --height-cm N               the height in centimetres
              --weight WEIGHT             the same with its unit, such as 61.5kg or 135lb
              --height HEIGHT             the same with its unit, such as 168cm or 5ft6in
              --voice ON                  on or off
              --continuous-heart-rate ON  on or off: whether heart rates are recorded all day
              --time-zone ZONE            such as Europe/Berlin
              --locale TAG                such as de-DE
              --units NAME                metric or imperial
              --zones-by NAME             what zones are computed from: age, maximum, reserve, threshold or
                                          limits
              --max-heart-rate N          your highest heart rate, or none (zones by age become zones by it)
              --resting-heart-rate N      your heart rate at rest, or none
              --threshold-heart-rate N    your heart rate at the lactate threshold, or none
              --zone-limits LIST          where zones 1 to 5 begin, such as 95,120,140,155,170, or none
          -h, --help                      shows this help

        Every command also takes the options of vitals: vitals --help

        """

    static let enrol = """
        Usage: vitals enrol [OPTIONS]

        Enrols this machine's gateway, and makes it yours.

        It asks for a code and hands it to `vitals-gateway enrol`; a gateway that is running here uses it at
        once. For a gateway on another machine, --show prints the code, so that you can type it there.

        With --household, you also see what the gateway publishes live from all its sensors, and may ask it
        for readings. On your own broker, where everybody may do so, it makes no difference.

        Options:
              --show                   prints the code only
              --code                   uses a code that you got from an operator, and asks for it
              --name TEXT              the gateway's name for its owner
              --household              you also see its live readings
              --again                  even if it is already enrolled
              --gateway-settings FILE  the gateway's settings file (default: its own default)
          -h, --help                   shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals enrol --name Attic
          vitals enrol --show

        """

    static let claim = """
        Usage: vitals claim [OPTIONS] SENSOR CODE

        Makes a sensor yours: from now on its readings are recorded for you.

        The code is what `vitals-gateway claim-code` prints on the gateway's machine. A sensor that belonged
        to somebody else is then yours; what was recorded for them stays with them.

        Arguments:
          SENSOR  a gateway's id and a sensor's: attic/strap
          CODE    the claim code

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals claim k3v7q2mz/strap NF6YG-W8X2X-EQSRN

        """

    static let export = """
        Usage: vitals export [OPTIONS] TARGET

        Writes everything that is stored about you into files.

        Arguments:
          TARGET  a folder that does not exist yet, or a file FILE.tar

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals export my-data
          vitals export my-data.tar

        """

    static let resetAll = """
        Usage: vitals reset-all [OPTIONS]

        Deletes everything that is stored about you; the account stays.

        It says what there is, asks, shows its progress, and shows that nothing can be read any more. Nobody
        can bring it back.

        It takes the account's password: typed at the terminal, where it is not shown, or the first line of
        --password-file, or from standard input. If you sign in with a provider, it takes a new ID token
        from the provider in a file; with --provider alone, it prints the nonce that the token has to have.

        Options:
          -y, --yes              does not ask first
              --provider NAME    the provider that you sign in with, if the account has no password
              --token-file FILE  a file whose first line is a new ID token of that provider
          -h, --help             shows this help

        Every command also takes the options of vitals: vitals --help

        """
}
