import { readdirSync, readFileSync } from 'node:fs'

/** Milliseconds for one operation: the medians of several rounds. */
export interface Cost {
  /** CPU time of this process, its threads and the children that it has waited for. */
  readonly cpu: number
  readonly wall: number
}

export interface Rounds {
  readonly rounds: number
  /** Operations in a round; their cost is divided by it. */
  readonly times: number
}

/** Linux counts the CPU time of processes in ticks of this many milliseconds. */
const TICK_MS = 10

/**
 * Measures several ways to do something in turns, so that whatever else the
 * machine does meets all of them alike. A first round warms up and is not counted.
 */
export async function interleaved<Name extends string>(
  ways: Readonly<Record<Name, () => unknown>>,
  { rounds, times }: Rounds,
): Promise<ReadonlyMap<Name, Cost>> {
  const names = keysOf(ways)
  const costs = new Map<Name, Cost[]>(names.map((name) => [name, []]))
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const cost = await costOf(ways[name], times)
      if (round > 0) costs.get(name)?.push(cost)
    }
  }
  return new Map(names.map((name) => [name, medianCost(costs.get(name) ?? [])]))
}

/** The cost of the one way there is. */
export async function costInRounds(way: () => unknown, rounds: Rounds): Promise<Cost> {
  const costs = await interleaved({ way }, rounds)
  return costs.get('way') ?? { cpu: NaN, wall: NaN }
}

/**
 * CPU milliseconds that the threads of a running process have used, for servers and other children
 * that live long. The scheduler counts them to the nanosecond, where the process has ticks.
 */
export function cpuOfProcess(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`)
  const used = threads.map((thread) => {
    const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  })
  return used.reduce((sum, each) => sum + each, 0)
}

/** CPU milliseconds of a process and of the children that it has waited for, in whole ticks. */
export function cpuWithEnded(pid: number): number {
  const ticks = statOf(String(pid)).slice(11, 15).map(Number)
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS
}

export function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? NaN
}

export function mean(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0) / numbers.length
}

/** The mean cost of some operations, measured once. */
export async function costOf(way: () => unknown, times: number): Promise<Cost> {
  const cpu = cpuSoFar()
  const start = performance.now()
  for (let n = 0; n < times; n++) await way()
  return { cpu: (cpuSoFar() - cpu) / times, wall: (performance.now() - start) / times }
}

function cpuSoFar(): number {
  const { user, system } = process.cpuUsage()
  const [childUser, childSystem] = statOf('self').slice(13, 15)
  return (user + system) / 1000 + (Number(childUser) + Number(childSystem)) * TICK_MS
}

/** The fields after the name of the command, which is the only one that may contain spaces. */
function statOf(pid: string): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
}

function medianCost(costs: readonly Cost[]): Cost {
  return {
    cpu: median(costs.map(({ cpu }) => cpu)),
    wall: median(costs.map(({ wall }) => wall)),
  }
}

function keysOf<Name extends string>(record: Readonly<Record<Name, unknown>>): Name[] {
  const names: Name[] = []
  for (const name in record) names.push(name)
  return names
}
