import { join } from 'node:path'
import type { BenchCase, BenchRun } from './case.ts'
import { documentOf, USUAL } from './documents.ts'
import { mean, median } from './measure.ts'
import { longestTurnIn, TURN_LIMIT } from './longest-turn.ts'
import { longestWaitBeside } from './longest-wait.ts'
import { MeasuredServer } from './servers.ts'

const PIPELINES = 10_000
/** The first saves, while the service is still being compiled, are not counted. */
const [WARMING, SAVES] = [8, 12]
/** So many that full collections of garbage are among them as often as ever. */
const PUTS = 24

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
    name: 'large: one of 10,000 pipelines is put by itself, against a save of the whole document',
    must: { atMost: 0.5, unit: 'of its CPU' },
    measure: async (run) => {
      await using server = await serve(run)
      const costs = { put: new Array<number>(), save: new Array<number>() }
      let n = 0
      await saveOften(run, async (document) => {
        costs.save.push(await costOf(server, () => server.save(document)))
        n += 1
        costs.put.push(await costOf(server, () => putPipeline(server, `p-${n}`, document)))
      })
      const put = median(costs.put.slice(WARMING))
      const save = median(costs.save.slice(WARMING))
      return { value: put / save, facts: { 'put, ms of CPU': put, 'save, ms of CPU': save } }
    },
  },
  {
    name: 'large: one of 10,000 pipelines is put by itself, beyond a save of 110 KB',
    must: { atMost: 120, unit: 'ms of CPU' },
    measure: async (run) => {
      await using large = await serve(run, 'large')
      await using usual = await serve(run, 'usual')
      const costs = { put: new Array<number>(), save: new Array<number>() }
      const document = documentOf(run.quick ? 200 : PIPELINES)
      await large.save(document)
      for (let n = 0; n < WARMING + PUTS; n += 1) {
        costs.put.push(await costOf(large, () => putPipeline(large, `p-${n}`, document)))
        const other = USUAL.replace(`/p-${n}.git"`, `/q-${n}.git"`)
        costs.save.push(await costOf(usual, () => usual.save(other)))
      }
      const put = mean(costs.put.slice(WARMING))
      const save = mean(costs.save.slice(WARMING))
      const middle = median(costs.put.slice(WARMING))
      const facts = { 'put, ms of CPU': put, 'its median': middle, 'save, ms of CPU': save }
      return { value: put - save, facts }
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
  {
    name: 'large: longest turn of the main thread while pipelines of 10,000 are saved and put',
    must: TURN_LIMIT,
    measure: async (run) => {
      await using server = await MeasuredServer.sampled(placesIn(run))
      const documents = [...documentsOf(run)]
      await changeOften(server, documents.slice(0, WARMING))
      return await longestTurnIn(server, () => changeOften(server, documents.slice(WARMING)))
    },
  },
  {
    name: 'large: a start with 10,000 pipelines, up to the ready line',
    must: { atMost: 1_500, unit: 'ms of CPU' },
    measure: async (run) => {
      {
        await using server = await serve(run)
        await server.save(documentOf(run.quick ? 200 : PIPELINES))
        await server.rest()
      }
      await using server = await serve(run)
      return { value: server.cpu(), facts: { 'wall, ms': server.startTime } }
    },
  },
  {
    name: 'large: memory after two documents of 10,000 pipelines',
    must: { atMost: 350, unit: 'MB' },
    measure: async (run) => {
      await using server = await serve(run)
      const document = documentOf(run.quick ? 200 : PIPELINES)
      await server.save(document)
      await server.save(document.replaceAll('.git"', '-other.git"'))
      await server.rest()
      return { value: server.memory() }
    },
  },
]

/** The CPU of a server for some work, with all that follows it. */
async function costOf(server: MeasuredServer, work: () => Promise<unknown>): Promise<number> {
  const before = server.cpu()
  await work()
  await server.rest()
  return server.cpu() - before
}

function serve(run: BenchRun, name = ''): Promise<MeasuredServer> {
  return MeasuredServer.cairn(placesIn(run, name))
}

function placesIn({ folder }: BenchRun, name = '') {
  return { repository: join(folder, name, 'repository'), state: join(folder, name, 'state') }
}

/** Saves documents and puts pipelines in turns, and looks at the health after each, as a monitor does. */
async function changeOften(server: MeasuredServer, documents: readonly string[]): Promise<void> {
  for (const [n, document] of documents.entries()) {
    await server.save(document)
    await server.get('/health')
    await putPipeline(server, `p-${n}`, document)
    await server.get('/health')
  }
}

/** Gives one pipeline of a document another repository. */
function putPipeline(server: MeasuredServer, name: string, document: string): Promise<unknown> {
  const from = document.indexOf(`<pipeline name="${name}"`)
  const end = document.indexOf('</pipeline>', from) + '</pipeline>'.length
  const body = document.slice(from, end).replace('.git"', '-put.git"')
  const length = String(Buffer.byteLength(body))
  const headers = { 'if-match': '*', 'content-type': 'application/xml', 'content-length': length }
  const path = `/api/config/entities/pipeline/${name}`
  return server.send(path, { method: 'PUT', headers, body })
}

async function saveOften(run: BenchRun, save: (document: string) => Promise<void>): Promise<void> {
  for (const document of documentsOf(run)) await save(document)
}

/** Documents of about 13 MB; each differs from the one before in the repository of two pipelines. */
function* documentsOf({ quick }: BenchRun): Generator<string> {
  const pipelines = quick ? 200 : PIPELINES
  const document = documentOf(pipelines)
  yield document
  for (let n = 1; n < WARMING + SAVES; n += 1) {
    const place = (pipelines / 2 + n) % pipelines
    yield document.replace(`/p-${place}.git"`, `/q-${place}.git"`)
  }
}
