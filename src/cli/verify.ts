import { resolve } from 'node:path'
import { verifyRepository } from '../history/upkeep/verify.ts'
import { EDITION } from '../configuration/config-services.ts'
import { inspectAsIs } from '../configuration/current/validate-only.ts'
import { programPath, readSettings, SETTINGS } from '../settings.ts'
import { VERSION } from '../server/version.ts'
import { complain, say } from './output.ts'

/** Checks a repository, and exits with 1 when anything is wrong. A service may be running on it. */
export async function verify(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.verify, args)
  const repository = resolve(settings['config-repo'])
  const { commits, revisions, problems, notes } = await verifyRepository({
    repository,
    fileName: settings['config-file'],
    inspect: inspectAsIs,
    serverEdition: EDITION,
    serverVersion: VERSION,
    programPath: programPath(),
  })
  for (const note of notes) say(`note: ${note}`)
  for (const problem of problems) complain(problem)
  if (problems.length > 0) return 1
  say(`${repository} is whole: ${revisions} revisions in ${commits} commits`)
  return 0
}
