extension Golden {
    static let quote = """
        Usage: vitals quote [OPTIONS] [COMMAND]

        Shows the quote of your day, and keeps the ones that you like.

        There is another one each day, at your midnight. It is in the language of your profile: vitals
        profile set --locale de-AT.

        Commands:
          like    Says that you like a quote: it is kept in your list.
          unlike  Takes a quote from your list.
          liked   Lists the quotes that you like, the latest first.

        Options:
          -h, --help  shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals quote
          vitals quote like

        More about a command: vitals quote COMMAND --help

        """

    static let meals = """
        Usage: vitals meals [OPTIONS] [COMMAND]

        Shows what you have eaten and used today, and keeps what you eat.

        What is left is your energy at rest and that of steps and workouts, less what you have eaten. It is
        known once your profile has a date of birth, a height, a weight, and female or male as the gender:
        vitals profile set.

        Commands:
          log          Keeps something that you have eaten.
          delete       Deletes a meal.
          ideas        Offers something to eat that fits what is left of the day.
          foods        Lists your foods, with what a portion gives.
          add-food     Adds a food to your list; the numbers are of a portion.
          remove-food  Removes a food from your list; what you have eaten of it stays.

        Options:
              --day DAY  such as 2026-11-21, or yesterday (default: today)
          -h, --help     shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals meals
          vitals meals --day yesterday

        More about a command: vitals meals COMMAND --help

        """

    static let mealsLog = """
        Usage: vitals meals log [OPTIONS] [NAME]

        Keeps something that you have eaten.

        Give a name with its energy, or a food of your list with --food.

        Arguments:
          NAME  what it was

        Options:
              --food FOOD       of your list: its name or id
              --portions N      of the food (default: 1)
              --grams G         what it weighs, in grams
              --ounces OZ       the same, in ounces
              --energy KCAL     in kilocalories; left out, it is that of the next three
              --protein G       in grams
              --carbohydrate G  in grams
              --fat G           in grams
              --at TIME         when: 12:30, -2h, "yesterday 19:00" (default: now)
          -h, --help            shows this help

        Every command also takes the options of vitals: vitals --help

        Examples:
          vitals meals log 'Lentil soup' --energy 450 --protein 22 --carbohydrate 60 --fat 12
          vitals meals log --food Porridge --grams 300 --at 08:10

        """
}
