import { VERSION } from '../../server/version.ts'
import { readSettings, separateWords, listSettings } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { COMPLETIONS } from '../completion.ts'
import { say } from '../output.ts'
import { wrongUsage, USAGE } from '../usage.ts'
import { commandNames } from '../help.ts'

/** Prints the script by which a shell completes command lines, or the manual page. */
export function completionCommand(args: readonly string[]): Promise<number> {
  const { words, flags } = separateWords(SETTINGS.completion, args)
  readSettings(SETTINGS.completion, flags)
  const [wanted = '', ...others] = words
  const linesOf = wanted === 'man' ? () => manualPage(VERSION) : COMPLETIONS[wanted]
  if (linesOf === undefined || others.length > 0) throw wrongUsage('completion')
  for (const line of linesOf()) say(line)
  return Promise.resolve(0)
}

const EXIT_CODES = [
  ['0', 'Done.'],
  ['1', 'Refused, or not valid.'],
  ['2', 'Wrong words.'],
  ['3', 'The server could not be asked, or does not know the caller.'],
  ['4', 'Something would change or is different, with --exit-code.'],
] as const

/** The manual page of all commands, in the language of man. */
export function manualPage(version: string): readonly string[] {
  return [
    `.TH CAIRN 1 "" "cairn ${version}"`,
    '.SH NAME',
    'cairn \\- a git\\-backed configuration repository service',
    '.SH SYNOPSIS',
    '.B cairn',
    '.I COMMAND',
    '[\\fB\\-\\-SETTING\\fR \\fIVALUE\\fR]...',
    '.SH DESCRIPTION',
    text('Every setting is a flag and a variable of the environment; the flag wins.'),
    '.SH COMMANDS',
    ...commandNames().flatMap((name) => {
      const { calls, purpose } = USAGE[name]
      return [
        ...calls.flatMap((call, n) => [n === 0 ? '.TP' : '.TQ', `.B ${text(`cairn ${call}`)}`]),
        text(purpose),
        ...listSettings(SETTINGS[name]).flatMap(({ flag, variable, meaning, preset }) => [
          '.RS',
          '.TP',
          `\\fB${text(flag)}\\fR, \\fI${text(variable)}\\fR`,
          text(preset === null || preset === 'false' ? meaning : `${meaning} [${preset}]`),
          '.RE',
        ]),
      ]
    }),
    '.SH EXIT STATUS',
    ...EXIT_CODES.flatMap(([code, meaning]) => ['.TP', `.B ${code}`, text(meaning)]),
  ]
}

/** A text that stands for itself, also at the beginning of a line. */
function text(plain: string): string {
  const escaped = plain.replaceAll('\\', '\\e').replaceAll('-', '\\-').replaceAll('`', '')
  return escaped.replace(/^(?=[.'])/, '\\&')
}
