import { once } from 'node:events'
import { runningClock } from '../../lib/clock.ts'
import { openServer } from '../../server/start-service.ts'
import { programPath, toolEnvironment } from '../../settings/environment.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { complain, say, writeLog } from '../output.ts'
import { stopSignal } from '../stopping.ts'

/** Runs the service until SIGTERM or SIGINT; requests in flight are finished first. */
export async function serve(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.serve, args)
  const stop = stopSignal()
  await actAsOwner(settings['state-dir'], settings['config-repo'])
  const server = await openServer(settings, {
    clock: Date.now,
    uptime: runningClock(),
    log: writeLog,
    programPath: programPath(),
    toolEnvironment: toolEnvironment(),
    stop,
  }).catch((error: unknown) => {
    if (stop.aborted) return null
    throw error
  })
  if (server === null) return 0
  if (server.passwordFile !== null) {
    process.stderr.write(`cairn: the password of user admin is in ${server.passwordFile}\n`)
  }
  say(`cairn ready ${server.url}`)
  const { failed } = server
  const end = AbortSignal.any([stop, failed])
  if (!end.aborted) await once(end, 'abort')
  await server[Symbol.asyncDispose]()
  if (!failed.aborted) return 0
  complain(String(failed.reason))
  return 1
}
