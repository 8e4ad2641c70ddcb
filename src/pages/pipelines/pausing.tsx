import { STARTED_PAUSED } from '../../builds/runs/pausing.ts'
import { ActionButton } from '../kit/buttons.tsx'
import type { PipelineCard } from './pipelines-page.ts'

type Pausable = Pick<PipelineCard, 'name' | 'pause' | 'mayOperate'>

/** Shows that a pipeline is paused, by whom and why. */
export function Paused({ pause }: Pick<Pausable, 'pause'>) {
  if (pause === null) return <></>
  const { by, cause } = pause
  const isByStart = by === STARTED_PAUSED.by && cause === STARTED_PAUSED.cause
  return (
    <p class="paused">
      <span class="badge">Paused</span>
      {isByStart ? ' at start-up' : ` by ${by}${cause === '' ? '' : `: ${cause}`}`}
    </p>
  )
}

/**
 * Pauses a pipeline with a reason, or unpauses it. A form of its own, so that Enter triggers
 * nothing else.
 */
export function PauseForm({ name, pause, mayOperate }: Pausable) {
  if (!mayOperate) return <></>
  return (
    <form method="post" class="actions pausing">
      <input type="hidden" name="pipeline" value={name} />
      {pause === null ? (
        <>
          <input
            type="text"
            id={`pause-cause-${name}`}
            name="pauseCause"
            maxlength={255}
            placeholder="Reason"
            aria-label={`Reason to pause ${name}`}
          />
          <ActionButton value="pause" label="Pause" hint={`Pause ${name}`} />
        </>
      ) : (
        <ActionButton value="unpause" label="Unpause" hint={`Unpause ${name}`} />
      )}
    </form>
  )
}
