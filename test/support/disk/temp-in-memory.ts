import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The file system in memory that Linux has. */
const MEMORY = '/dev/shm'
/** Several times what all tests have at once, in bytes. */
const ROOM = 4 * 2 ** 30

/**
 * Folders of tests are in memory where it has room for them and programs can be run there: a disk
 * takes longer to sync and remove thousands of small files than the tests take for all the rest. Crash
 * tests kill processes, or cut the power of a file system of their own.
 */
export default function useMemory(): void {
  if (process.env['TMPDIR'] !== undefined || !hasRoom()) return
  const folder = mkdtempSync(join(MEMORY, 'cairn-'))
  // Also when the run is interrupted.
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  // Jobs may run as another user.
  chmodSync(folder, 0o1777)
  if (runsPrograms(folder)) process.env['TMPDIR'] = folder
}

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= ROOM
}

function runsPrograms(folder: string): boolean {
  const program = join(folder, 'program')
  writeFileSync(program, '#!/bin/sh\n', { mode: 0o755 })
  return spawnSync(program).status === 0
}
