import { SettingsError } from '../settings.ts'

/**
 * Parses the file that is a command's first argument, and the flags after it.
 *
 * @throws {SettingsError} with the usage.
 */
export function takeFile(
  args: readonly string[],
  usage: string,
): { file: string; flags: readonly string[] } {
  const [file, ...flags] = args
  if (file === undefined || file === '' || file.startsWith('--'))
    throw new SettingsError(`use ${usage}`)
  return { file, flags }
}
