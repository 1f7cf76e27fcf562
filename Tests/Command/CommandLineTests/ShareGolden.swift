extension Golden {
    static let share = """
        Usage: vitals share [OPTIONS] [COMMAND]

        Posts a workout, a report, statistics, a goal or a post to services of yours.

        You see first what would be posted: the text, the link, and whether there is a picture. On a
        terminal, it then asks whether to post it. Without one, as in a script, it posts only with --yes or
        --to. Each service's result is printed; nothing is ever tried again by itself.

        A service is an address, as Apprise understands it: Mastodon, e-mail, Matrix and others. For
        Facebook and X there are pages that you open in a browser.

        Commands:
          workout     Shares a workout; start and end of its route are hidden.
          day         Shares what a day came to, with the ring of its step goal.
          week        Shares what a week came to.
          month       Shares what a month came to, with its rings.
          statistics  Shares what all your workouts came to.
          goal        Shares how close you came to a day's goal.
          post        Shares a post of yours.
          list        Lists what you have shared lately, and what became of it.
          services    Lists your services, as far as they may be shown.
          add         Adds a service by its address, which has the form that Apprise gives it.
          remove      Removes a service.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals share add --label Mastodon
              asks for an address such as mastodons://TOKEN@SERVER
          vitals share workout latest
              shows it, and asks
          vitals share week --to Mastodon

        More about a command: vitals share COMMAND --help

        """

    static let shareWorkout = """
        Usage: vitals share workout [OPTIONS] [ID]

        Shares a workout; start and end of its route are hidden.

        Arguments:
          ID  its id, or latest (default: latest)

        Options:
              --to SERVICE    posts to this service, its id or label (default: all) (may be repeated)
              --text TEXT     posts this text in place of the one that is shown
              --picture FILE  writes the picture that would be posted into this file
              --no-picture    posts no picture
          -y, --yes           does not ask first
          -h, --help          shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals share workout --picture run.png --to Mastodon

        """
}
