import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '../disk/temp-folder.ts'

/** A `PATH` with a git that is killed when its arguments have certain words. */
export function pathOfKilledGit(words: string): string {
  const folder = tempDir()
  const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
  const script = `#!/bin/sh\ncase "$*" in *${words}*) kill -9 $$;; esac\nexec ${real} "$@"\n`
  writeFileSync(join(folder, 'git'), script, { mode: 0o755 })
  return `${folder}:${process.env['PATH']}`
}
