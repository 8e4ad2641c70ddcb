import { VERSION } from '../../server/version.ts'
import { readSettings, separateWords } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { COMPLETIONS } from '../completion.ts'
import { manualPage } from '../manual.ts'
import { say } from '../output.ts'
import { wrongUsage } from '../usage.ts'

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
