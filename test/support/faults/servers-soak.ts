import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { z } from 'zod'
import { PipelineHistoryBody } from '../../../src/wire/pipeline-run-body.ts'
import { RevisionEntry } from '../../../src/wire/revision-bodies.ts'
import { BUILT, type Callers, type Change, FIRST_VALUE, valuesIn } from './callers.ts'
import type { Fault } from './faults.ts'
import { findContradiction, type Model } from './linearizability.ts'
import { configurationModel, PROPOSAL_MODEL, RUNS_MODEL, SWITCH_MODEL } from './models.ts'
import { NoAnswer, type Recorder } from './recorder.ts'
import { type Loss, type NextChanges, ThreeServers } from './three-servers.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

export interface ServersSoakOptions {
  readonly folder: string
  /** The next fault; null ends the soak. */
  readonly next: (faults: number) => Fault | null
  /** Whether the tables lie on a small disk of their own. */
  readonly isDiskSmall?: boolean
  readonly tell?: (line: string) => void
}

export interface ServersSoakOutcome {
  readonly faults: Readonly<Record<string, number>>
  /** Calls that were answered, and calls without an answer. */
  readonly answered: number
  readonly unanswered: number
  readonly saves: number
  /** Runs that agents ended. */
  readonly builds: number
  /** Acknowledged changes that are missing, and those that are there twice. */
  readonly lost: readonly string[]
  readonly doubled: readonly string[]
  /** The consequences for the others when a server is lost. */
  readonly losses: readonly Loss[]
  /** The first changes after each fault, at every server. */
  readonly recoveries: readonly Loss[]
  /** Answers to callers that waited long for the next change. */
  readonly slow: readonly string[]
  readonly problems: readonly string[]
}

/** How many calls are shown before one that fits in no order. */
const SHOWN = 60
/** In milliseconds: how long everything may take until it works again. */
const HEALING_TIMEOUT_MS = 60_000

/** Three servers whose callers go on while one fault after the other happens to them. */
export async function soakServers(options: ServersSoakOptions): Promise<ServersSoakOutcome> {
  const { folder, next: nextFault, isDiskSmall = false, tell = () => undefined } = options
  await using scene = await ThreeServers.start(folder, { isDiskSmall })
  const { callers } = scene
  const working = callers.work()
  const faults = new Map<string, number>()
  const recoveries: Loss[] = []
  let count = 0
  for (let fault = nextFault(0); fault !== null && !callers.isOver; fault = nextFault(count)) {
    const at = performance.now()
    const { server } = await scene.leader()
    const before = server.process
    const known = (await scene.losses()).length
    await fault.run(scene)
    const everywhere = await scene.nextChanges()
    // The next fault meets servers that all work: a former leader ends, and is started again.
    if ((await scene.leader()).server !== server) await server.replaced(before)
    recoveries.push({ name: fault.name, ...everywhere })
    const loss = (await scene.losses()).slice(known)
    faults.set(fault.name, (faults.get(fault.name) ?? 0) + 1)
    count += 1
    const took = Math.round((performance.now() - at) / 100) / 10
    const next = [
      ...loss.map((each) => `; others ${inWords(each)}`),
      `; afterwards ${inWords(everywhere)}`,
    ]
    tell(
      `${count}: ${fault.name}, ${took} s; ${callers.acknowledged.length} acknowledged${next.join('')}`,
    )
  }
  callers.end()
  await working
  const remains = await lookAtRemains(scene)
  writeFileSync(join(folder, 'calls.json'), JSON.stringify(callsOf(callers), replaceInfinity, 1))
  return {
    faults: Object.fromEntries(faults),
    ...countsOf(callers),
    ...remains,
    losses: await scene.losses(),
    recoveries,
    slow: callers.slow,
    problems: [
      ...callers.problems,
      ...scene.members.flatMap(({ server }) => server.problems),
      ...contradictionsOf(callers),
    ],
  }
}

function inWords({ nextSave, nextBuild }: NextChanges): string {
  return `save after ${nextSave} ms, build after ${nextBuild} ms`
}

function countsOf({ configuration, runs, agent, proposals, acknowledged }: Callers) {
  const all = [configuration, ...runs.values(), agent, ...proposals.recorders.values()]
  const operations = all.flatMap<{ ended: number }>(({ operations: recorded }) => recorded)
  const unanswered = operations.filter(({ ended }) => ended === Infinity).length
  const count = (change: Change) => acknowledged.filter(({ what }) => what === change).length
  const counts = { saves: count('save'), builds: count('build') }
  return { answered: operations.length - unanswered, unanswered, ...counts }
}

/** The histories that are judged, by the names of their objects. */
function callsOf({ configuration, runs, agent, proposals }: Callers) {
  return {
    configuration,
    ...Object.fromEntries(runs),
    agent,
    proposals: Object.fromEntries(proposals.recorders),
  }
}

function replaceInfinity(_: string, value: unknown): unknown {
  return value === Infinity ? null : value
}

