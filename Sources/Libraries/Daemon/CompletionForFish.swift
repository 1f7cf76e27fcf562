// Completion for fish (see Completion.swift), with what each command and option does. Fish's functions share no
// variables, so the tables print their lines: a name, a tab and its description.

extension Command {
    /// A script that fish finds as `NAME.fish` in a folder of its completions, or that is sourced.
    var fishCompletion: String {
        let function = "_" + completionFunction
        let entries = completionEntries()
        let facts = entries.flatMap(\.fishFacts).map { pattern, printing in
            "        case '\(pattern)'\n            \(printing)\n"
        }
        // Deeper ones first: an option of a subcommand hides one of the same name above it.
        let values = entries.reversed().flatMap(\.fishValues).map { pattern, kind in
            "        case \(pattern)\n            printf '%s\\n' \(kind)\n"
        }
        return """
            # Completion of \(name) for fish, made by `\(completionCommand(.fish))`. Use it with: \(completionCommand(.fish)) | source

            function \(function)_at
                switch "$argv"
            \(facts.joined())    end
            end

            function \(function)_of
                switch "$argv"
            \(values.joined())    end
            end

            \(Self.walker(function, name))

            \(Self.offerer(function))

            complete -c \(name) -f -a '(\(function))'

            """
    }

    /// Walks along the words, and looks up what may follow.
    private static func walker(_ function: String, _ name: String) -> String {
        """
        function \(function)
            set -l words (commandline -opc)
            set -l current (commandline -ct)
            set -l way \(name)
            set -l place 1
            set -l option
            set -l carry
            set -l carried
            set -l ended
            set -l commands (\(function)_at commands $way)
            set -l options (\(function)_at options $way)
            set -l valued (\(function)_at valued $way)
            set -l alone (\(function)_at alone $way)
            set -l alone_valued (\(function)_at alone_valued $way)
            set -l common (string split -f 1 \\t -- $options)
            for word in $words[2..-1]
                if test -n "$option"
                    test -n "$carry"; and set -a carried $carry $word
                    set option
                    set carry
                else if test -z "$ended" -a "$word" = --
                    set ended yes
                else if test -z "$ended"; and string match -qr '^-[^0-9]' -- $word
                    set -l name (string split -f 1 -m 1 = -- $word)
                    if not string match -q '*=*' -- $word; and contains -- $name $valued $alone_valued
                        set option $name
                    end
                    if contains -- $name $common
                        # With its value, once that is there.
                        if test -n "$option"
                            set carry $word
                        else
                            set -a carried $word
                        end
                    end
                else if test -n "$commands"
                    contains -- $word (string split -f 1 \\t -- $commands); or continue
                    set way "$way $word"
                    set commands (\(function)_at commands $way)
                    set -a options (\(function)_at options $way)
                    set -a valued (\(function)_at valued $way)
                    set alone (\(function)_at alone $way)
                    set alone_valued (\(function)_at alone_valued $way)
                else
                    set place (math $place + 1)
                end
            end
            set -l prefix
            if test -n "$option"
                set place $option
            else if test -z "$ended"; and string match -qr '^--[^=]*=' -- $current
                set place (string split -f 1 -m 1 = -- $current)
                contains -- $place $valued $alone_valued; or return
                set prefix $place=
                set current (string sub -s (math (string length -- $prefix) + 1) -- $current)
            else if test -z "$ended"; and string match -q -- '-*' $current
                printf '%s\\n' $alone $options (printf '%s\\t%s' --help 'shows this help')
                return
            else if test -n "$commands"
                printf '%s\\n' $commands
                return
            end
            \(function)_offer "$prefix" "$current" $words[1] (count $carried) $carried (\(function)_of $place $way)
        end
        """
    }

    /// Offers values: files, words, or what the program itself lists, with the options for all commands that the line
    /// has so far. Names come from other people: fish quotes what is inserted, and nothing is evaluated.
    private static func offerer(_ function: String) -> String {
        """
        function \(function)_offer -a prefix current program count
            set -l carried
            test $count -gt 0; and set carried $argv[5..(math 4 + $count)]
            set -l kind $argv[(math 5 + $count)..-1]
            set -l values
            switch "$kind[1]"
                case files
                    set values (__fish_complete_path "$current")
                case offers
                    set values ($program $carried completion $kind[2] 2>/dev/null </dev/null)
                case words
                    set values $kind[2..-1]
            end
            test -n "$values"; and printf '%s\\n' $prefix$values
        end
        """
    }
}

extension CompletionEntry {
    /// What may follow: a pattern of the kind and the path, and the command that prints it.
    fileprivate var fishFacts: [(pattern: String, printing: String)] {
        func quoted(_ text: String) -> String {
            "'\(text.replacing("\\", with: "\\\\").replacing("'", with: "\\'"))'"
        }
        func described(_ items: [(String, String)]) -> String {
            items.isEmpty ? "" : "printf '%s\\t%s\\n' " + items.map { "\($0) \(quoted($1))" }.joined(separator: " ")
        }
        func options(_ options: [Option]) -> String { described(options.map { ("--\($0.name)", $0.explanation) }) }
        func valued(_ options: [Option]) -> String {
            let names = options.filter(\.takesValue).map { "--\($0.name)" }
            return names.isEmpty ? "" : "printf '%s\\n' " + names.joined(separator: " ")
        }
        return [
            ("commands", described(command.subcommands.map { ($0.name, $0.summary) })),
            ("options", options(command.options)), ("valued", valued(command.options)),
            ("alone", options(optionsAlone)), ("alone_valued", valued(optionsAlone)),
        ].filter { !$0.1.isEmpty }.map { ("\($0) \(path)", $1) }
    }

    /// What values can be: a pattern of the option or the position and the path, and `files`, `words …` or `offers WHAT`.
    fileprivate var fishValues: [(pattern: String, kind: String)] {
        values.map { value in
            let own = "'\(value.of) \(path)'"
            let kind =
                switch value.kind {
                case .files: "files"
                case .words(let words): "words \(words.joined(separator: " "))"
                case .offers(let what): "offers \(what)"
                }
            return (value.isInherited ? "\(own) '\(value.of) \(path) *'" : own, kind)
        }
    }
}
