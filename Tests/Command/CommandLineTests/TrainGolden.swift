/// The help texts of `vitals train`, letter by letter.
extension Golden {
    static let train = """
        Usage: vitals train [OPTIONS] [COMMAND]

        Offers workouts that fit you, and follows one set by set.

        Without a command, it offers three plans of half an hour. They follow from your profile, from what
        you have at hand (vitals train equipment) and from the muscles that had least in the last seven
        days. This is no medical advice.

        A workout that follows a plan is paused, resumed, stopped and cancelled like any other: vitals
        workout stop.

        Commands:
          offer      Offers plans.
          choose     Chooses a plan for this week.
          unchoose   Takes back a choice.
          week       Shows what was chosen and done in a week.
          day        Shows what a day's workouts came to.
          start      Starts a workout that follows a plan.
          next       Says that the set is done, or ends the rest.
          previous   Goes back to the set that was done, or to the one before.
          skip       Goes on to the next exercise.
          now        Shows what is to be done now.
          watch      Follows the training, with its timer; Ctrl-C ends it.
          exercises  Lists the exercises that plans are made of.
          exercise   Shows how an exercise is done.
          equipment  Shows or sets what you have at hand.
          level      Shows or sets for whom plans are made.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals train
          vitals train offer --kind intervals --minutes 20
          vitals train start PLAN
          vitals train next
          vitals train week

        More about a command: vitals train COMMAND --help

        """

    static let trainOffer = """
        Usage: vitals train offer [OPTIONS]

        Offers plans.

        The same --seed leads to the same plans, as long as your profile, your equipment and the muscles
        that come first are the same. A plan's own name always leads to that plan.

        Options:
              --kind KIND        weights or intervals (default: either)
              --minutes N        how long, 10 to 90 (default: 30)
              --equipment NAMES  what is at hand this time: a list such as dumbbell,bands; or none
              --muscles NAMES    what comes first: a list such as chest,'lower back'
              --seed N           that of an earlier offer
              --random           one plan at random, instead of three
          -h, --help             shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals train offer --minutes 45 --equipment dumbbell
          vitals train offer --random --json

        """
}
