import { join } from 'node:path'
import type { BenchCase, BenchRun, Measured } from './case.ts'
import { RulesReplayBody } from '../../src/wire/rules-body.ts'
import { toldHistoryOf } from './histories.ts'
import { makeHistory } from './make-history.ts'
import { median } from './measure.ts'
import { MeasuredServer } from './servers.ts'

const ROUNDS = 8
/** A round in which a service collects its garbage and the other does not is one of many. */
const ROUNDS_OF_SAVES = 24
const GZIP = { 'accept-encoding': 'gzip' }

export const cases: readonly BenchCase[] = [
  {
    name: 'proposals: a save with 50 rules against one without',
    must: { atMost: 1.1, unit: 'times the CPU' },
    measure: savesWithRules,
  },
  {
    name: 'proposals: a list of 1,000',
    must: { atMost: 20, unit: 'ms of CPU' },
    measure: (run) => listed(run, '/api/proposals?state=open'),
  },
  {
    name: 'proposals: the page of a list of 1,000',
    must: { atMost: 60, unit: 'ms of CPU' },
    measure: (run) => listed(run, '/proposals'),
  },
  {
    name: 'proposals: which of 1,000 wait for somebody',
    must: { atMost: 250, unit: 'ms of CPU' },
    measure: (run) => listed(run, '/api/proposals?waiting-for=me'),
  },
  {
    name: 'proposals: the page of one of 1 MB, looked at again',
    must: { atMost: 60, unit: 'ms of CPU' },
    measure: async (run) => (await pageOfOne(run, 1)).again,
  },
  {
    name: 'proposals: the page of one of 10 MB at first',
    must: { atMost: 600, unit: 'ms of CPU' },
    measure: async (run) => (await pageOfOne(run, 10)).first,
  },
  {
    name: 'rules: a replay over 100,000 revisions',
    must: { atMost: 20, unit: 's' },
    measure: replayed,
  },
]

/** Rules that look at entities, paths, users and doors, none of which stops the saves. */
function manyRules(count: number): string {
  const rules = Array.from({ length: count }, (_, n) => {
    const need = n % 2 === 0 ? 'need: [{ reason: required }]' : 'effect: deny'
    return `  - name: rule-${n}
    match: { entity: ["pipeline/pipeline-0000${n % 10}", "group/first", "pipeline in group/first"], change: [removed] }
    ${need}
`
  })
  return `version: 1\nrules:\n${rules.join('')}`
}

/** Save by save in turns on one service each, so that what else the machine does meets both. */
async function savesWithRules(run: BenchRun): Promise<Measured> {
  const documents = { documentSize: run.quick ? 20_000 : 126_000, revisions: 100 }
  const scenes = ['ruled', 'free'].map((name) => join(run.folder, name))
  for (const scene of scenes) await makeHistory({ folder: join(scene, 'repository'), ...documents })
  await using ruled = await serve(scenes[0] ?? '')
  await using free = await serve(scenes[1] ?? '')
  const headers = { 'if-none-match': '*' }
  await ruled.send('/api/admin/rules.yaml', { method: 'PUT', headers, body: manyRules(50) })
  for (const server of [ruled, free]) await server.rest()
  const document = (await free.get('/api/admin/config.xml')).toString('utf8')
  const servers = [ruled, free] as const
  const ratios: number[] = []
  const spent: number[] = []
  const times = run.quick ? 2 : 20
  for (let round = 0; round <= (run.quick ? 1 : ROUNDS_OF_SAVES); round += 1) {
    const before = servers.map((server) => server.cpu())
    for (let n = 0; n < times; n += 1) {
      const body = document.replace(/change-\d+\.git/, `round-${round}-${n}.git`)
      // What is measured first finds the caches of the machine as others left them.
      const turns = n % 2 === 0 ? servers : servers.toReversed()
      for (const server of turns) await server.save(body)
    }
    // What follows a save is a part of it, and would be counted with this round or with none.
    for (const server of servers) await server.rest()
    const [withRules = NaN, without = NaN] = servers.map(
      (server, n) => (server.cpu() - (before[n] ?? 0)) / times,
    )
    if (round === 0) continue
    ratios.push(withRules / without)
    spent.push(without)
  }
  const facts = { 'ms without': median(spent) }
  return { value: median(ratios), facts }
}

