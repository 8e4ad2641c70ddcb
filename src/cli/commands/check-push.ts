import { resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { checkPush as judgePush } from '../../history/push/push-check.ts'
import { inspectPushed } from '../../configuration/current/validate-only.ts'
import { gitQuarantine, programPath } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { complain } from '../output.ts'

/** Git's `pre-receive` hook: standard input names the pushed refs, standard error is the pusher's terminal. */
export async function runCheckPush(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS['check-push'], args)
  const options = {
    repository: resolve(settings['config-repo']),
    fileName: settings['config-file'],
    inspect: inspectPushed,
    programPath: programPath(),
    otherRefs: settings['other-refs'],
    quarantine: gitQuarantine(),
  }
  const { isAccepted, lines } = await judgePush(options, await text(process.stdin))
  for (const line of lines) complain(line)
  return isAccepted ? 0 : 1
}
