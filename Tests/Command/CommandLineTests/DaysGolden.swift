/// The help texts of what `vitals` shows of days and friends, letter by letter.
extension Golden {
    static let today = """
        Usage: vitals today [OPTIONS]

        Shows your day so far.

        Days are those of the time zone in your profile. What cannot be known is left out.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals today

        """

    static let day = """
        Usage: vitals day [OPTIONS] DATE

        Shows any of your days, as `today` shows this one.

        Arguments:
          DATE  such as 2026-11-21, or yesterday

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals day yesterday
          vitals day 2026-11-21

        """

    static let week = """
        Usage: vitals week [OPTIONS] [DAY]

        Draws a week, from Monday to Sunday, with a bar for each day.

        A line marks the goal, and a star the days on which it was reached. Of temperatures and heart rates,
        the lowest, mean and highest values are drawn.

        Arguments:
          DAY  a day of that week, such as 2026-11-21, or last for last week

        Options:
              --of NAME  what is drawn: steps, distance, energy, temperature or heart-rate (default: steps)
          -h, --help     shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals week
          vitals week last --of distance

        """

    static let month = """
        Usage: vitals month [OPTIONS] [MONTH]

        Draws a month day by day, and a calendar with the percentages of your goals.

        Arguments:
          MONTH  such as 2026-11, or last

        Options:
              --of NAME  what is drawn: steps, distance, energy, temperature or heart-rate (default: steps)
          -h, --help     shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals month
          vitals month 2026-10 --of energy

        """

    static let year = """
        Usage: vitals year [OPTIONS] [YEAR]

        Draws a year, with a bar for each month.

        After each bar come the mean, the total, and the number of days on which the goal was reached.

        Arguments:
          YEAR  such as 2026, or last

        Options:
              --of NAME  what is drawn: steps, distance, energy, temperature or heart-rate (default: steps)
              --average  draws average days instead of totals
          -h, --help     shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals year
          vitals year last --of heart-rate
          vitals year --average

        """

    static let goalsReached = """
        Usage: vitals goals reached [OPTIONS]

        Draws how often you have reached each goal, by day or by month.

        By month, without --from and --to, it draws this year, with a bar for each month; by day, this
        month, with a mark for each day on which there was a goal: a star if it was reached.

        Options:
              --by PERIOD  day or month (default: month)
              --from DAY   the first day, such as 2026-01-01
              --to DAY     the last day (default: today)
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals goals reached
          vitals goals reached --by day --from 2026-10-01

        """

    static let daysRecount = """
        Usage: vitals days recount [OPTIONS]

        Counts distance and energy of past days with the profile of today.

        If you change your profile, days that are over stay as they were counted. This changes them, because
        what the profile said before was wrong. Steps stay, and so do goals that were reached.

        Options:
              --from DAY  the first day, such as 2026-11-01
              --to DAY    the last day (default: today)
          -y, --yes       does not ask first
          -h, --help      shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals days recount --from 2026-11-01

        """

    static let heartRateNight = """
        Usage: vitals heart-rate night [OPTIONS] [DAY]

        Shows the heart rate of a night, and how much the time between beats varied.

        It draws the time between beats, and RMSSD and SDNN in windows of five minutes. A window counts if
        valid beats cover at least half of it; it says which times are missing. A night has figures from 3
        recorded hours on, and those of beats from 12 windows on.

        Arguments:
          DAY  the day on which the night ends, such as 2026-11-21 (default: today)

        Options:
              --from TIME  when the night begins, as 22:00 (default: 22:00)
              --to TIME    when it ends, as 08:00 (default: 08:00)
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals heart-rate night
          vitals heart-rate night 2026-11-21 --from 23:00

        """

    static let verify = """
        Usage: vitals verify [OPTIONS] [CODE]

        Shows with a code that your e-mail address is yours.

        A service that sends mail sends the code when you sign up. Until the address is verified,
        invitations to it do not reach you. Without CODE, another one is sent.

        Arguments:
          CODE  that was sent to the address

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals verify
          vitals verify 7QKM2-DZX0H

        """

    static let heartRate = """
        Usage: vitals heart-rate [OPTIONS] [COMMAND]

        Draws your recorded heart rate over any period.

        Without --from and --to, it draws the last hour. The line is the mean; the shade behind it goes from
        the lowest to the highest value.

        A time is a day and a time of day, one of the two (a time of day alone means today), now, or how
        long ago: -90s, -30m, -2h, -1h30m, -7d, -1w. With a day alone, --from means its beginning and --to
        its end.

        Commands:
          at           Shows what was measured at a moment, or within 30 seconds of it.
          intervals    Lists the times between beats, in milliseconds.
          variability  Shows how much the time between beats varies: RMSSD and SDNN.
          night        Shows the heart rate of a night, and how much the time between beats varied.
          delete       Deletes what was recorded in a period, for good.

        Options:
              --from TIME  the beginning, such as "2026-11-21 14:00", 14:00, yesterday or -2h
              --to TIME    the end (default: now)
              --points N   how many points at most, 1 to 2000 (default: what fits the terminal)
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals heart-rate --from 14:00 --to 15:30
          vitals heart-rate --from -7d
          vitals heart-rate variability --from yesterday --to yesterday

        More about a command: vitals heart-rate COMMAND --help

        """

    static let heartRateDelete = """
        Usage: vitals heart-rate delete [OPTIONS]

        Deletes what was recorded in a period, for good.

        Both --from and --to are required. What arrives later from that period is not kept either.

        Options:
              --from TIME  the beginning, such as "2026-11-21 14:00", 14:00, yesterday or -2h
              --to TIME    the end (default: now)
          -y, --yes        does not ask first
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals heart-rate delete --from 14:00 --to 14:05

        """

