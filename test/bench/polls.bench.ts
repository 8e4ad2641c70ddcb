import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { aConfiguration, element, git } from '../support/documents/a-configuration.ts'
import { gitOrigin } from '../support/builds/source-origins.ts'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { STAGES } from './documents.ts'
import { MeasuredServer } from './servers.ts'

const MATERIALS = 100
/** No poll starts a build. */
const MANUAL = element('approval', { type: 'manual' })
/** Seconds between two polls of a material, and seconds that are measured. */
const [INTERVAL, MEASURED] = [5, 60]

export const cases: readonly BenchCase[] = [
  {
    name: 'polls: of 100 materials among 10,000 pipelines, against those among 100',
    must: { atMost: 1.5, unit: 'times the CPU' },
    measure: comparePolls,
  },
]

/** Both services poll at the same time, so that what else the machine does counts for both. */
async function comparePolls(run: BenchRun): Promise<Measured> {
  const url = join(run.folder, 'origin')
  mkdirSync(run.folder, { recursive: true })
  gitOrigin(url)
  await using few = await polling(run, url, 'few', MATERIALS)
  await using many = await polling(run, url, 'many', run.quick ? MATERIALS : 10_000)
  const before = [few.cpuWithEnded(), many.cpuWithEnded()] as const
  await wait((run.quick ? 1 : MEASURED) * 1_000)
  const [small, large] = [few.cpuWithEnded() - before[0], many.cpuWithEnded() - before[1]]
  const polls = (MATERIALS * MEASURED) / INTERVAL
  const facts = { 'ms of CPU a poll': large / polls, 'among 100 pipelines': small / polls }
  return { value: large / small, facts: { ...facts, 'memory, MB': many.memory() } }
}

/** A service that has saved two documents and polls its materials. */
async function polling(run: BenchRun, url: string, name: string, pipelines: number) {
  const places = {
    repository: join(run.folder, name, 'repository'),
    state: join(run.folder, name, 'state'),
  }
  const flags = ['--material-interval', `${INTERVAL}s`, '--local-materials', run.folder]
  const server = await MeasuredServer.cairn(places, flags)
  for (const word of ['first', 'second']) await server.save(documentOf(pipelines, url, word))
  await wait(INTERVAL * 1_000)
  return server
}

/** The address of each material is another one for the service and the same repository for git. */
function documentOf(pipelines: number, url: string, word: string): string {
  return aConfiguration({
    pipelines: Array.from({ length: pipelines }, (_, n) => ({
      name: `p-${n}`,
      materials: [git(`${url}${'/.'.repeat(n % MATERIALS)}`, { branch: 'trunk' })],
      stages: [{ ...STAGES[0], name: word, approval: MANUAL }, ...STAGES.slice(1)],
    })),
  })
}
