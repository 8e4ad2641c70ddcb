import { resolve } from 'node:path'
import { type Examination, examineRepository, type Finding } from '../history/doctor/examine.ts'
import { EDITION } from '../services/config-services.ts'
import { examineState } from '../services/examine-state.ts'
import { inspectAsIs } from '../services/strict-inspection.ts'
import { programPath, readSettings, SETTINGS } from '../settings.ts'
import { VERSION } from '../version.ts'
import { complain, say } from './output.ts'

const WORDS = {
  mended: 'mended',
  mendable: 'would be mended with --repair',
  lost: 'cannot be mended here',
} as const satisfies Record<Finding['state'], string>

/** Says what is wrong with the folders of a service, mends it if asked to, and ends with 0 when all is well then. */
export async function doctor(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.doctor, args)
  const repository = resolve(settings['config-repo'])
  const examination = await examineRepository({
    repository,
    fileName: settings['config-file'],
    inspect: inspectAsIs,
    serverEdition: EDITION,
    serverVersion: VERSION,
    programPath: programPath(),
    repair: settings.repair,
    donors: settings.from === null ? [] : [resolve(settings.from)],
    clock: Date.now,
  })
  const told = tell(repository, examination)
  return Math.max(told, await tellState(resolve(settings['state-dir'], 'state.sqlite')))
}

function tell(repository: string, { findings, asideFolder }: Examination): number {
  for (const { what, state, remedy } of findings) say(`${what}: ${WORDS[state]}: ${remedy}`)
  if (findings.length === 0) say(`${repository} is whole`)
  else if (asideFolder !== null) say(`what was moved aside is in ${asideFolder}`)
  return findings.every(({ state }) => state === 'mended') ? 0 : 1
}

async function tellState(file: string): Promise<number> {
  const faults = await examineState(file)
  if (faults === null) return 0
  for (const fault of faults) complain(`${fault}: cannot be mended here: restore a backup`)
  if (faults.length === 0) say(`${file} is whole`)
  return faults.length === 0 ? 0 : 1
}
