import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from '../../storage/durable-fs.ts'
import { shellQuote } from '../repository/push-hook.ts'

/** Hands what git says on to the service and back; the service moves the refs. */
const RELAY = ['exec 5<&0', 'cat <&5 >&3 2>/dev/null &', 'exec cat <&3'].join('\n')

/**
 * Makes a folder with the hooks of a push through the service. They are used instead of those of
 * the repository, so that nothing is taken in unjudged whatever hooks somebody has put there.
 */
export async function writePushHooks(folder: string, pushCheck: readonly string[]): Promise<void> {
  const judge = `exec ${[...pushCheck, '--other-refs', 'refuse'].map(shellQuote).join(' ')}`
  await nodeFs.mkdir(folder, { recursive: true })
  for (const [name, script] of [
    ['pre-receive', judge],
    ['proc-receive', RELAY],
  ] as const) {
    await replaceFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  }
}
