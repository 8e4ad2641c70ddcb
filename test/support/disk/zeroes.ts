import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { gitLine } from '../git/git.ts'
import { writeCommitOf } from '../history/hostile-commits.ts'
import { tempDir } from './temp-folder.ts'

interface LooseObject {
  readonly name: string
  readonly bytes: Buffer
}

/** Objects that were made in this process, by the format of their names and the size. */
const made = new Map<string, LooseObject>()

/**
 * Commits a configuration of this many zeroes, whose object is a thousandth of that, on the newest
 * commit.
 */
export function commitOfZeroes(folder: string, size: number): string {
  return writeCommitOf(folder, 'HEAD', '100644', blobOfZeroes(folder, size))
}

/**
 * Writes this many zeroes as a loose object, and returns its name; a gigabyte takes git some
 * seconds, once in this process.
 */
export function blobOfZeroes(folder: string, size: number): string {
  const asked = ['--show-object-format', '--path-format=absolute', '--git-path', 'objects']
  const [format = '', objects = ''] = gitLine(folder, 'rev-parse', ...asked).split('\n')
  const fileOf = (name: string) => join(objects, name.slice(0, 2), name.slice(2))
  const known = made.get(`${format} ${size}`)
  if (known === undefined) {
    const name = hashZeroes(folder, size)
    made.set(`${format} ${size}`, { name, bytes: readFileSync(fileOf(name)) })
    return name
  }
  mkdirSync(dirname(fileOf(known.name)), { recursive: true })
  writeFileSync(fileOf(known.name), known.bytes, { mode: 0o444 })
  return known.name
}

function hashZeroes(folder: string, size: number): string {
  const file = join(tempDir(), 'zeroes')
  writeFileSync(file, '')
  truncateSync(file, size)
  const loose = ['-c', 'core.bigFileThreshold=8g', 'hash-object', '-w', '--no-filters', file]
  return gitLine(folder, ...loose)
}
