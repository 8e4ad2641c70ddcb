import { plural } from '../../lib/plural.ts'
import type { StagePanelProps } from './stage-panel.tsx'
import type { StageSummary } from '../../builds/runs/stages.ts'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { countIds } from '../../builds/engine/id-ranges.ts'
import type { JobResult } from '../../core/builds/job.ts'
import type { JobTally } from '../../core/builds/stage.ts'
import { Confirmation } from '../kit/forms.tsx'
import { runAddress } from '../runs/run-labels.tsx'
import { hasPassedBefore, SincePassed } from '../runs/since-passed.tsx'

/**
 * The actions possible on a run now, the likeliest first: after a failure that is a rerun. A
 * cancellation has to be confirmed, and so has the next stage after a failure. The question is below
 * the jobs, so it has the focus, and is scrolled to with it.
 */
export function StageActions(props: StagePanelProps) {
  const { details, asks } = props
  const { mayCancel, mayRerun, next, run } = details
  if (asks === 'cancel' && mayCancel) return <ConfirmCancel {...props} />
  if (asks === 'run' && next !== null) return <ConfirmRun {...props} next={next} />
  const isComparable = hasPassedBefore(run)
  if (!mayCancel && !mayRerun && next === null && !isComparable) return <></>
  const address = runAddress(run)
  const hasPassed = run.result === 'Passed'
  return (
    <div class="actions panel-actions">
      {next !== null && hasPassed && <RunNext next={next} />}
      {mayRerun && <Reruns run={run} hasPassed={hasPassed} />}
      {next !== null && !hasPassed && (
        <LinkButton
          href={props.frame.links.stageRun(address, { ask: 'run' })}
          label={`Run stage ${next}…`}
        />
      )}
      {isComparable && <SincePassed links={props.frame.links} run={run} />}
      {mayCancel && (
        <LinkButton
          href={props.frame.links.stageRun(address, { ask: 'cancel' })}
          label="Cancel the run…"
          look="danger"
        />
      )}
    </div>
  )
}

function RunNext({ next }: { next: string }) {
  return (
    <>
      <input type="hidden" name="next" value={next} />
      <ActionButton value="run" label={`Run stage ${next}`} look="primary" />
    </>
  )
}

function Reruns({ run, hasPassed }: { run: StageSummary; hasPassed: boolean }) {
  const count = countIds(run.stage.jobs)
  const again = count - run.stage.tally.passed
  const isPart = again > 0 && again < count
  return (
    <>
      {isPart && (
        <ActionButton value="failed" label={rerunOf(again, run.stage.tally)} look="primary" />
      )}
      <ActionButton
        value="rerun"
        label="Rerun stage"
        look={hasPassed || isPart ? undefined : 'primary'}
      />
      {count > 1 && <ActionButton value="chosen" label="Rerun selected jobs" />}
    </>
  )
}

/** The result of a stage in a sentence. */
const OUTCOME = {
  Passed: 'passed',
  Failed: 'failed',
  Cancelled: 'was cancelled',
  Unknown: 'has not ended',
} as const satisfies Record<JobResult, string>

/** `Rerun the failed job`, `Rerun 2 cancelled jobs`. */
function rerunOf(count: number, tally: JobTally): string {
  const what = (['failed', 'cancelled'] as const).filter((each) => tally[each] > 0).join(' or ')
  return count === 1 ? `Rerun the ${what} job` : `Rerun ${count} ${what} jobs`
}

function ConfirmCancel({ frame: { links }, details: { run } }: StagePanelProps) {
  const { running: unfinished } = run.stage.tally
  const subject = plural(unfinished, 'The running job', `The ${unfinished} running jobs`)
  return (
    <Confirmation
      title="Cancel this run?"
      about={`${subject} will be stopped and can't be resumed. Finished jobs keep their results.`}
    >
      <ActionButton value="cancel" label="Cancel the run" look="danger" />
      <LinkButton href={links.stageRun(runAddress(run))} label="Keep running" />
    </Confirmation>
  )
}

function ConfirmRun({
  frame: { links },
  details: { run },
  next,
}: StagePanelProps & { next: string }) {
  const { stage, result } = run
  return (
    <Confirmation
      title={`Run ${next} although ${stage.name} ${OUTCOME[result]}?`}
      about={`${stage.name} is the stage before it.`}
    >
      <input type="hidden" name="next" value={next} />
      <ActionButton value="run" label={`Run stage ${next}`} look="danger" />
      <LinkButton href={links.stageRun(runAddress(run))} label="Go back" />
    </Confirmation>
  )
}
