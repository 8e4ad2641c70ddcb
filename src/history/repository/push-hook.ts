import { join } from 'node:path'
import { shellQuote } from '../../core/service/command-words.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import type { GitStore } from '../../git/git-store.ts'

const MARK = '# Cairn refuses a push that is not a valid configuration.'

/**
 * Installs a hook by which git lets a command check every push. A foreign hook is left alone.
 * Returns whether ours is in place.
 */
export async function installPushHook(
  { fs, gitDir }: GitStore,
  command: readonly string[],
): Promise<boolean> {
  const file = join(gitDir, 'hooks', 'pre-receive')
  const script = `#!/bin/sh\n${MARK}\nexec ${command.map(shellQuote).join(' ')}\n`
  const bytes = await orNullWhenAbsent(fs.readFile(file))
  const present = bytes === null ? null : Buffer.from(bytes).toString('utf8')
  if (present === script) return true
  if (present !== null && !present.includes(MARK)) return false
  await fs.mkdir(join(gitDir, 'hooks'), { recursive: true })
  await replaceFile(file, script, { fs, mode: 0o755 })
  return true
}
