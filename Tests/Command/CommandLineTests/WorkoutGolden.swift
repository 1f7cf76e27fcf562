/// The help texts of what `vitals` does with workouts, letter by letter.
extension Golden {
    static let workout = """
        Usage: vitals workout [OPTIONS] [COMMAND]

        Starts and stops workouts, and shows how they went.

        Without a command, it shows the workout that is under way; `vitals watch` follows it.

        During a workout, heart rates are recorded whatever the profile says. Where you are is recorded only
        if you allow it: `vitals consent --record-location on`, and `vitals phone add`.

        Commands:
          start     Starts a workout.
          pause     Interrupts the workout: what is measured now does not count.
          resume    Goes on with a workout that was paused.
          stop      Ends the workout, and keeps it.
          cancel    Ends the workout, and keeps nothing of it but what was measured.
          goal      Shows or changes the goal of workouts.
          plans     Lists what a workout can be started from, and changes your own plans.
          list      Lists your workouts, the latest first.
          show      Shows a workout: figures, splits, graphs and the route.
          picture   Writes a picture of a workout, to share.
          set       Says what a workout was done with.
          prefer    Lets this recording of a workout count, in place of the others.
          edit      Corrects a workout: its title, note, activity, start or end.
          split     Makes two workouts of one.
          join      Makes one workout of 2 to 10, with pauses in between.
          undo      Takes back the latest correction of a workout.
          add       Adds a workout that nothing has recorded.
          delete    Deletes a workout and the heart rates of its time, for good.
          stats     Shows what your workouts come to: mean, most and total.
          records   Lists your best of each activity.
          forecast  Shows about how long a race would take you, and about your oxygen uptake.
          load      Draws your fitness, fatigue and form, as they follow from training load.
          report    Draws what the workouts of a day, a week, a month or a year came to.
          gear      Lists your shoes and bicycles with the distance that they have come, and changes them.
          export    Writes workouts as files that other programs read.
          import    Brings along what other devices and services have recorded.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout start running --goal '5000 m' --end-at-goal
          vitals workout stop
          vitals workout show latest
          vitals workout list --from -30d --activity running

        More about a command: vitals workout COMMAND --help

        """

    static let workoutStart = """
        Usage: vitals workout start [OPTIONS] [ACTIVITY]

        Starts a workout.

        A goal is a number with its unit: 5000 m, 5 km, 3 mi, 30 min, 1.5 h, 8000 steps or 400 kcal. It is
        for this workout alone; without --goal, that of the plan counts, or the chosen goal (vitals workout
        goal).

        Arguments:
          ACTIVITY  running, walking, cycling, or a name of your own; not with --plan

        Options:
              --plan NAME    starts from a plan, such as '5 km run': vitals workout plans
              --goal GOAL    what you want to reach, such as '5000 m', '30 min', '8000 steps' or '400 kcal'
              --end-at-goal  ends the workout when this goal is reached
              --zone N       the zone of heart rate to stay in, 1 to 5: leaving it is said
              --gear NAME    what it is done with, or none (default: what is used for the activity)
              --at TIME      when it was, if not now: such as -5min or 14:00
          -h, --help         shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout start running
          vitals workout start cycling --goal '30 min' --end-at-goal
          vitals workout start running --zone 2
          vitals workout start 'Nordic skating'
          vitals workout start --plan '5 km run' --gear 'Old shoes'

        """

    static let workoutGoal = """
        Usage: vitals workout goal [OPTIONS] [COMMAND]

        Shows or changes the goal of workouts.

        One goal of each kind is saved, and one of them is chosen. It cannot be changed during a workout.

        Commands:
          show     Shows the saved goals.
          set      Saves a goal, and chooses it.
          choose   Chooses a goal that was saved before.
          enable   Lets the chosen goal end a workout when it is reached.
          disable  Lets workouts go on when the goal is reached.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout goal set '5000 m'
          vitals workout goal choose duration
          vitals workout goal enable
              reaching the goal ends a workout

        More about a command: vitals workout goal COMMAND --help

        """

    static let workoutList = """
        Usage: vitals workout list [OPTIONS]

        Lists your workouts, the latest first.

        Options:
              --from TIME      only those that began since then, such as 2026-11-21 or -30d
              --to TIME        only those that began before then
              --activity NAME  only running, walking, cycling, or what you called it
              --limit N        how many at most, 1 to 10000 (default: 50)
          -h, --help           shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout list
          vitals workout list --from 2026-11-01 --activity running --json

        """

    static let workoutShow = """
        Usage: vitals workout show [OPTIONS] ID

        Shows a workout: figures, splits, graphs and the route.

        Pace (of a ride: speed) and altitude are drawn over distance, heart rates over the time without
        pauses, and the way with north at the top; a mark shows where it begins.

        Arguments:
          ID  the workout's id, or latest

        Options:
              --points N  how many points a graph has, 2 to 1000 (default: what fits the terminal)
          -h, --help      shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout show latest
          vitals workout show latest --json --points 1000

        """

    static let workoutLoad = """
        Usage: vitals workout load [OPTIONS]

        Draws your fitness, fatigue and form, as they follow from training load.

        Each day's load is Edwards' of its workouts. Fitness is its mean over some six weeks, and fatigue
        over one; form is the one less the other.

        Options:
              --days N  how many days, 1 to 700 (default: 90)
          -h, --help    shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout load --days 180

        """

    static let phoneAdd = """
        Usage: vitals phone add [OPTIONS]

        Connects a phone: prints a link and a code for the app OwnTracks.

        Open the link on the phone, or scan the code with its camera. The app first has to allow links: in
        its settings, under configuration. The link has the phone's password, so show it to nobody else.

        The phone seals what it sends, unless you say --plain: nobody can read it without the link.

        Options:
              --name TEXT  what the phone is called
              --plain      the phone does not seal what it sends
              --svg FILE   also writes the code as a picture, for its owner only
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals phone add --name 'My phone'
          vitals phone add --svg phone.svg

        """
}
