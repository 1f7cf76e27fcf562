// Completion for bash (see Completion.swift). `--of=steps` comes as three words, because `=` breaks words in bash
// (COMP_WORDBREAKS).

extension Command {
    /// A script that bash has to source: `source <(vitals completion bash)`.
    var bashCompletion: String {
        let function = completionFunction
        let entries = completionEntries()
        let commands = entries.filter { !$0.bashFacts.isEmpty }.map { entry in
            let facts = entry.bashFacts.map { "            \($0)\n" }.joined()
            return "        \"\(entry.path)\")\n\(facts)            ;;\n"
        }
        // Deeper ones first: an option of a subcommand hides one of the same name above it.
        let values = entries.reversed().flatMap(\.bashValues).map { pattern, kind in
            "        \(pattern)) kind=\(kind) ;;\n"
        }
        return """
            # Completion of \(name) for bash, made by `\(completionCommand(.bash))`. Use it with: source <(\(completionCommand(.bash)))

            \(function)_at() {
                case "$1" in
            \(commands.joined())    esac
            }

            \(function)_of() {
                kind=
                case "$1 $2" in
            \(values.joined())    esac
            }

            \(Self.lister(function))

            \(Self.driver(function, name))
            complete -F \(function) \(name)

            """
    }

    /// Asks the program itself for possible values, with the options for all commands that the line has so far. Names
    /// come from other people, so none of them is ever read as a part of a command.
    private static func lister(_ function: String) -> String {
        """
        \(function)_plain() {
            local text="${1//[\\"\\'\\\\]/}"
            printf '%s\\n' "${text/#\\~/$HOME}"
        }

        \(function)_listed() {
            local typed item
            typed="$(\(function)_plain "$current")"
            while IFS= read -r item; do
                if [[ ${item,,} != "${typed,,}"* ]]; then
                    continue
                elif [[ $current == [\\"\\']* ]]; then
                    COMPREPLY+=("$item")
                else
                    COMPREPLY+=("$(printf %q "$item")")
                fi
            done < <("$(\(function)_plain "${COMP_WORDS[0]}")" "${carried[@]}" completion "$1" 2>/dev/null </dev/null)
        }
        """
    }

    /// What bash calls: it walks along the words, and looks up what may follow.
    private static func driver(_ function: String, _ name: String) -> String {
        """
        \(function)() {
            local current="${COMP_WORDS[COMP_CWORD]}" path="\(name)" place=1 option= ended= word i kind common carry=
            local commands= options="--help" valued= alone= alone_valued= carried=()
            \(function)_at "$path"
            common="${options/--help/}"
            for ((i = 1; i < COMP_CWORD; i++)); do
                word="${COMP_WORDS[i]}"
                if [[ -n $option ]]; then
                    if [[ $word != "=" ]]; then
                        [[ -z $carry ]] || carried+=("$carry" "$(\(function)_plain "$word")")
                        option= carry=
                    fi
                elif [[ -z $ended && $word == -- ]]; then
                    ended=1
                elif [[ -z $ended && $word == -[!0-9]* ]]; then
                    [[ " $valued $alone_valued " == *" $word "* ]] && option="$word"
                    if [[ " $common " == *" $word "* ]]; then
                        # With its value, once that is there.
                        [[ -n $option ]] && carry="$word" || carried+=("$word")
                    fi
                elif [[ -n $commands ]]; then
                    [[ " $commands " == *" $word "* ]] || continue
                    path+=" $word" commands= alone= alone_valued=
                    \(function)_at "$path"
                else
                    ((place++))
                fi
            done
            [[ -n $option && $current == "=" ]] && current=
            if [[ -n $option ]]; then
                \(function)_of "$option" "$path"
            elif [[ -z $ended && $current == -* ]]; then
                kind="$alone $options"
            elif [[ -n $commands ]]; then
                kind="$commands"
            else
                \(function)_of "$place" "$path"
            fi
            COMPREPLY=()
            if [[ $kind == FILE ]]; then
                # Bash's own completion of files, which knows how to quote them.
                compopt -o default
            elif [[ $kind == @* ]]; then
                \(function)_listed "${kind#@}"
            elif [[ -n $kind ]]; then
                mapfile -t COMPREPLY < <(compgen -W "$kind" -- "$current")
            fi
        }
        """
    }
}

extension CompletionEntry {
    /// What may follow, as assignments.
    fileprivate var bashFacts: [String] {
        func names(_ options: [Option]) -> String { options.map { "--\($0.name)" }.joined(separator: " ") }
        let lists = [
            ("commands=", command.subcommands.map(\.name).joined(separator: " ")),
            ("options+=", names(command.options)), ("valued+=", names(command.options.filter(\.takesValue))),
            ("alone=", names(optionsAlone)), ("alone_valued=", names(optionsAlone.filter(\.takesValue))),
        ]
        return lists.filter { !$0.1.isEmpty }.map { $0 + ($0.hasSuffix("+=") ? "\" \($1)\"" : "\"\($1)\"") }
    }

    /// What values can be: a pattern of the option or the position and the path, and the words, `FILE` or `@OFFERS`.
    fileprivate var bashValues: [(pattern: String, kind: String)] {
        values.map { value in
            let own = "\"\(value.of) \(path)\""
            let kind =
                switch value.kind {
                case .files: "FILE"
                case .words(let words): "\"\(words.joined(separator: " "))\""
                case .offers(let what): "@\(what)"
                }
            return (value.isInherited ? "\(own) | \"\(value.of) \(path) \"*" : own, kind)
        }
    }
}
