import type { StagePanelProps } from './stage-panel.tsx'
import { runAddress } from '../runs/run-labels.tsx'

/** The actions possible on a run now. A cancellation has to be confirmed. */
export function StageActions(props: StagePanelProps) {
  const { details, asksToCancel } = props
  if (asksToCancel && details.mayCancel) return <ConfirmCancel {...props} />
  const { mayCancel, mayRerun, next, run } = details
  const address = runAddress(run)
  const failed = run.jobs.filter(({ result }) => result !== 'Passed').length
  if (!mayCancel && !mayRerun && next === null) return <></>
  return (
    <div class="actions panel-actions">
      {next !== null && (
        <>
          <input type="hidden" name="next" value={next} />
          <button class="primary" name="action" value="run">{`Run stage ${next}`}</button>
        </>
      )}
      {mayRerun && (
        <button name="action" value="rerun">
          Rerun the stage
        </button>
      )}
      {mayRerun && failed > 0 && (
        <button name="action" value="failed">
          {failed === 1 ? 'Rerun the failed job' : `Rerun ${failed} failed jobs`}
        </button>
      )}
      {mayRerun && (
        <button name="action" value="chosen">
          Rerun chosen jobs
        </button>
      )}
      {mayCancel && (
        <a class="button danger" href={props.frame.links.stageRun(address, { ask: 'cancel' })}>
          Cancel the active run…
        </a>
      )}
    </div>
  )
}

function ConfirmCancel({ frame: { links }, details: { run } }: StagePanelProps) {
  const unfinished = run.jobs.filter(({ state }) => state !== 'Completed').length
  return (
    <div class="confirm" role="group" aria-labelledby="confirm-title">
      <h3 id="confirm-title">Cancel this run?</h3>
      <p>
        {unfinished === 1 ? 'Its unfinished job is' : `Its ${unfinished} unfinished jobs are`}{' '}
        stopped and cannot be continued. Jobs that are over keep their results.
      </p>
      <div class="actions">
        <button class="danger" name="action" value="cancel">
          Cancel the run
        </button>
        <a class="button" href={links.stageRun(runAddress(run))}>
          Let it go on
        </a>
      </div>
    </div>
  )
}