    static let goalsSet = """
        Usage: vitals goals set [OPTIONS]

        Changes the goals that the command line names.

        The change applies from today on; earlier days keep the goals that they had. Minutes of activity are
        those of workouts in heart rate zones 2 and 3, and twice those in zones 4 and 5; without a heart
        rate, by how strenuous the activity is.

        Options:
              --steps N          steps a day, or none
              --distance LENGTH  a day, such as 8km, 8000m or 5mi, or none
              --energy KCAL      kilocalories a day, or none
              --on-foot          counts of the distance only what is done on foot
              --week-days N      days a week, 1 to 7, on which every goal of the day is reached, or none
              --week-minutes N   minutes of activity a week, such as 150, or none
          -h, --help             shows this help

        Every command also takes the options of vitals: vitals --help

        """

    static let goalsCalendar = """
        Usage: vitals goals calendar [OPTIONS] [MONTH]

        Draws a month as a calendar, with a ring for each goal of each day.

        A ring closes in quarters as the goal comes near, and is full when the goal was reached. Of days
        without a ring, nothing is known.

        Arguments:
          MONTH  such as 2026-11, or last

        Options:
              --output FILE  writes a picture to share instead: a name that ends with .svg or .png
              --dark         makes the picture dark
          -h, --help         shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals goals calendar
          vitals goals calendar 2026-10
          vitals goals calendar --output november.svg

        """

    static let goalsShare = """
        Usage: vitals goals share [OPTIONS]

        Prints a text about a goal to share, and makes a picture.

        Options:
              --of NAME   the goal: steps, distance or energy (default: steps)
              --day DAY   such as 2026-11-21 (default: today)
              --svg FILE  writes the picture to FILE
          -h, --help      shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals goals share --svg today.svg

        """

    static let friends = """
        Usage: vitals friends [OPTIONS] [COMMAND]

        Lists your friends with their steps of today, and the people who ask to be friends.

        Friends see each other's steps for the day if both of them allow it (vitals consent). Names may be
        typed in upper or lower case.

        Commands:
          invite   Invites somebody, or uses the code that somebody gave you.
          code     Prints a code; the person who types it becomes your friend.
          accept   Accepts a person who asks to be your friend.
          refuse   Refuses a person who asks to be your friend.
          remove   Ends a friendship, or withdraws an invitation.
          block    Removes a person, who then cannot ask again.
          unblock  Lets a blocked person ask again.
          mute     Stops telling you of a friend's thumbs.
          unmute   Tells you of a friend's thumbs again.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals friends invite grace@example.org
          vitals friends code
              prints a code for a person next to you
          vitals friends accept grace

        More about a command: vitals friends COMMAND --help

        """

    static let friendsInvite = """
        Usage: vitals friends invite [OPTIONS] WHOM

        Invites somebody, or uses the code that somebody gave you.

        It does not say whether that person has an account. Your friends see your steps only if you say so:
        here, or with `vitals consent`.

        Arguments:
          WHOM  an e-mail address, a phone number or a code

        Options:
              --share-steps ON  on or off: whether your friends see your steps for the day
          -h, --help            shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals friends invite +4915123456789
          vitals friends invite 7QKM-2DZX-0H4W-9C1T-V6RA-XP3E

        """

    static let cheer = """
        Usage: vitals cheer [OPTIONS] NAME THUMB

        Gives a friend a thumb up or down, and tells them.

        Arguments:
          NAME   the name or its beginning, or the id
          THUMB  up or down

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals cheer grace up

        """

    static let notifications = """
        Usage: vitals notifications [OPTIONS] [COMMAND]

        Lists what you have been told, the latest first.

        A star marks what you have not confirmed; without --all, only that is shown.

        Commands:
          confirm  Confirms that you have read them.

        Options:
              --all      also what you have confirmed
              --follow   then new ones as they come; Ctrl-C ends it
              --limit N  how many at most (default: 50)
          -h, --help     shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals notifications
          vitals notifications --follow
          vitals notifications confirm --all

        More about a command: vitals notifications COMMAND --help

        """

    static let notificationsConfirm = """
        Usage: vitals notifications confirm [OPTIONS] [ID...]

        Confirms that you have read them.

        Arguments:
          ID  the ids of those to confirm; or --all

        Options:
              --all   all of them
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals notifications confirm --all

        """

    static let completion = """
        Usage: vitals completion [OPTIONS] WHAT

        Prints a script with which the shell completes these commands.

        The script also completes sensors, gateways, devices, phones, addresses, workouts, gear, plans,
        choices, reminders, friends, groups and partners: it runs `vitals completion sensors` and so on,
        which prints their names, one on each line, or nothing if the broker does not answer within a
        second.

        Arguments:
          WHAT  bash, zsh, fish: the script; or one of sensors, claimable, claims, gateways, own-gateways,
                devices, phones, addresses, services, workouts, gear, plans, own-plans, choices, reminders,
                posts, own-posts, audiences, quotes, meals, foods, friends, invitations, acquaintances,
                suitors, blocked, guardians, dependents, groups, partners, partner-offers, partner-asks,
                partner-own-asks, partners-and-asks

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          source <(vitals completion bash)
              for this shell
          vitals completion bash > ~/.local/share/bash-completion/completions/vitals
              for all later shells, with the package bash-completion
          vitals completion zsh > ~/.zfunc/_vitals
              for zsh, if ~/.zfunc is in its fpath
          vitals completion fish > ~/.config/fish/completions/vitals.fish
              for fish

        """
}
