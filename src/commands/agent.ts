import { runAgent } from '../agent/run-agent.ts'
import { inheritedEnvironment, readSettings, SETTINGS } from '../settings.ts'
import { VERSION } from '../version.ts'
import { writeLog } from './output.ts'
import { stopSignal } from './stop-signal.ts'

/** Runs one build agent until SIGTERM or SIGINT. */
export async function agent(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.agent, args)
  const { server, resources, environments, hostname } = settings
  await runAgent(
    {
      server,
      resources,
      environments,
      hostname,
      workDir: settings['work-dir'],
      autoRegisterKey: settings['auto-register-key'],
      version: VERSION,
      environment: inheritedEnvironment(),
      log: writeLog,
    },
    stopSignal(),
  )
  return 0
}
