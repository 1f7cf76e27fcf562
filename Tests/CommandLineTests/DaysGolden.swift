/// The help texts of what `vitals` shows of days and friends, letter by letter.
extension Golden {
    static let today = """
        Usage: vitals today [OPTIONS]

        Shows your day so far.

        Days are those of the time zone in your profile. What cannot be known is left out.

        Options:
        \(options)
          -h, --help                shows this help

        \(exitCodes)

        Examples:
          vitals today

        """

    static let week = """
        Usage: vitals week [OPTIONS] [DAY]

        Draws a week, Monday to Sunday, a bar for each day.

        A line stands where the goal is, a star where it was reached. Of temperatures and heart rates the
        least, the mean and the most are drawn.

        Arguments:
          DAY  a day of that week, such as 2026-11-21, or last for last week

        Options:
              --of NAME             what is drawn: steps, distance, energy, temperature or heart-rate
                                    (default: steps)
        \(options)
          -h, --help                shows this help

        \(exitCodes)

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
              --of NAME             what is drawn: steps, distance, energy, temperature or heart-rate
                                    (default: steps)
        \(options)
          -h, --help                shows this help

        \(exitCodes)

        Examples:
          vitals month
          vitals month 2026-10 --of energy

        """

    static let year = """
        Usage: vitals year [OPTIONS] [YEAR]

        Draws a year, a bar for each month's average day.

        Behind a bar stand the mean, the total, and on how many days the goal was reached.

        Arguments:
          YEAR  such as 2026, or last

        Options:
              --of NAME             what is drawn: steps, distance, energy, temperature or heart-rate
                                    (default: steps)
        \(options)
          -h, --help                shows this help

        \(exitCodes)

        Examples:
          vitals year
          vitals year last --of heart-rate

        """
}
