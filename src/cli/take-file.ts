import { separateWords } from '../settings/read-settings.ts'
import { SETTINGS } from '../settings/settings.ts'
import { type CommandName, wrongUsage } from './usage.ts'

/**
 * Parses the file that is a command's argument, before, among or after its flags. `name` is how the usage
 * names it.
 *
 * @throws {SettingsError} with the usage where there is none.
 */
export function takeFile(
  args: readonly string[],
  command: CommandName,
  name = 'FILE',
): { file: string; flags: readonly string[] } {
  const { words, flags } = separateWords(SETTINGS[command], args)
  const [file = '', ...others] = words
  if (file === '') throw wrongUsage(command, `${name} is missing: `)
  return { file, flags: [...flags, ...others] }
}
