import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { command } from '../programs/command.ts'
import type { Ended } from '../programs/program.ts'
import { tempDir } from '../disk/temp-folder.ts'

/** The flags that name the folders of a service in a folder. */
export function placesIn(folder: string): string[] {
  return ['--config-repo', join(folder, 'config-repo'), '--state-dir', join(folder, 'state')]
}

/** Backs a service's folder up with the command itself. */
export function backUp(folder: string, file: string, ...more: readonly string[]): Promise<Ended> {
  return command(['backup', file, ...placesIn(folder), ...more])
}

/** Restores an archive into a new folder. */
export async function restoreNew(file: string): Promise<Ended & { folder: string }> {
  const folder = tempDir()
  return { folder, ...(await command(['restore', file, ...placesIn(folder)])) }
}

/**
 * The exit codes of `cairn verify` and `cairn state check` for a folder: two zeros when all is
 * well.
 */
export async function checkCodes(folder: string): Promise<(number | null)[]> {
  const repository = ['--config-repo', join(folder, 'config-repo')]
  const state = ['--state-dir', join(folder, 'state')]
  const [verified, checked] = await Promise.all([
    command(['verify', ...repository]),
    command(['state', 'check', ...state]),
  ])
  return [verified.code, checked.code]
}

/** The names in an archive, as the tar program reads it. */
export function entriesOf(file: string): string[] {
  return execFileSync('tar', ['-tzf', file], { encoding: 'utf8' }).trim().split('\n')
}
