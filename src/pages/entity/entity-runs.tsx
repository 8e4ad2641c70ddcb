import type { EntityRun, RunsBetween } from './runs-of-entity.ts'
import type { Links } from '../frame/links.ts'
import { When } from '../frame/when.tsx'

const SHAPES = {
  Passed: 'passed',
  Failed: 'failed',
  Failing: 'failed',
  Building: 'building',
  Cancelled: 'cancelled',
  Unknown: 'cancelled',
} as const satisfies Record<EntityRun['state'], string>

interface EntityRunsProps {
  readonly links: Links
  readonly runs: RunsBetween
  readonly now: number
}

/** The runs between two changes. */
export function EntityRuns({ links, runs: { newest, left, oldest }, now }: EntityRunsProps) {
  return (
    <>
      {newest.map((run) => (
        <RunItem links={links} run={run} now={now} />
      ))}
      {left > 0 && (
        <li class="run more muted">{`${left.toLocaleString('en')} more ${left === 1 ? 'run' : 'runs'}`}</li>
      )}
      {oldest.map((run) => (
        <RunItem links={links} run={run} now={now} />
      ))}
    </>
  )
}

function RunItem({ links, run, now }: { links: Links; run: EntityRun; now: number }) {
  const { state, stage, failed, time } = run
  const shape = SHAPES[state]
  return (
    <li class={`run ${shape}`}>
      <span class="state">{state}</span>
      <RunName links={links} run={run} />
      {failed.length > 0 && (
        <span class="muted">{`${stage?.name ?? ''}: ${failed.slice(0, 3).join(', ')} failed`}</span>
      )}
      <span class="muted">
        <When time={time} now={now} />
      </span>
    </li>
  )
}

function RunName({ links, run }: { links: Links; run: EntityRun }) {
  const { pipeline, counter: pipelineCounter, label, stage } = run
  if (stage === null) return <span>{`Run ${label}`}</span>
  const place = { pipeline, pipelineCounter, stage: stage.name, stageCounter: stage.counter }
  return <a href={links.stageRun(place)}>{`Run ${label}`}</a>
}
