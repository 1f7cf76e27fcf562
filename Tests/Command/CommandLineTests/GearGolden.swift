/// The help texts of what `vitals` does with gear, plans and reports, letter by letter.
extension Golden {
    static let workoutSet = """
        Usage: vitals workout set [OPTIONS] ID

        Says what a workout was done with.

        Arguments:
          ID  the workout's id, latest, or current for the one that is under way

        Options:
              --gear NAME  the shoes or the bicycle, or none: vitals workout gear
          -h, --help       shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout set latest --gear 'Old shoes'
          vitals workout set current --gear none

        """

    static let workoutGear = """
        Usage: vitals workout gear [OPTIONS] [COMMAND]

        Lists your shoes and bicycles with the distance that they have come, and changes them.

        A workout gets the gear that is used for its activity when it starts; `vitals workout set` says
        something else, during the workout or afterwards. The distance follows from the workouts, so
        readings that come late count.

        Commands:
          list    Lists your gear.
          add     Adds shoes, a bicycle or something else.
          change  Changes what the command line names.
          retire  Uses it for nothing any more; it stays in the list.
          delete  Deletes it from the list; workouts stay.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout gear add 'Blue shoes' --kind shoes --before '120 km' --for running
          vitals workout gear retire 'Blue shoes'

        More about a command: vitals workout gear COMMAND --help

        """

    static let workoutGearAdd = """
        Usage: vitals workout gear add [OPTIONS] NAME

        Adds shoes, a bicycle or something else.

        Arguments:
          NAME  what you call it

        Options:
              --kind KIND      shoes, bicycle or other
              --before LENGTH  how far it had come when you added it, such as '120 km'
              --for ACTIVITY   uses it for this activity unless you say otherwise (may be repeated)
          -h, --help           shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout gear add Thunder --kind bicycle --before '3200 km' --for cycling

        """

    static let workoutGearChange = """
        Usage: vitals workout gear change [OPTIONS] GEAR

        Changes what the command line names.

        Arguments:
          GEAR  its name or id

        Options:
              --name TEXT      another name
              --kind KIND      shoes, bicycle or other
              --before LENGTH  how far it had come when you added it, such as '120 km'
              --for ACTIVITY   uses it for these activities alone, or for none (may be repeated)
              --in-use         uses it again after it was retired
          -h, --help           shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout gear change Thunder --for cycling --for commuting

        """

    static let workoutPlans = """
        Usage: vitals workout plans [OPTIONS] [COMMAND]

        Lists what a workout can be started from, and changes your own plans.

        Commands:
          list    Lists all plans.
          save    Saves a plan, in place of your own one of that name.
          delete  Deletes one of your own plans.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout plans save 'Lunch run' running --goal '30 min' --end-at-goal
          vitals workout start --plan 'Lunch run'

        More about a command: vitals workout plans COMMAND --help

        """

    static let workoutPlansSave = """
        Usage: vitals workout plans save [OPTIONS] NAME ACTIVITY

        Saves a plan, in place of your own one of that name.

        Arguments:
          NAME      what you call it
          ACTIVITY  running, walking, cycling, or a name of your own

        Options:
              --goal GOAL    what you want to reach, such as '5000 m', '30 min', '8000 steps' or '400 kcal'
              --end-at-goal  ends the workout when this goal is reached
          -h, --help         shows this help

        Every command also takes the options of vitals: vitals --help

        """

    static let workoutReport = """
        Usage: vitals workout report [OPTIONS]

        Draws what the workouts of a day, a week, a month or a year came to.

        A day shows its workouts, a week and a month their days, and a year its months. With --last, several
        of them are compared: eight weeks, say. A line marks the goal of a day, which is for all that you do
        on that day.

        Options:
              --day            one day
              --week           a week, from Monday to Sunday; the default
              --month          a month
              --year           a year
              --date DAY       a day of it, such as 2026-11-21 (default: today)
              --last N         that many of them, 1 to 366, up to that day
              --activity NAME  only running, walking, cycling, or what you called it
          -h, --help           shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals workout report
          vitals workout report --month --date 2026-10-01
          vitals workout report --week --last 8 --activity running

        """
}
