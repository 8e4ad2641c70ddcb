import { readFile } from 'node:fs/promises'
import { describeFault } from '../core/faults.ts'
import { SettingsError } from '../settings/settings-error.ts'

/**
 * The bytes of a file that a command was given; `what` names it in the error.
 *
 * @throws {SettingsError} with the reason why it cannot be read.
 */
export async function readGivenFile(file: string, what: string): Promise<Buffer<ArrayBuffer>> {
  try {
    return await readFile(file)
  } catch (cause) {
    const reason = describeFault(cause, 'this program')
    throw new SettingsError(`${what} "${file}" cannot be read: ${reason}`, { cause })
  }
}
