// Completion for zsh (see Completion.swift), with what each command and option does. The functions set arrays of
// `_NAME`, the one that zsh calls; `path` is zsh's own, so the path of commands is `way`.

extension Command {
    /// A script that zsh finds as `_NAME` in a folder of its `fpath`, or that is sourced after `compinit`.
    var zshCompletion: String {
        let function = completionFunction
        let entries = completionEntries()
        let commands = entries.filter { !$0.zshFacts.isEmpty }.map { entry in
            let facts = entry.zshFacts.map { "            \($0)\n" }.joined()
            return "        (\"\(entry.path)\")\n\(facts)            ;;\n"
        }
        // Deeper ones first: an option of a subcommand hides one of the same name above it.
        let values = entries.reversed().flatMap(\.zshValues).map { pattern, kind in
            "        (\(pattern)) kind=(\(kind)) ;;\n"
        }
        return """
            #compdef \(name)
            # Completion of \(name) for zsh, made by `\(completionCommand(.zsh))`. Save it as \(function) in a folder of $fpath.

            \(function)_at() {
                case $1 in
            \(commands.joined())    esac
            }

            \(function)_of() {
                kind=()
                case "$1 $2" in
            \(values.joined())    esac
            }

            \(Self.walker(function, name))

            \(Self.offerer(function))

            if [[ $funcstack[1] == \(function) ]]; then \(function) "$@"; else compdef \(function) \(name); fi

            """
    }

    /// Walks along the words, and looks up what may follow.
    private static func walker(_ function: String, _ name: String) -> String {
        """
        \(function)() {
            local way="\(name)" option= carry= word= name= ended=
            local -i i place=1
            local -a commands alone alone_valued valued carried kind names common
            local -a options=('--help:shows this help')
            \(function)_at "$way"
            common=(${options[2,-1]%%:*})
            for ((i = 2; i < CURRENT; i++)); do
                word=$words[i] name=${words[i]%%=*}
                names=(${commands%%:*})
                if [[ -n $option ]]; then
                    [[ -z $carry ]] || carried+=("$carry" "${(Q)word}")
                    option= carry=
                elif [[ -z $ended && $word == -- ]]; then
                    ended=1
                elif [[ -z $ended && $word == -[^0-9]* ]]; then
                    [[ $word != *=* ]] && (( $valued[(Ie)$name] || $alone_valued[(Ie)$name] )) && option=$name
                    if (( $common[(Ie)$name] )); then
                        # With its value, once that is there.
                        if [[ -n $option ]]; then carry=$word; else carried+=("${(Q)word}"); fi
                    fi
                elif (( $#commands )); then
                    (( $names[(Ie)$word] )) || continue
                    way+=" $word" commands=() alone=() alone_valued=()
                    \(function)_at "$way"
                else
                    (( place++ ))
                fi
            done
            \(function)_offer
        }
        """
    }

    /// Offers what may follow, or asks the program itself for possible values, with the options for all commands that
    /// the line has so far. Names come from other people: zsh quotes what is inserted, and nothing is evaluated.
    private static func offerer(_ function: String) -> String {
        """
        \(function)_offer() {
            local current=$words[CURRENT]
            local -a both=($alone $options)
            if [[ -n $option ]]; then
                \(function)_of "$option" "$way"
            elif [[ -z $ended && $current == --*=* ]]; then
                option=${current%%=*}
                (( $valued[(Ie)$option] || $alone_valued[(Ie)$option] )) || return 1
                compset -P '*='
                \(function)_of "$option" "$way"
            elif [[ -z $ended && $current == -* ]]; then
                _describe -o option both
                return
            elif (( $#commands )); then
                _describe command commands
                return
            else
                \(function)_of "$place" "$way"
            fi
            case "${kind[1]-}" in
                (files) _files ;;
                (offers)
                    local program=${(Q)words[1]}
                    names=("${(@f)$("${program/#\\~/$HOME}" $carried completion $kind[2] 2>/dev/null </dev/null)}")
                    names=(${names:#})
                    (( $#names )) && compadd -a names ;;
                (words) names=(${kind[2,-1]}); compadd -a names ;;
                (*) return 1 ;;
            esac
        }
        """
    }
}

extension CompletionEntry {
    /// What may follow, as assignments.
    fileprivate var zshFacts: [String] {
        func described(_ name: String, _ help: String) -> String {
            "'\((name + ":" + help).replacing("'", with: "'\\''"))'"
        }
        func options(_ options: [Option]) -> [String] { options.map { described("--\($0.name)", $0.explanation) } }
        func valued(_ options: [Option]) -> [String] { options.filter(\.takesValue).map { "--\($0.name)" } }
        let lists = [
            ("commands=", command.subcommands.map { described($0.name, $0.summary) }),
            ("options+=", options(command.options)), ("valued+=", valued(command.options)),
            ("alone=", options(optionsAlone)), ("alone_valued=", valued(optionsAlone)),
        ]
        return lists.filter { !$0.1.isEmpty }.map { "\($0)(\($1.joined(separator: " ")))" }
    }

    /// What values can be: a pattern of the option or the position and the path, and `files`, `words …` or `offers WHAT`.
    fileprivate var zshValues: [(pattern: String, kind: String)] {
        values.map { value in
            let own = "\"\(value.of) \(path)\""
            let kind =
                switch value.kind {
                case .files: "files"
                case .words(let words): "words \(words.joined(separator: " "))"
                case .offers(let what): "offers \(what)"
                }
            return (value.isInherited ? "\(own)|\"\(value.of) \(path) \"*" : own, kind)
        }
    }
}
