import { nameKey } from '../../core/name-key.ts'
import type { DependencyMaterial, Material, Pipeline } from '../model/model.ts'
import { memoize } from '../../lib/memoize.ts'
import { quoting, shorten } from '../text/shown-text.ts'
import { type Finding, repeats } from '../model/finding.ts'
import type { PipelineRule, ReferenceRule, RuleContext } from './rule-context.ts'

const MAX_NAMED = 12

export const dependenciesOf = memoize(({ materials }: Pipeline): readonly DependencyMaterial[] =>
  materials.filter((material: Material) => material.kind === 'dependency'),
)

/** DEP-1: the pipeline and the stage that a dependency names exist. */
export const upstreams: ReferenceRule = function* (
  pipeline,
  { pipelinesByName },
): Generator<Finding> {
  for (const { at, pipeline: upstream, stage } of dependenciesOf(pipeline)) {
    const found = pipelinesByName.get(nameKey(upstream))
    if (!found) {
      const message = quoting`the pipeline ${upstream} that ${pipeline.name} depends on does not exist`
      yield { at, message }
    } else if (!found.stages.some(({ name }) => nameKey(name) === nameKey(stage))) {
      const message = quoting`the pipeline ${found.name} that ${pipeline.name} depends on has no stage ${stage}`
      yield { at, message }
    }
  }
}

/** DEP-1: a pipeline depends on each upstream once, whatever the stage. */
export const upstreamOnce: PipelineRule = function* (pipeline): Generator<Finding> {
  for (const { item, first } of repeats(dependenciesOf(pipeline), upstreamKey)) {
    if (item.pipeline === first.pipeline && item.stage === first.stage) continue
    const message = quoting`the pipeline ${pipeline.name} depends on ${item.pipeline} more than once`
    yield { at: item.at, message }
  }
}

function upstreamKey(dependency: DependencyMaterial): string {
  return nameKey(dependency.pipeline)
}

/** DEP-1: no pipeline depends on itself by way of others. One circle is said once. */
export function* dependencyCycles({ pipelines, pipelinesByName }: RuleContext): Generator<Finding> {
  const done = new Set<Pipeline>()
  for (const start of pipelines) {
    if (dependenciesOf(start).length === 0) continue
    for (const cycle of cyclesFrom(start, pipelinesByName, done)) {
      const [first] = cycle
      if (first) yield { at: first.at, message: `circular dependency: ${renderCycle(cycle)}` }
    }
  }
}

interface Step {
  readonly pipeline: Pipeline
  readonly upstreams: Iterator<Pipeline>
}

/** A walk in depth without recursion, so that a chain of any length can be followed. */
function* cyclesFrom(
  start: Pipeline,
  byName: ReadonlyMap<string, Pipeline>,
  done: Set<Pipeline>,
): Generator<readonly Pipeline[]> {
  if (done.has(start)) return
  const path: Step[] = [{ pipeline: start, upstreams: upstreamsOf(start, byName) }]
  const onPath = new Set([start])
  for (let top = path.at(-1); top; top = path.at(-1)) {
    const next = top.upstreams.next()
    if (next.done) {
      path.pop()
      onPath.delete(top.pipeline)
      done.add(top.pipeline)
    } else if (onPath.has(next.value)) {
      yield cycleOn(path, next.value)
    } else if (!done.has(next.value)) {
      onPath.add(next.value)
      path.push({ pipeline: next.value, upstreams: upstreamsOf(next.value, byName) })
    }
  }
}

function* upstreamsOf(
  pipeline: Pipeline,
  byName: ReadonlyMap<string, Pipeline>,
): Generator<Pipeline, undefined> {
  for (const dependency of dependenciesOf(pipeline)) {
    const upstream = byName.get(nameKey(dependency.pipeline))
    if (upstream) yield upstream
  }
}

function cycleOn(path: readonly Step[], target: Pipeline): readonly Pipeline[] {
  const from = path.findIndex(({ pipeline }) => pipeline === target)
  return path.slice(from, from + MAX_NAMED).map(({ pipeline }) => pipeline)
}

function renderCycle(cycle: readonly Pipeline[]): string {
  const names = cycle.map(({ name }) => shorten(name))
  const ending = cycle.length === MAX_NAMED ? ['…'] : []
  return [...names, ...ending, names[0]].join(' <- ')
}