function contradictionsOf({ configuration, runs, agent, proposals }: Callers): string[] {
  return [
    ...contradictionOf('the configuration', configurationModel(FIRST_VALUE), configuration),
    ...[...runs].flatMap(([name, recorder]) => contradictionOf(name, RUNS_MODEL, recorder)),
    ...contradictionOf('the agent', SWITCH_MODEL, agent),
    ...[...proposals.recorders].flatMap(([number, recorder]) =>
      contradictionOf(`the proposal ${number}`, PROPOSAL_MODEL, recorder),
    ),
  ]
}

function contradictionOf<State, Call>(
  name: string,
  model: Model<State, Call>,
  { operations }: Recorder<Call>,
): string[] {
  const found = findContradiction(model, operations)
  if (found === null) return []
  const around = operations
    .filter(({ began }) => began < found.ended)
    .toSorted((one, other) => one.began - other.began)
    .slice(-SHOWN)
  const lines = around.map(
    ({ call, began, ended }) =>
      `  ${Math.round(began)} to ${Math.round(ended)}: ${JSON.stringify(call).slice(0, 120)}`,
  )
  return [
    `${name} has no order of its calls: ${JSON.stringify(found).slice(0, 300)}\n${lines.join('\n')}`,
  ]
}

/** Compares the final answers of every server with the acknowledged changes. */
async function lookAtRemains({ callers, urls }: ThreeServers) {
  const [lost, doubled]: [string[], string[]] = [[], []]
  const saved = callers.configuration.operations.flatMap(({ call, ended }) =>
    call.kind === 'save' && ended !== Infinity ? [call.to] : [],
  )
  for (const url of urls) {
    const list = (await answered(callers, '/api/config/revisions', url)).text
    const values = valuesIn(list)
    lost.push(
      ...saved.filter((value) => !values.includes(value)).map((value) => `${value} at ${url}`),
    )
    doubled.push(...twiceIn(values).map((value) => `${value} at ${url}`))
    const merges = reasonsIn(list)
    const missing = callers.proposals.merged.filter((reason) => !merges.includes(reason))
    lost.push(...missing.map((reason) => `the merge of ${reason} at ${url}`))
    doubled.push(...twiceIn(merges).map((reason) => `the merge of ${reason} at ${url}`))
    for (const [pipeline, started] of startedBy(callers)) {
      const history = await answered(callers, `/api/pipelines/${pipeline}/history`, url)
      const { pagination } = PipelineHistoryBody.parse(JSON.parse(history.text))
      doubled.push(...twiceIn(started.map(String)).map((run) => `${pipeline}/${run}`))
      lost.push(
        ...started.filter((run) => run > pagination.total).map((run) => `${pipeline}/${run}`),
      )
    }
    const commits = z
      .array(RevisionEntry)
      .parse(JSON.parse(list))
      .map(({ commitSHA }) => commitSHA)
    const noted = await changesIn(callers, url)
    // The first document is made before anybody could change it.
    lost.push(
      ...commits
        .slice(0, -1)
        .filter((each) => !noted.includes(each))
        .map((each) => `the audit of ${each}`),
    )
    doubled.push(...twiceIn(noted).map((each) => `the audit of ${each}`))
  }
  return { lost, doubled }
}

/** The reasons of the proposals that the list of revisions has as merged. */
function reasonsIn(list: string): readonly string[] {
  const entries = z.array(RevisionEntry).parse(JSON.parse(list))
  return entries.map(({ message }) => message).filter((message) => /^p\d+$/.test(message))
}

/** The counters of the runs of each pipeline that were acknowledged. */
function startedBy({ runs, built }: Callers): readonly (readonly [string, readonly number[]])[] {
  const recorded = [...runs].map(([pipeline, { operations }]) => {
    const counters = operations.flatMap(({ call }) =>
      call.kind === 'start' && call.counter !== null ? [call.counter] : [],
    )
    return [pipeline, counters] as const
  })
  return [...recorded, [BUILT, built]]
}

/** The commits of which the audit log says that they changed the configuration. */
async function changesIn(callers: Callers, url: string): Promise<string[]> {
  const targets: string[] = []
  let before: number | null = 1_000_000_000
  while (before !== null) {
    const path = `/api/audit?action=change-configuration&limit=1000&before=${before}`
    const page: AuditBody = AuditBody.parse(JSON.parse((await answered(callers, path, url)).text))
    targets.push(...page.entries.map(({ target }) => target))
    before = page.next
  }
  return targets
}

/** Asks until there is an answer. */
async function answered(callers: Callers, path: string, url: string) {
  const end = performance.now() + HEALING_TIMEOUT_MS
  for (;;) {
    try {
      const answer = await callers.ask(path, {}, url)
      if (answer.status === 200) return answer
      throw new NoAnswer(`${path}: ${answer.status} ${answer.text}`)
    } catch (error) {
      if (!(error instanceof NoAnswer) || performance.now() > end) throw error
      await wait(200)
    }
  }
}

function twiceIn(values: readonly string[]): string[] {
  return values.filter((value, place) => values.indexOf(value) !== place)
}
