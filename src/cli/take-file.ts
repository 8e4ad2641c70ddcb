import type { z } from 'zod'
import { separateWords, SettingsError } from '../settings.ts'

interface Command {
  readonly schema: z.ZodObject
  readonly usage: string
  /** How the usage names the file. */
  readonly name?: string
}

/**
 * Parses the file that is a command's argument, before, among or after its flags.
 *
 * @throws {SettingsError} with the usage where there is none.
 */
export function takeFile(
  args: readonly string[],
  { schema, usage, name = 'FILE' }: Command,
): { file: string; flags: readonly string[] } {
  const { words, flags } = separateWords(schema, args)
  const [file = '', ...others] = words
  if (file === '') throw new SettingsError(`${name} is missing: use ${usage}`)
  return { file, flags: [...flags, ...others] }
}
