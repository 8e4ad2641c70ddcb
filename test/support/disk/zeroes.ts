import { truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gitBytes } from '../git/git.ts'
import { writeCommitOf } from '../history/hostile-commits.ts'
import { tempDir } from './temp-folder.ts'

/** Commits a configuration of so many zeroes, whose object is a thousandth of that, upon the newest commit. */
export function commitOfZeroes(folder: string, size: number): string {
  const file = join(tempDir(), 'zeroes')
  writeFileSync(file, '')
  truncateSync(file, size)
  const loose = ['-c', 'core.bigFileThreshold=8g', 'hash-object', '-w', '--no-filters', file]
  const oid = gitBytes(folder, loose).toString().trim()
  return writeCommitOf(folder, 'HEAD', '100644', oid)
}
