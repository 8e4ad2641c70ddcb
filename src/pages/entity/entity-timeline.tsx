import { wholeEntityWord } from '../../document/entities/entities.ts'
import { type ShownStep, STEPS } from './entity-history.ts'
import { ChangeItems } from '../frame/change-list.tsx'
import { ChangeWords } from '../frame/change-words.tsx'
import { HunkTable, Path } from '../code/hunk.tsx'
import type { RowsOptions } from '../code/rows-html.ts'
import { LineCounts } from '../history/history-table.tsx'
import { Moment } from '../frame/when.tsx'
import { Who } from '../frame/who.tsx'
import { BY_TIME, Pager } from '../frame/pager.tsx'
import { EntityRuns } from './entity-runs.tsx'
import { StepLinks } from './step-links.tsx'
import type { EntityViewProps } from './entity-view.tsx'

/** The changes, newest first, each below the runs after it. */
export function EntityTimeline(props: EntityViewProps) {
  const { entity, now } = props
  const { steps, offset, total } = entity
  const isEnd = offset + steps.length >= total
  return (
    <>
      {steps.length === 0 && <p class="card">No changes yet.</p>}
      <ol class="timeline" aria-label="Changes and runs">
        {steps.map((step) => (
          <>
            <EntityRuns links={props.frame.links} runs={step.runs} now={now} />
            <li class="step" id={`r${step.revision.number}`}>
              <Step {...props} step={step} />
            </li>
          </>
        ))}
        {isEnd && steps.length > 0 && <Beginning step={steps.at(-1)} />}
      </ol>
      <Pages {...props} />
    </>
  )
}

function Step(props: EntityViewProps & { step: ShownStep }) {
  const { step } = props
  const { revision, changes } = step
  return (
    <article class="card" aria-label={`Revision r${revision.number}`}>
      <header>
        <StepName {...props} />
        <Who revision={revision} />
        <span class="muted">
          <Moment time={revision.time} />
        </span>
        <StepLinks {...props} />
      </header>
      <div class="changes">
        <ChangeItems changes={changes} href={null} />
      </div>
      <ChangeWords
        revision={revision}
        links={props.entity.isAdministrator ? props.frame.links : null}
      />
      <StepDiff step={step} />
    </article>
  )
}

function StepName({ frame: { links }, entity, step }: EntityViewProps & { step: ShownStep }) {
  const name = `r${step.revision.number}`
  const isOpen = entity.isAdministrator
  return <b class="number">{isOpen ? <a href={links.snapshot(name)}>{name}</a> : name}</b>
}

/** The lines of this entity that a step changed. */
function StepDiff({ step: { diff, revision } }: { step: ShownStep }) {
  if (diff === null || diff.regions.length === 0) return <></>
  return (
    <details class="step-diff">
      <summary>
        <LineCounts lines={diff.lines} /> lines
        <span class="visually-hidden">{` of r${revision.number}`}</span>
      </summary>
      {diff.regions.map((region) => (
        <section class="hunk">
          <p class="path">
            <Path region={region} />
          </p>
          <HunkTable region={region} view="unified" options={OPTIONS} />
        </section>
      ))}
    </details>
  )
}

const OPTIONS: RowsOptions = { isLong: false, unfold: null, anchors: 'none' }

function Beginning({ step }: { step: ShownStep | undefined }) {
  const isCreation = step?.changes.some(
    (change) => change.kind === 'added' && wholeEntityWord(change) !== null,
  )
  if (!step || isCreation) return <></>
  const number = step.revision.number
  return <li class="beginning muted">{`Older than r${number}, its first recorded change`}</li>
}

function Pages({ frame: { links }, entity }: EntityViewProps) {
  const { offset, total, steps, address } = entity
  return (
    <Pager
      pagination={{ offset, total, pageSize: STEPS }}
      shown={steps.length}
      labels={BY_TIME}
      to={(start) => links.entity(address.kind, address.name, { offset: start })}
    />
  )
}
