import { countOf } from '../kit/words/count.ts'
import type { Links } from '../kit/links.ts'
import { FirstOf } from '../kit/lists.tsx'
import { NEWS } from '../kit/notice.tsx'
import type { PipelineAction, PipelineOutcome } from './act-on-pipelines.ts'

const WORDS = {
  trigger: 'Triggered',
  pause: 'Paused',
  unpause: 'Unpaused',
  unlock: 'Unlocked',
} as const satisfies Record<PipelineAction, string>

/** More refusals are counted alone. */
const MAX_SHOWN = 10

/** The result of an action on several pipelines that was refused for some. */
export function PipelineOutcomes(props: {
  readonly links: Links
  readonly action: PipelineAction
  readonly outcomes: readonly PipelineOutcome[]
}) {
  const { links, action, outcomes } = props
  const refused = outcomes.filter(({ isDone }) => !isDone)
  const done = outcomes.filter(({ isDone }) => isDone)
  return (
    <div class="card flash refused" {...NEWS}>
      {done.length > 0 && <p>{`${WORDS[action]} ${doneText(done)}.`}</p>}
      <p>
        <strong>{`Not done for ${countOf(refused.length, 'pipeline')}: `}</strong>
      </p>
      <FirstOf
        items={refused}
        most={MAX_SHOWN}
        of={({ pipeline, message }) => (
          <>
            <a href={links.pipeline(pipeline)}>{pipeline}</a>
            {`: ${message}.`}
          </>
        )}
      />
    </div>
  )
}

/** `web and 3 others`, and how many had nothing to change. */
export function doneText(outcomes: readonly PipelineOutcome[]): string {
  const unchanged = outcomes.filter(({ isUnchanged }) => isUnchanged).length
  const changed = outcomes.filter(({ isUnchanged }) => !isUnchanged)
  const [first] = changed
  const text = changed.length === 1 && first ? first.pipeline : countOf(changed.length, 'pipeline')
  return unchanged === 0 ? text : `${text}, ${unchanged} unchanged`
}
