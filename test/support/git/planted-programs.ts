import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { git } from './git.ts'

const HOOKS = [
  'post-checkout',
  'post-index-change',
  'post-commit',
  'pre-commit',
  'pre-push',
  'reference-transaction',
  'post-rewrite',
  'pre-auto-gc',
  'update',
  'post-update',
  'post-receive',
]

/** Puts programs into a repository that write their names into a file when git runs them. */
export function plantPrograms(gitDir: string, marker: string): void {
  mkdirSync(join(gitDir, 'hooks'), { recursive: true })
  for (const hook of HOOKS) plant(join(gitDir, 'hooks', hook), hook, marker)
  const monitor = join(gitDir, 'monitor')
  plant(monitor, 'fsmonitor', marker)
  git(gitDir, 'config', 'core.fsmonitor', monitor)
}

/** The programs that have run, each once. */
export function ranIn(marker: string): string[] {
  if (!existsSync(marker)) return []
  return [...new Set(readFileSync(marker, 'utf8').trim().split('\n'))].toSorted()
}

function plant(file: string, name: string, marker: string): void {
  const script = `#!/bin/sh\necho ${name} >>'${marker}'\nprintf 'token\\0/\\0'\n`
  writeFileSync(file, script, { mode: 0o755 })
}
