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
            (["restore"], "DIR is missing: name it, or both --data and --keys"),
            (["restore", "--data", "x"], "DIR is missing: name it, or both --data and --keys"),
            (["rotate"], "--user is missing"), (["check", "x"], #"unexpected "x""#),
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

        Without a command, it runs as a service until SIGTERM or SIGINT. If the broker is not there, it
        waits for it. Under systemd, it says when it is ready, and gives signs of life. At SIGHUP it reads
        the settings again, and applies people, gateways, reads, limits and log.

        The settings file names the gateways that are enrolled, and the person to whom each sensor belongs.

        Commands:
          identity        Prints the public key that gateways are enrolled with: Ed25519, base64.
          readings        Prints stored readings, opened, one JSON object on each line, in order of time.
          totals          Prints a person's totals for a day, as one JSON object.
          check           Opens everything that is stored, counts it again and compares; prints one JSON
                          object.
          recount         Computes days and heart rates again from the stored readings and compares; prints
                          one JSON object.
          backup          Copies both databases into a new folder, each into its own subfolder.
          restore         Restores a backup as the state of this consumer; the service must not be running.
          keep-backups    Makes a backup with a date, restores and checks it for practice, and removes old
                          ones; for a timer.
          move            Packs the store for another machine, and ends it here; the service must not be
                          running.
          rotate          Makes a new secret for a person; what is stored stays readable with the old one.
          rotate-root     Changes the root key: wraps every key again under a new one.
          forget          Forgets a person: deletes everything that is stored about them, and the keys to
                          it.
          export          Writes everything that is stored about a person into a new folder, in the clear:
                          JSON, CSV, a picture.
          broker-rules    Writes the file of the broker's dynamic-security plugin.
          people          Lists the people who have an account, one JSON object on each line, the oldest
                          first.
          reset-password  Prints a code with which a person sets a new password.
          unlock          Unlocks an account that too many wrong passwords have locked; the password stays.
          enrol-code      Prints a code that enrols one gateway, once, within an hour.
          gateways        Lists the enrolled gateways, one JSON object on each line, or removes one.
          settings        Prints what the settings come to, as one JSON object without secrets; changes
                          nothing.
          posts           Lists posts and comments that people have reported, one JSON object on each line,
                          or decides about one.

        Options:
          -s, --settings FILE     the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help              shows this help
              --version           shows the version
              --manual            prints the manual page: vitals-consumer --manual | man -l -
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
          vitals-consumer --settings consumer.json5
              Runs the service.
          vitals-consumer readings --settings consumer.json5 --user demo --kind heart-rate
              Prints what is stored of a person's heart rate.

        More about a command: vitals-consumer COMMAND --help

        """

    static let readings = """
        Usage: vitals-consumer readings [OPTIONS]

        Prints stored readings, opened, one JSON object on each line, in order of time.

        A time is Unix milliseconds or UTC such as 2026-11-21T10:00:00Z. It works while the service is
        running.

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

        Prints a person's totals for a day, as one JSON object.

        A day is a day of the person's calendar, in the time zone where they were. What is not known is left
        out. It works while the service is running.

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

        It works while the service is running, changes nothing, and ends with an error if something differs.
        A person who has hours that the service is about to compute again is counted as waiting, and not
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

        Opens everything that is stored, counts it again and compares; prints one JSON object.

        It works while the service is running, and ends with an error if something does not agree.
        `vitals-consumer recount` finds out whether what is kept of days and heart rates follows from what
        is stored.

        Options:
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        """

    static let backup = """
        Usage: vitals-consumer backup [OPTIONS] DIR

        Copies both databases into a new folder, each into its own subfolder.

        It works while the service is running. Keep DIR/data and DIR/keys apart, and the root key apart from
        both. What is forgotten here is completely forgotten only when the last backup of the keys is gone,
        too.

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

        Restores a backup as the state of this consumer; the service must not be running.

        There must be no databases in the state folder: nothing is overwritten. The backup is checked with
        the root key before anything is put in place. Gateways then send again what they keep, and the
        service takes what it does not have. People who were forgotten after the backup, according to the
        list of the forgotten, are forgotten again.

        Arguments:
          DIR  what backup has written

        Options:
              --data DIR        the folder of vitals.db, if it is not DIR/data
              --keys DIR        the folder of keys.db, if it is not DIR/keys
              --forgotten FILE  a list of the forgotten, besides those in the backup and the state folder
              --above NUMBER    makes newer grants than this number, which a log has named
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

        Changes the root key: wraps every key again under a new one.

        It works while the service is running. The new key replaces the old one at root_key_file; readings,
        people's secrets and the identity stay the same. If the root key is a systemd credential, --new-key
        names the new one: run this with the old credential, give the service the new one, and restart it.

        Earlier backups of the keys still need the old root key, which opens them: keep a copy of it in a
        separate place for as long as you keep these backups, or make a new backup and destroy both.

        Options:
              --new-key FILE   a file with the key to use, 32 bytes in base64, instead of a random one
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        """

    static let forget = """
        Usage: vitals-consumer forget [OPTIONS]

        Forgets a person: deletes everything that is stored about them, and the keys to it.

        Nobody can bring it back. The account stays, with its devices and claims, unless you add --account.
        If the service is running, the person is put on the list of the forgotten, and the service does the
        rest at SIGHUP (systemctl reload) or at its next start. If an earlier backup is restored, the person
        is forgotten there, too.

        Options:
              --user ID        the person
              --account        also deletes their account
              --yes            does not ask
          -s, --settings FILE  the settings, JSON5 (default: /etc/vitals/consumer.json5)
          -h, --help           shows this help

        Examples:
          vitals-consumer forget --user demo

        """

    static let export = """
        Usage: vitals-consumer export [OPTIONS] DIR

        Writes everything that is stored about a person into a new folder, in the clear: JSON, CSV, a
        picture.

        It works while the service is running. What it writes is in the clear.

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
