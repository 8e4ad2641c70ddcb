import { shellQuote } from '../core/service/command-words.ts'
import { listSettings, type Setting } from '../settings/read-settings.ts'
import { SETTINGS } from '../settings/settings.ts'
import { commandNames } from './help.ts'
import { USAGE } from './usage.ts'

/** The words and settings that may follow some words of a command line. */
interface Place {
  /** The words before, such as `agent invite`; empty at the beginning. */
  readonly path: string
  readonly words: readonly string[]
  readonly settings: readonly Setting[]
}

/** A word of a call that stands as it is; others are names, files and settings. */
const FIXED = /^[a-z][a-z-]*$/

/** The scripts by which shells complete command lines, by the name of the shell. */
export const COMPLETIONS: Readonly<Record<string, () => readonly string[]>> = {
  bash: completionOfBash,
  zsh: completionOfZsh,
  fish: completionOfFish,
}

/** Files follow where no word fits, as readline proposes them by itself. */
function completionOfBash(): readonly string[] {
  return [
    '# Completes the words and settings of cairn: eval "$(cairn completion bash)"',
    '_cairn() {',
    '  local word path="" words="" settings="" n',
    '  local -a typed',
    '  # With a letter at the end, so that the word at the cursor is there also while it is empty.',
    '  read -ra typed <<<"${COMP_LINE:0:COMP_POINT}x"',
    '  for ((n = 1; n < ${#typed[@]} - 1; n++)); do',
    '    word=${typed[n]}',
    '    if [[ $word != -* ]]; then path+="$word "',
    `    elif [[ $word != *=* && " ${switches()} " != *" $word "* ]]; then ((n++)); fi`,
    '  done',
    '  if ((n == ${#typed[@]})); then return; fi',
    '  case $path in',
    ...places().map(({ path, words, settings }) => {
      const pattern = path === '' ? '""' : `"${path} "*`
      const flags = settings.map(({ flag }) => flag).join(' ')
      return `    ${pattern}) words="${words.join(' ')}" settings="${flags}" ;;`
    }),
    '  esac',
    '  word=${typed[n]%x}',
    '  if [[ $word == -*=* ]]; then return; fi',
    '  if [[ $word == -* ]]; then words=$settings; fi',
    '  COMPREPLY=($(compgen -W "$words" -- "$word"))',
    '}',
    'complete -o default -F _cairn cairn',
  ]
}

function completionOfZsh(): readonly string[] {
  return [
    '#compdef cairn',
    '# Completes the words and settings of cairn: eval "$(cairn completion zsh)"',
    '_cairn() {',
    '  local -a before proposed',
    '  local -i n',
    '  for ((n = 2; n < CURRENT; n++)); do',
    '    if [[ $words[n] != -* ]]; then before+=("$words[n]")',
    `    elif [[ $words[n] != *=* && " ${switches()} " != *" $words[n] "* ]]; then ((n++)); fi`,
    '  done',
    "  if ((n > CURRENT)) || compset -P '-*='; then _files; return; fi",
    '  case "${(j: :)before} " in',
    ...places().flatMap(({ path, words, settings }) => {
      const described = settings.map(({ flag, meaning }) => shellQuote(`${flag}:${plain(meaning)}`))
      return [
        `    ${path === '' ? '" "' : `"${path} "*`})`,
        '      if [[ $PREFIX == -* ]]; then',
        `        proposed=(${described.join(' ')})`,
        `      else proposed=(${words.map((word) => shellQuote(wordOfZsh(path, word))).join(' ')}); fi ;;`,
      ]
    }),
    '  esac',
    '  if (( ${#proposed} )); then _describe cairn proposed; else _files; fi',
    '}',
    'if [[ $zsh_eval_context == *loadautofunc* ]]; then _cairn "$@"; else',
    '  (( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }',
    '  compdef _cairn cairn',
    'fi',
  ]
}

function completionOfFish(): readonly string[] {
  return [
    '# Completes the words and settings of cairn: cairn completion fish | source',
    'function __cairn_path',
    '  set -l tokens (commandline -opc)[2..-1]',
    '  set -l before',
    '  while set -q tokens[1]',
    "    if not string match -q -- '-*' $tokens[1]",
    '      set -a before $tokens[1]',
    `    else if not string match -q -- '*=*' $tokens[1]; and not contains -- $tokens[1] ${switches()}`,
    '      set -e tokens[1]',
    '    end',
    '    set -e tokens[1]',
    '  end',
    "  string join ' ' -- $before",
    'end',
    'function __cairn_after',
    '  string match -q -- "$argv[1] *" (__cairn_path)\' \'',
    'end',
    ...places().flatMap(({ path, words, settings }) => {
      const at =
        path === '' ? "'test -z (__cairn_path)'" : shellQuote(`__cairn_after ${quotedIn(path)}`)
      return [
        ...words.map((word) => `complete -c cairn -n ${at} -f -a ${word}${about(path, word)}`),
        ...settings.map(
          ({ flag, meaning, isSwitch }) =>
            `complete -c cairn -n ${at} -l ${flag.slice(2)}${isSwitch ? '' : ' -r'} -d ${shellQuote(plain(meaning))}`,
        ),
      ]
    }),
  ]
}

/** The places after each command, the longest first, so that the first that fits is the right one. */
function places(): readonly Place[] {
  const words = new Map<string, Set<string>>([['', new Set(['help', 'version'])]])
  for (const call of Object.values(USAGE).flatMap(({ calls }) => calls)) {
    const fixed = call.split(' ')
    const end = fixed.findIndex((word) => !FIXED.test(word))
    const own = end < 0 ? fixed : fixed.slice(0, end)
    for (const [n, word] of own.entries()) {
      const path = own.slice(0, n).join(' ')
      words.set(path, (words.get(path) ?? new Set()).add(word))
    }
  }
  words.set('help', new Set(Object.keys(USAGE).filter((name) => !name.includes(' '))))
  const paths = new Set([...words.keys(), ...Object.keys(USAGE)])
  return [...paths]
    .toSorted((one, other) => other.length - one.length)
    .map((path) => ({ path, words: [...(words.get(path) ?? [])], settings: settingsAt(path) }))
}

function settingsAt(path: string): readonly Setting[] {
  // Longer names first: `agent invite` is not `agent`.
  const names = commandNames().toSorted((one, other) => other.length - one.length)
  const name = names.find((each) => path === each || path.startsWith(`${each} `))
  return name === undefined ? [] : listSettings(SETTINGS[name])
}

/** The flags that no value follows, in any command. */
function switches(): string {
  const settings = Object.values(SETTINGS).flatMap((schema) => listSettings(schema))
  return [...new Set(settings.filter(({ isSwitch }) => isSwitch).map(({ flag }) => flag))].join(' ')
}

function purposeOf(path: string, word: string): string | null {
  const name = path === '' ? word : `${path} ${word}`
  const found = commandNames().find((each) => each === name)
  return found === undefined ? null : plain(USAGE[found].purpose)
}

function wordOfZsh(path: string, word: string): string {
  const purpose = purposeOf(path, word)
  return purpose === null ? word : `${word}:${purpose}`
}

function about(path: string, word: string): string {
  const purpose = purposeOf(path, word)
  return purpose === null ? '' : ` -d ${shellQuote(purpose)}`
}

/** A text without marks that mean something else in a shell. */
function plain(text: string): string {
  return text.replaceAll('`', '')
}

/** A text in double quotes within single ones. */
function quotedIn(text: string): string {
  return `"${text}"`
}
