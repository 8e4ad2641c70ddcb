import { countOf } from '../kit/words/count.ts'
import type { StageSummary } from '../../builds/runs/stages.ts'
import type { Wait } from '../../core/builds/waiting.ts'
import { nameKey } from '../../core/name-key.ts'
import type { Links } from '../kit/links.ts'
import { Chips, lookOf, Status } from '../kit/status.tsx'

export function runAddress({ stage }: StageSummary) {
  const { pipelineName, pipelineCounter, name, counter } = stage
  return { pipeline: pipelineName, pipelineCounter, stage: name, stageCounter: counter }
}

/** `412`, or `412 (attempt 2)` for a stage that was run again. */
export function RunName({ run }: { run: StageSummary }) {
  const { pipelineCounter, counter } = run.stage
  return (
    <>
      <b>{pipelineCounter}</b>
      {counter > 1 && ` (attempt ${counter})`}
    </>
  )
}

export function RunStatus({ run }: { run: StageSummary }) {
  return <Status status={wordOf(run)} />
}

export function runLook(run: StageSummary): string {
  return lookOf(wordOf(run))
}

/** The state of a run in progress, or else its result. */
function wordOf(run: StageSummary): string {
  if (run.state === 'Building' && run.isWaiting) return 'Waiting'
  return run.active ? run.state : run.result
}

/** The stages of a run in order, each with its state or result; future stages are included. */
export function StageChips({
  links,
  planned,
  stages,
  current = null,
}: {
  links: Links
  planned: readonly string[]
  stages: readonly StageSummary[]
  /** The stage that the page shows. */
  current?: string | null
}) {
  const started = new Set(stages.map(({ stage }) => nameKey(stage.name)))
  const toCome = planned.filter((name) => !started.has(nameKey(name)))
  return (
    <Chips
      chips={[
        ...stages.map((run) => ({
          name: run.stage.name,
          href: links.stageRun(runAddress(run)),
          status: wordOf(run),
          isCurrent: run.stage.name === current,
        })),
        ...toCome.map((name) => ({ name, href: null })),
      ]}
    />
  )
}

/** `8 runs, with configuration changes in between`: what a page of runs lists. */
export function aboutRuns(total: number, hasMarkers: boolean): string {
  const runs = total === 0 ? 'No runs yet' : countOf(total, 'run')
  const between = total === 1 ? '' : ' in between'
  const where =
    total === 0 ? ', only configuration changes' : `, with configuration changes${between}`
  return `${runs}${hasMarkers ? where : ''}. `
}

/** Why a job waits; marked as a problem if no agent will take it. */
export function WaitReason({ wait: { isStuck, reason } }: { wait: Wait }) {
  return <span class={isStuck ? 'wait problem' : 'wait muted'}>{`Waiting: ${reason}.`}</span>
}
