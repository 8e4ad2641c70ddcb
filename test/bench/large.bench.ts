import { join } from 'node:path'
import { aConfiguration, exec, git } from '../support/documents/a-configuration.ts'
import type { BenchCase, BenchRun } from './case.ts'
import { median } from './measure.ts'
import { longestWaitBeside } from './longest-wait.ts'
import { MeasuredServer } from './servers.ts'

const PIPELINES = 10_000
/** The first saves, while the service is still being compiled, are not counted. */
const [WARMING, SAVES] = [8, 12]

export const cases: readonly BenchCase[] = [
  {
    name: 'large: one of 10,000 pipelines is saved, with all that follows it',
    must: { atMost: 100, unit: 'ms of CPU' },
    measure: async (run) => {
      await using server = await serve(run)
      const costs: number[] = []
      const times: number[] = []
      await saveOften(run, async (document) => {
        const [cpu, begin] = [server.cpu(), performance.now()]
        await server.save(document)
        times.push(performance.now() - begin)
        await server.rest()
        costs.push(server.cpu() - cpu)
      })
      return {
        value: median(costs.slice(WARMING)),
        facts: { 'wall, ms': median(times.slice(WARMING)) },
      }
    },
  },
  {
    name: 'large: longest wait of others while one of 10,000 pipelines is saved',
    must: { atMost: 100, unit: 'ms' },
    measure: async (run) => {
      await using server = await serve(run)
      const waits: number[] = []
      await saveOften(run, async (document) => {
        waits.push(await longestWaitBeside(server, () => server.save(document)))
        await server.rest()
      })
      const counted = waits.slice(WARMING)
      return { value: median(counted), facts: { 'the longest of all, ms': Math.max(...counted) } }
    },
  },
]

function serve({ folder }: BenchRun): Promise<MeasuredServer> {
  const places = { repository: join(folder, 'config-repo'), state: join(folder, 'state') }
  return MeasuredServer.cairn(places)
}

/** Documents of about 13 MB; each differs from the one before in the repository of two pipelines. */
async function saveOften(
  { quick }: BenchRun,
  save: (document: string) => Promise<void>,
): Promise<void> {
  const pipelines = quick ? 200 : PIPELINES
  const document = documentOf(pipelines)
  await save(document)
  for (let n = 1; n < WARMING + SAVES; n += 1) {
    const place = (pipelines / 2 + n) % pipelines
    await save(document.replace(`/p-${place}.git"`, `/q-${place}.git"`))
  }
}

const STAGES = [
  { name: 'build', jobs: [jobNamed('compile'), jobNamed('unit')] },
  { name: 'deploy', jobs: [jobNamed('staging')] },
]

function jobNamed(name: string) {
  const tasks = [exec('make', '-j4', name), exec('./scripts/report.sh', '--to', name)]
  return { name, tasks }
}

function documentOf(pipelines: number): string {
  return aConfiguration({
    pipelines: Array.from({ length: pipelines }, (_, n) => {
      const material = git(`https://git.example.org/p-${n}.git`, { autoUpdate: false })
      return { name: `p-${n}`, materials: [material], stages: STAGES }
    }),
  })
}
