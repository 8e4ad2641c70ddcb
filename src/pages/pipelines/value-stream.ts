import { latestRun } from '../../builds/runs/list-pipelines.ts'
import { isSameName, nameKey } from '../../core/name-key.ts'
import type { Principal } from '../../core/principal.ts'
import type { Configuration } from '../../document/model/model.ts'
import { memoize } from '../../lib/memoize.ts'
import type { PipelinesPageDeps } from './pipelines-page.ts'
import { pipelineState, type RunState } from './pipeline-state.ts'

/** A pipeline in the map of what starts what. */
export interface StreamNode {
  readonly name: string
  /** Steps from the pipeline that the map is of: below zero for what comes before it. */
  readonly depth: number
  readonly status: RunState
}

/** The pipelines around one: those that it is built from, and those that are built from it. */
export interface ValueStream {
  readonly nodes: readonly StreamNode[]
  /** From the names of pipelines to those that are built from them. */
  readonly edges: readonly (readonly [from: string, to: string])[]
  /** Whether there are more than are shown. */
  readonly isCut: boolean
}

/** The steps in each direction, and the pipelines in all, that a map has room for. */
const MAX_DEPTH = 3
const MAX_NODES = 24

interface Neighbours {
  readonly name: string
  readonly before: Set<string>
  readonly after: Set<string>
}

const neighboursIn = memoize((configuration: Configuration): ReadonlyMap<string, Neighbours> => {
  const pipelines = configuration.groups.flatMap((group) => group.pipelines)
  const found = new Map<string, Neighbours>(
    pipelines.map(({ name }) => [nameKey(name), { name, before: new Set(), after: new Set() }]),
  )
  for (const { name, materials } of pipelines) {
    for (const material of materials) {
      if (material.kind !== 'dependency') continue
      const upstream = found.get(nameKey(material.pipeline))
      const own = found.get(nameKey(name))
      if (!upstream || !own) continue
      upstream.after.add(own.name)
      own.before.add(upstream.name)
    }
  }
  return found
})

/** The pipelines around one that the caller may view; null where there are none. */
export async function readValueStream(
  deps: PipelinesPageDeps,
  principal: Principal,
  pipeline: string,
): Promise<ValueStream | null> {
  const { access, pipelines } = deps
  const neighbours = neighboursIn(pipelines.configuration)
  const start = neighbours.get(nameKey(pipeline))
  if (!start) return null
  const maySee = (name: string) =>
    access.may(principal, { action: 'view-pipeline', pipeline: name })
  const depths = new Map<string, number>([[start.name, 0]])
  let isCut = false
  for (const [direction, step] of [
    ['before', -1],
    ['after', 1],
  ] as const) {
    let last = [start.name]
    for (let depth = step; last.length > 0; depth += step) {
      const next: string[] = []
      for (const name of last.flatMap((each) => [...namesNextTo(neighbours, each, direction)])) {
        if (depths.has(name) || !maySee(name)) continue
        isCut ||= Math.abs(depth) > MAX_DEPTH || depths.size >= MAX_NODES
        if (isCut) break
        depths.set(name, depth)
        next.push(name)
      }
      last = isCut ? [] : next
    }
  }
  if (depths.size === 1) return null
  const edges = [...depths.keys()].flatMap((name) =>
    [...namesNextTo(neighbours, name, 'after')]
      .filter((to) => depths.has(to))
      .map((to) => [name, to] as const),
  )
  spreadOut(depths, edges)
  const nodes = await Promise.all(
    Array.from(depths, async ([name, depth]) => {
      const configured = pipelines.find(name)?.pipeline ?? { stages: [] }
      return {
        name,
        depth,
        status: pipelineState(configured, await latestRun(deps, principal, name)),
      }
    }),
  )
  return { nodes, edges, isCut }
}

/** Moves pipelines away from the first one until every edge goes one way. */
function spreadOut(depths: Map<string, number>, edges: ValueStream['edges']): void {
  for (let round = 0; round < depths.size; round += 1) {
    for (const [from, to] of edges) {
      const [before = 0, after = 0] = [depths.get(from), depths.get(to)]
      if (before < after) continue
      if (after > 0) depths.set(to, before + 1)
      else if (before < 0) depths.set(from, after - 1)
    }
  }
}

function namesNextTo(
  neighbours: ReadonlyMap<string, Neighbours>,
  name: string,
  direction: 'before' | 'after',
): ReadonlySet<string> {
  return neighbours.get(nameKey(name))?.[direction] ?? new Set()
}

/** The pipelines that are one step from one, in a map of it. */
export function nextTo({ edges }: ValueStream, name: string) {
  return {
    before: edges.filter(([, to]) => isSameName(to, name)).map(([from]) => from),
    after: edges.filter(([from]) => isSameName(from, name)).map(([, to]) => to),
  }
}