async function listed(run: BenchRun, path: string): Promise<Measured> {
  const count = run.quick ? 20 : 1_000
  await makeHistory({ folder: join(run.folder, 'repository'), revisions: 10, documentSize: 20_000 })
  await using server = await serve(run.folder)
  const entity = await server.get('/api/config/entities/pipeline/pipeline-00000')
  for (let n = 0; n < count; n += 1) await propose(server, entity.toString('utf8'), n)
  await server.rest()
  return await costOfAnswer(server, path)
}

/** Rules that each change meets, some that none does, and one that a few do. */
const REPLAYED = `version: 1
rules:
  - name: two-eyes
    match: { entity: [group/first, pipeline in group/first] }
    unless: { only: [comment, layout] }
    need:
      - { approvals: 1, of: admins of the group }
      - { approvals: 1, of: admins, when: { path: [authorization] } }
    not: [author, contributor]
  - name: reasons
    match: { door: [put, post, form, entity, push] }
    need: [{ reason: required }]
  - name: weekends
    window: { weekly: "fri 16:00 - mon 07:00", zone: Europe/Berlin }
    match: { entity: pipeline/pipeline-00003 }
    effect: deny
  - name: templates
    match: { entity: template/* }
    effect: deny
  - name: live
    match: { entity: environment/live and what runs in it, path: [stage] }
    effect: deny
`

async function replayed(run: BenchRun): Promise<Measured> {
  const { places } = await toldHistoryOf(run.quick ? 2_000 : 100_000, 20_000)
  await using server = await MeasuredServer.cairn(places)
  await server.rest()
  const headers = { 'content-type': 'application/yaml' }
  const started = performance.now()
  const answer = await server.send('/api/admin/rules/replay', {
    method: 'POST',
    headers,
    body: REPLAYED,
  })
  const value = (performance.now() - started) / 1_000
  const { changes, heldUp, read } = RulesReplayBody.parse(JSON.parse(answer.toString('utf8')))
  return { value, facts: { changes, 'held up': heldUp, read } }
}

/**
 * The page of a proposal before and after somebody else has saved another pipeline. A comparison of 1 MB may cost
 * 60 ms; ten times the text may cost ten times as much at its first look.
 */
async function pageOfOne(run: BenchRun, megabytes: number) {
  const documentSize = run.quick ? 100_000 : megabytes * 2 ** 20
  await makeHistory({ folder: join(run.folder, 'repository'), revisions: 3, documentSize })
  await using server = await serve(run.folder)
  await server.rest()
  const entity = (await server.get('/api/config/entities/pipeline/pipeline-00000')).toString('utf8')
  const first: number[] = []
  const saved: number[] = []
  const again: number[] = []
  for (let n = 1; n <= (run.quick ? 1 : ROUNDS); n += 1) {
    await propose(server, entity, n)
    const costOfLook = async () => {
      await server.rest()
      return server.costOf([`/proposals/${n}?look=${first.length}`], GZIP)
    }
    first.push(await costOfLook())
    again.push(await costOfLook())
    const document = (await server.get('/api/admin/config.xml')).toString('utf8')
    const place = document.lastIndexOf('<git url')
    await server.save(
      document.slice(0, place) + document.slice(place).replace(/[^/]*\.git/, `saved-${n}.git`),
    )
    saved.push(await costOfLook())
  }
  const facts = { 'ms after a save': median(saved) }
  return {
    first: { value: median(first), facts: { ...facts, 'ms again': median(again) } },
    again: { value: median(again), facts: { ...facts, 'ms at first': median(first) } },
  }
}

function serve(folder: string): Promise<MeasuredServer> {
  const places = { repository: join(folder, 'repository'), state: join(folder, 'state') }
  return MeasuredServer.cairn(places)
}

async function propose(server: MeasuredServer, xml: string, n: number): Promise<void> {
  const name = /name="([^"]*)"/.exec(xml)?.[1] ?? ''
  const changed = xml.replace('<pipeline ', `<pipeline labeltemplate="${n}-\${COUNT}" `)
  const entities = [{ kind: 'pipeline', name, xml: changed }]
  const body = JSON.stringify({ title: `Label ${n}`, entities })
  const headers = { 'content-type': 'application/json' }
  await server.send('/api/proposals', { method: 'POST', headers, body })
}

/** CPU of an answer that was asked for before. */
async function costOfAnswer(server: MeasuredServer, path: string): Promise<Measured> {
  const first = await server.costOf([path], GZIP)
  const value = await server.costOfEach(
    Array.from({ length: 20 }, () => path),
    (each) => server.get(each, GZIP),
    1,
  )
  const page = await server.get(path, GZIP)
  const facts = { 'KB gzip': page.length / 1_000, 'ms of CPU at first': first }
  return { value, facts }
}
