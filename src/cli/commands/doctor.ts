import { join, resolve } from 'node:path'
import { openLog } from '../../cluster/open-log.ts'
import { ServiceError } from '../../core/errors.ts'
import {
  type Examination,
  examineRepository,
  type RepairFinding,
} from '../../history/doctor/examine.ts'
import { examineState, repairState, type StateRepair } from '../../operations/examine-state.ts'
import { readSettings } from '../../settings/read-settings.ts'
import { SETTINGS } from '../../settings/settings.ts'
import { isAboutNewerStore } from '../../state/unavailable.ts'
import { actAsOwner } from '../act-as-owner.ts'
import { checkedRepository } from '../checked-repository.ts'
import { complain, say } from '../output.ts'

const WORDS = {
  repaired: 'repaired',
  repairable: 'would be repaired with --repair',
  lost: 'cannot be repaired here',
} as const satisfies Record<RepairFinding['state'], string>

/**
 * Checks the folders of a service, repairs them on request, and exits with 0 when no problem is
 * left.
 */
export async function doctor(args: readonly string[]): Promise<number> {
  const settings = readSettings(SETTINGS.doctor, args)
  const checked = checkedRepository(settings)
  const { repository } = checked
  await actAsOwner(settings['config-repo'], settings['state-dir'])
  await using database = settings.state === null ? null : await openLog(settings.state)
  const examination = await examineRepository({
    ...checked,
    repair: settings.repair,
    sources: settings.from === null ? [] : [resolve(settings.from)],
    log: database?.log ?? null,
    clock: Date.now,
  })
  const code = reportFindings(repository, examination)
  const state = {
    file: resolve(settings['state-dir'], 'state.sqlite'),
    lock: join(repository, '.git', 'cairn', 'lock'),
    clock: Date.now,
  }
  return Math.max(code, await examineStateFile(state, { mayRepair: settings.repair }))
}

function reportFindings(
  repository: string,
  { findings, notes, quarantineFolder }: Examination,
): number {
  for (const note of notes) say(`note: ${note}`)
  for (const { what, state, remedy } of findings) say(`${what}: ${WORDS[state]}: ${remedy}`)
  if (findings.length === 0) say(`${repository} is whole`)
  else if (quarantineFolder !== null) say(`what was moved aside is in ${quarantineFolder}`)
  return findings.every(({ state }) => state === 'repaired') ? 0 : 1
}

async function examineStateFile(repair: StateRepair, { mayRepair }: { mayRepair: boolean }) {
  const { file } = repair
  const faults = await examineState(file)
  if (faults === null) return 0
  if (faults.length === 0) say(`${file} is whole`)
  if (faults.length === 0) return 0
  for (const fault of faults) complain(fault)
  if (faults.some(isAboutNewerStore)) return 1
  return mayRepair ? repairStateFile(repair) : adviseRepair(file)
}

async function repairStateFile(repair: StateRepair): Promise<number> {
  const { file } = repair
  try {
    const aside = await repairState(repair)
    say(`${file}: repaired: rebuilt from its tables; the damaged one is in ${aside}`)
    return 0
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    complain(`${file}: cannot be repaired here: ${error.message}: restore a backup`)
    return 1
  }
}

function adviseRepair(file: string): number {
  complain(`${file}: --repair rebuilds it if no table has lost a row; otherwise restore a backup`)
  return 1
}
