import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitBytes } from '../git/git.ts'
import { writeCommitOf } from '../history/hostile-commits.ts'
import { tempDir } from './temp-folder.ts'

/**
 * Commits a configuration of this many zeroes, whose object is a thousandth of that, on the newest
 * commit.
 */
export function commitOfZeroes(folder: string, size: number): string {
  return writeCommitOf(folder, 'HEAD', '100644', blobOfZeroes(folder, size))
}

/**
 * Writes this many zeroes as a loose object, and returns its name; a gigabyte takes git some
 * seconds.
 */
export function blobOfZeroes(folder: string, size: number): string {
  const file = join(tempDir(), 'zeroes')
  writeFileSync(file, '')
  truncateSync(file, size)
  const loose = ['-c', 'core.bigFileThreshold=8g', 'hash-object', '-w', '--no-filters', file]
  return gitBytes(folder, loose).toString().trim()
}
