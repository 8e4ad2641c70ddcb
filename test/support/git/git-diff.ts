import { readFileSync, writeFileSync } from 'node:fs'
import { type GitEnd, tryGit } from './git.ts'
import { TempFolder } from '../disk/temp-folder.ts'

/**
 * The output of `git diff` for two texts: hunks only, without the headings of their first lines.
 */
export function gitDiff(before: Uint8Array, after: Uint8Array, ...flags: string[]): string {
  using folder = new TempFolder()
  writeFileSync(folder.file('before'), before)
  writeFileSync(folder.file('after'), after)
  const { status, stdout } = git(
    folder,
    'diff',
    '--no-index',
    '--text',
    ...flags,
    'before',
    'after',
  )
  if (status !== 0 && status !== 1) throw new Error(`git diff ended with ${status}`)
  return hunksOnly(stdout.toString('latin1'))
}

/** The text after `git apply` has applied such hunks to it, or null when git refuses them. */
export function gitApply(before: Uint8Array, hunks: Uint8Array): Buffer | null {
  using folder = new TempFolder()
  writeFileSync(folder.file('text'), before)
  writeFileSync(
    folder.file('patch'),
    Buffer.concat([Buffer.from('--- a/text\n+++ b/text\n'), hunks]),
  )
  const { status } = git(folder, 'apply', '--whitespace=nowarn', 'patch')
  return status === 0 ? readFileSync(folder.file('text')) : null
}

/** The end of `git merge-file`: its status is the number of conflicts. */
export function gitMergeFile(texts: { base: string; ours: string; theirs: string }) {
  using folder = new TempFolder()
  for (const [name, text] of Object.entries(texts)) writeFileSync(folder.file(name), text)
  const { status, stdout } = git(folder, 'merge-file', '-p', 'ours', 'base', 'theirs')
  if (status === null || status > 127) throw new Error(`git merge-file ended with ${status}`)
  return { conflicts: status, text: stdout }
}

/** Removes what git prints before the first hunk and behind each header. */
export function hunksOnly(patch: string): string {
  const start = patch.indexOf('\n@@ ')
  if (start < 0) return ''
  return patch.slice(start + 1).replaceAll(/(?<![^\n])(@@ -\S+ \+\S+ @@)[^\n]*/g, '$1')
}

function git({ path }: TempFolder, ...args: string[]): GitEnd {
  return tryGit(path, args, { env: { GIT_CEILING_DIRECTORIES: path } })
}
