import type { StagePanelProps } from './stage-panel.tsx'
import type { JobInstance } from '../../builds/runs/stages.ts'
import { runAddress } from '../runs/run-labels.tsx'

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
  if (!mayCancel && !mayRerun && next === null) return <></>
  const address = runAddress(run)
  const hasPassed = run.result === 'Passed'
  return (
    <div class="actions panel-actions">
      {next !== null && hasPassed && <RunNext next={next} />}
      {mayRerun && <Reruns jobs={run.jobs} hasPassed={hasPassed} />}
      {next !== null && !hasPassed && (
        <a class="button" href={props.frame.links.stageRun(address, { ask: 'run' })}>
          {`Run stage ${next}…`}
        </a>
      )}
      {mayCancel && (
        <a class="button danger" href={props.frame.links.stageRun(address, { ask: 'cancel' })}>
          Cancel the run…
        </a>
      )}
    </div>
  )
}

function RunNext({ next }: { next: string }) {
  return (
    <>
      <input type="hidden" name="next" value={next} />
      <button class="primary" name="action" value="run">{`Run stage ${next}`}</button>
    </>
  )
}

function Reruns({ jobs, hasPassed }: { jobs: readonly JobInstance[]; hasPassed: boolean }) {
  const again = jobs.filter(({ result }) => result !== 'Passed')
  const isPart = again.length > 0 && again.length < jobs.length
  return (
    <>
      {isPart && (
        <button class="primary" name="action" value="failed">
          {rerunOf(again)}
        </button>
      )}
      <button class={hasPassed || isPart ? '' : 'primary'} name="action" value="rerun">
        Rerun the stage
      </button>
      {jobs.length > 1 && (
        <button name="action" value="chosen">
          Rerun selected jobs
        </button>
      )}
    </>
  )
}

/** `Rerun the failed job`, `Rerun 2 cancelled jobs`. */
function rerunOf(jobs: readonly JobInstance[]): string {
  const words = ['Failed', 'Cancelled'].filter((each) => jobs.some(({ result }) => result === each))
  const what = words.join(' or ').toLowerCase()
  return jobs.length === 1 ? `Rerun the ${what} job` : `Rerun ${jobs.length} ${what} jobs`
}

function ConfirmCancel({ frame: { links }, details: { run } }: StagePanelProps) {
  const unfinished = run.jobs.filter(({ state }) => state !== 'Completed').length
  return (
    <div class="confirm" role="group" aria-labelledby="confirm-title" tabindex={-1} autofocus>
      <h3 id="confirm-title">Cancel this run?</h3>
      <p>
        {unfinished === 1 ? 'Its unfinished job is' : `Its ${unfinished} unfinished jobs are`}{' '}
        stopped and cannot be continued. Finished jobs keep their results.
      </p>
      <div class="actions">
        <button class="danger" name="action" value="cancel">
          Cancel the run
        </button>
        <a class="button" href={links.stageRun(runAddress(run))}>
          Keep running
        </a>
      </div>
    </div>
  )
}

function ConfirmRun({
  frame: { links },
  details: { run },
  next,
}: StagePanelProps & { next: string }) {
  const { stage, result } = run
  return (
    <div class="confirm" role="group" aria-labelledby="confirm-title" tabindex={-1} autofocus>
      <h3 id="confirm-title">{`Run stage ${next} anyway?`}</h3>
      <p>{`The stage ${stage.name} before it has the result ${result}.`}</p>
      <div class="actions">
        <input type="hidden" name="next" value={next} />
        <button class="danger" name="action" value="run">
          {`Run stage ${next}`}
        </button>
        <a class="button" href={links.stageRun(runAddress(run))}>
          Go back
        </a>
      </div>
    </div>
  )
}
