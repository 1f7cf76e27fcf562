import Daemon
import Foundation
import TestSupport
import Testing

@testable import vitals_consumer

@Suite("The command line")
struct HelpTests {
    @Test("a file that is no settings file is answered with an example, which the consumer takes")
    func example() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(ConsumerSettings.example, to: "consumer.json5")
        #expect(try Settings.read(file, ConsumerSettings.init).broker.host == "127.0.0.1")
    }

    @Test(
        "explains itself, letter by letter",
        arguments: [
            ([], Golden.program), (["readings"], Golden.readings), (["check"], Golden.check),
            (["totals"], Golden.totals), (["recount"], Golden.recount),
            (["backup"], Golden.backup), (["restore"], Golden.restore), (["rotate"], Golden.rotate),
            (["rotate-root"], Golden.rotateRoot), (["forget"], Golden.forget),
            (["export"], Golden.export),
        ])
    func help(command: [String], text: String) throws {
        let program = try RunningProgram("vitals-consumer", command + ["--help"], output: .apart)
        #expect(program.exitStatus() == 0)
        #expect(program.text == text)
        #expect(program.errors == "")
    }

    @Test(
        "refuses a wrong command line, and says what would be right",
        arguments: [
            (["bakcup"], #"unknown command "bakcup"; did you mean backup?"#), (["backup"], "DIR"),
            (["restore"], "DIR: is missing; or name both --data and --keys"),
            (["restore", "--data", "x"], "DIR: is missing; or name both --data and --keys"),
            (["rotate"], "--user: is missing"), (["check", "x"], #"unexpected "x""#),
        ])
    func wrong(command: [String], text: String) throws {
        let program = try RunningProgram("vitals-consumer", command, output: .apart)
        #expect(program.exitStatus() == 64)
        #expect(program.errors.contains(text), "\(program.errors)")
    }
}

/// Help texts, letter by letter.
private enum Golden {
    static let program = """
        Usage: vitals-consumer [OPTIONS] [COMMAND]

        Receives sealed blocks of readings from gateways, and keeps them.

        Without a command it runs as a service, until SIGTERM or SIGINT. It waits for a broker that is not
        there. Under systemd it says when it is ready, and gives signs of life. At SIGHUP it reads the
        settings again, and applies people, gateways, reads and log.

        The settings file names the gateways that are enrolled, and whose stream each sensor is.

        Commands:
          identity        Prints the public key that gateways are enrolled with: Ed25519, base64.
          readings        Prints stored readings, opened, as one JSON object a line, in order of time.
          totals          Prints what a person's day comes to, as one JSON object.
          check           Opens all that is stored, counts it again and compares; prints one JSON object.
          recount         Computes days and heart rates again from the stored readings and compares; prints
                          one JSON object.
          backup          Copies both databases into a new folder, each into a folder of its own in it.
          restore         Makes a backup the state of this consumer; the service must not be running.
          rotate          Makes a new secret for a person; what is stored stays readable with the old one.
          rotate-root     Changes the root key: wraps every key again, under another one.
          forget          Forgets a person: deletes all that is stored of them, and the keys to it.
          export          Writes all that is stored of a person into a new folder, opened: JSON, CSV and
                          their picture.
          broker-rules    Writes the file of the broker's dynamic-security plugin.
          people          Lists the people who have an account, as one JSON object a line, the oldest first.
          reset-password  Prints a code with which a person sets a new password.
          unlock          Opens an account that too many wrong passwords have locked; the password stays.
          enrol-code      Prints a code that enrols one gateway, once, within an hour.
          gateways        Lists the gateways that are enrolled, as one JSON object a line, or removes one.

        Options:
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help
              --version        shows the version

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
          vitals-consumer --settings consumer.json5
              Runs the service.
          vitals-consumer readings --settings consumer.json5 --user demo --kind heart-rate
              Prints what is stored of a person's heart rate.

        More about a command: vitals-consumer COMMAND --help

        """

    static let readings = """
        Usage: vitals-consumer readings [OPTIONS]

        Prints stored readings, opened, as one JSON object a line, in order of time.

        A time is Unix milliseconds or UTC such as 2026-11-21T10:00:00Z. It works while the service runs.

        Options:
              --user ID        the person
              --kind KIND      heart-rate, steps or temperature
              --from TIME      not before this time
              --to TIME        only before this time
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer readings --user demo --kind steps --from 2026-11-21T00:00:00Z

        """

    static let totals = """
        Usage: vitals-consumer totals [OPTIONS]

        Prints what a person's day comes to, as one JSON object.

        A day is one of the person's calendar, in the time zone where they were. What is not known is left
        out. It works while the service runs.

        Options:
              --user ID         the person
              --day YYYY-MM-DD  the day
          -s, --settings FILE   the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help            shows this help

        Examples:
          vitals-consumer totals --user demo --day 2026-11-21

        """

    static let recount = """
        Usage: vitals-consumer recount [OPTIONS]

        Computes days and heart rates again from the stored readings and compares; prints one JSON object.

        It works while the service runs, changes nothing, and ends with an error where something differs. A
        person who has hours that the service is about to compute again is counted as waiting, and not
        compared.

        Options:
              --user ID        only this person
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer recount --user demo

        """

    static let check = """
        Usage: vitals-consumer check [OPTIONS]

        Opens all that is stored, counts it again and compares; prints one JSON object.

        It works while the service runs, and ends with an error where something does not agree. Whether what
        is kept of days and heart rates follows from what is stored, `vitals-consumer recount` finds out.

        Options:
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        """

    static let backup = """
        Usage: vitals-consumer backup [OPTIONS] DIR

        Copies both databases into a new folder, each into a folder of its own in it.

        It works while the service runs. Keep DIR/data and DIR/keys apart, and the root key apart from both.
        What is forgotten here is forgotten only when the last backup of the keys is gone, too.

        Arguments:
          DIR  a folder that is empty or does not exist yet

        Options:
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer backup /media/backup/2026-11-21

        """

    static let restore = """
        Usage: vitals-consumer restore [OPTIONS] [DIR]

        Makes a backup the state of this consumer; the service must not be running.

        There must be no databases in the state folder: nothing is overwritten. The backup is checked with
        the root key before anything is put in place. Gateways then send again what they keep, and the
        service takes what it has not. Who was forgotten after the backup, by the list of the forgotten, is
        forgotten again.

        Arguments:
          DIR  what backup has written

        Options:
              --data DIR        the folder of vitals.db, where it is not DIR/data
              --keys DIR        the folder of keys.db, where it is not DIR/keys
              --forgotten FILE  a list of the forgotten, beside those in the backup and in the state folder
          -s, --settings FILE   the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help            shows this help

        Examples:
          vitals-consumer restore /media/backup/2026-11-21
          vitals-consumer restore --data /media/backup/data --keys /media/stick/keys

        """

    static let rotate = """
        Usage: vitals-consumer rotate [OPTIONS]

        Makes a new secret for a person; what is stored stays readable with the old one.

        Then tell a running service with SIGHUP (systemctl reload): it opens new streams for their sensors.

        Options:
              --user ID        the person
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer rotate --user demo

        """

    static let rotateRoot = """
        Usage: vitals-consumer rotate-root [OPTIONS]

        Changes the root key: wraps every key again, under another one.

        It works while the service runs. The new key takes the old one's place at root_key_file; readings,
        persons' secrets and the identity stay the same. Where the root key is a credential of systemd's,
        --new-key names the new one: run this with the old credential, give the service the new one, and
        restart it.

        Backups of the keys from before still need the old root key, and it opens them: keep a copy of it,
        apart, for as long as you keep them, or make a new backup and destroy both.

        Options:
              --new-key FILE   a key to take, 32 bytes as base64, instead of a random one
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        """

    static let forget = """
        Usage: vitals-consumer forget [OPTIONS]

        Forgets a person: deletes all that is stored of them, and the keys to it.

        Nobody can bring it back. The account stays, with its devices and claims, unless --account takes it
        along. Where the service runs, the person is put on the list of the forgotten, and the service does
        the rest at SIGHUP (systemctl reload) or at its next start. A backup from before that is restored is
        made to forget them, too.

        Options:
              --user ID        the person
              --account        with their account
              --yes            does not ask
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer forget --user demo

        """

    static let export = """
        Usage: vitals-consumer export [OPTIONS] DIR

        Writes all that is stored of a person into a new folder, opened: JSON, CSV and their picture.

        It works while the service runs. What it writes is in the clear.

        Arguments:
          DIR  a folder that does not exist yet

        Options:
              --user ID        the person
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer export --user demo /media/stick/demo

        """
}
