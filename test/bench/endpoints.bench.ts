import type { BenchCase, BenchRun, Measured, MeasuredCall } from './case.ts'
import { costOfEndpoint, costsOnBareApp, type Endpoint } from './endpoint-cost.ts'
import {
  agentsWorld,
  buildsWorld,
  comparisons,
  formsOfEntities,
  historyWorld,
  longWorld,
  type Size,
  type World,
} from './endpoint-worlds.ts'

const SMALL: Size = { name: 'small', revisions: 100, stages: 1_000, agents: 10 }
const LARGE: Size = { name: 'large', revisions: 100_000, stages: 100_000, agents: 10_000 }
const QUICK: Size = { ...LARGE, revisions: 300, stages: 2_000, agents: 100 }

/**
 * Calls that cost more: they answer with everything, with the whole past of one thing, or with a
 * document of 10,000 agents.
 */
const OF_EVERYTHING =
  /all of them|entity\/\[kind|\/api\/agents, gzip|\/agents, the page|metrics|ready|\/(?:dis|en)able|delete/

/** Less than this is not told apart, in milliseconds of CPU. */
const MIN_COST_MS = 0.05

export const cases: readonly BenchCase[] = [
  growthOf('configuration', historyWorld),
  growthOf('builds', buildsWorld),
  growthOf('agents and the service', agentsWorld),
  {
    name: 'endpoints: comparison of two of 100,000 runs under 100,000 revisions',
    must: { atMost: 20, unit: 'ms of CPU' },
    measure: (run) => slowestOf(run, { hasRuns: true }, comparisons),
  },
  {
    name: 'endpoints: the form of an entity under 100,000 revisions',
    must: { atMost: 20, unit: 'ms of CPU' },
    measure: (run) => slowestOf(run, { hasRuns: false }, formsOfEntities),
  },
]

type Open = (folder: string, size: Size) => Promise<World>

/** The call whose cost grows most, among those with a bound. */
function growthOf(area: string, open: Open): BenchCase {
  return {
    name: `endpoints: calls about ${area} with 1,000 times the data`,
    must: { atMost: 2, unit: 'times themselves' },
    measure: async (run): Promise<Measured> => {
      const calls = await compare(run, open)
      const bounded = calls.filter(({ call }) => !OF_EVERYTHING.test(call))
      const growths = bounded.map(({ small, large }) => large / Math.max(small, MIN_COST_MS))
      return { value: Math.max(...growths), calls }
    },
  }
}

/** The slowest of some calls, which are asked under a long history alone. */
async function slowestOf(
  run: BenchRun,
  world: { readonly hasRuns: boolean },
  endpointsOf: (revisions: number) => readonly Endpoint[],
): Promise<Measured> {
  const { revisions } = run.quick ? QUICK : LARGE
  await using server = await longWorld(revisions, world)
  const costs = new Map<string, number>()
  for (const endpoint of endpointsOf(revisions))
    costs.set(endpoint.call, await costOfEndpoint(server, endpoint, run.quick))
  return { value: Math.max(...costs.values()), facts: Object.fromEntries(costs) }
}

async function compare(run: BenchRun, open: Open): Promise<MeasuredCall[]> {
  const small = await costsIn(run, () => open(run.folder, SMALL))
  const large = await costsIn(run, () => open(run.folder, run.quick ? QUICK : LARGE))
  const answers = [...large.answers.values()]
  const bare = await costsOnBareApp(answers, run)
  const bareOf = new Map([...large.answers.keys()].map((call, n) => [call, bare[n] ?? null]))
  return [...large.costs].map(([call, cost]) => ({
    call,
    small: small.costs.get(call) ?? NaN,
    large: cost,
    bare: bareOf.get(call) ?? null,
  }))
}

/** The cost of each call, and the answers of those that change nothing. */
async function costsIn({ quick }: BenchRun, open: () => Promise<World>) {
  await using world = await open()
  const { server, endpoints } = world
  // What a start leaves to be found out behind the ready line is no part of a call.
  await server.rest()
  const costs = new Map<string, number>()
  const answers = new Map<string, Buffer>()
  for (const endpoint of endpoints) {
    const [first] = endpoint.requests
    if (first && !endpoint.isAction)
      answers.set(endpoint.call, await server.send(first.path, first))
    costs.set(endpoint.call, await costOfEndpoint(server, endpoint, quick))
  }
  return { costs, answers }
}
