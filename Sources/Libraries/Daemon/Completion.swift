// Completion for bash, made of the declared command line: what is declared is completed, and nothing else can be.
//
// The script walks along the words before the cursor as the parser does, and keeps the path of commands that they name.
// At each command it learns which commands, options and options with a value may follow (`_at`); the possible values
// are in one more table (`_of`), by the option or the position, and the path. `--of=steps` comes as three words,
// because `=` breaks words in bash (COMP_WORDBREAKS).

extension Command {
    /// A script that makes bash complete this program's command lines, once it is sourced: `source <(vitals completion
    /// bash)`.
    public var bashCompletion: String {
        let function = "_" + name.replacing("-", with: "_")
        let entries = entries(path: [name])
        let commands = entries.filter { !$0.facts.isEmpty }.map { entry in
            let facts = entry.facts.map { "            \($0)\n" }.joined()
            return "        \"\(entry.path)\")\n\(facts)            ;;\n"
        }
        // Deeper ones first: an option of a subcommand hides one of the same name above it.
        let values = entries.reversed().flatMap(\.values).map { pattern, kind in
            "        \(pattern)) kind=\(kind) ;;\n"
        }
        return """
            # Completion of \(name) for bash, made by `\(name) completion bash`. Use it with: source <(\(name) completion bash)

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
            local commands= options="--help --version" valued= alone= alone_valued= carried=()
            \(function)_at "$path"
            common="${options/--help --version/}"
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
                    path+=" $word" commands= alone= alone_valued= options="${options/ --version/}"
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

    /// A command and the words that lead to it.
    private struct Entry {
        let path: String
        let command: Command

        /// What may follow, as assignments.
        var facts: [String] {
            let subcommands = command.subcommands.map(\.name).joined(separator: " ")
            let lists = [
                ("commands=", subcommands), ("options+=", Self.names(command.options)),
                ("valued+=", Self.names(command.options.filter(\.takesValue))),
                ("alone=", Self.names(command.optionsAlone)),
                ("alone_valued=", Self.names(command.optionsAlone.filter(\.takesValue))),
            ]
            return lists.filter { !$0.1.isEmpty }.map { $0 + ($0.hasSuffix("+=") ? "\" \($1)\"" : "\"\($1)\"") }
        }

        private static func names(_ options: [Option]) -> String {
            options.map { "--\($0.name)" }.joined(separator: " ")
        }

        /// What values can be: a pattern of the option or the position and the path, and the words or `FILE`.
        var values: [(pattern: String, kind: String)] {
            let alone = command.optionsAlone.compactMap { option in
                option.completion.map { ("\"--\(option.name) \(path)\"", $0) }
            }
            let options = command.options.compactMap { option in
                option.completion.map { kind in
                    let own = "\"--\(option.name) \(path)\""
                    // Also in all commands below.
                    return (command.subcommands.isEmpty ? own : "\(own) | \"--\(option.name) \(path) \"*", kind)
                }
            }
            let positions = command.arguments.enumerated().compactMap { index, argument in
                argument.completion.map { ("\"\(index + 1) \(path)\"", $0) }
            }
            return alone + options + positions
        }
    }

    private func entries(path: [String]) -> [Entry] {
        [Entry(path: path.joined(separator: " "), command: self)]
            + subcommands.flatMap { $0.entries(path: path + [$0.name]) }
    }
}

extension Option {
    fileprivate var takesValue: Bool { placeholder != nil }

    fileprivate var completion: String? {
        if let offers { return "@\(offers)" }
        return values.isEmpty ? placeholder == "FILE" ? "FILE" : nil : "\"\(values.joined(separator: " "))\""
    }
}

extension Positional {
    fileprivate var completion: String? {
        if let offers { return "@\(offers)" }
        return values.isEmpty ? name == "FILE" ? "FILE" : nil : "\"\(values.joined(separator: " "))\""
    }
}
