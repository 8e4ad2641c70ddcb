import { isSameName } from '../../core/name-key.ts'
import { wholeEntityWord, foldEntity } from '../../document/entities/entities.ts'
import { type ShownStep, STEPS } from './entity-history.ts'
import { ChangeItems, ChangeList } from '../parts/change-list.tsx'
import { ChangeHeadline, ChangeWords } from '../parts/change-words.tsx'
import { HunkTable, Path } from '../code/hunk.tsx'
import type { RowsOptions } from '../code/rows-html.ts'
import { LineCounts } from '../history/history-table.tsx'
import { lookOf } from '../kit/status.tsx'
import { Moment, When } from '../kit/when.tsx'
import { Who } from '../parts/who.tsx'
import { BY_TIME, Pager } from '../kit/pager.tsx'
import type { EntityViewProps } from './entity-view.tsx'
import { EntityName } from '../work/edit-scope.ts'
import type { EntityRun } from './runs-of-entity.ts'
import type { TemplateStep } from './template-steps.ts'
import { countOf } from '../kit/words/count.ts'
import { moreOf } from '../kit/lists.tsx'
import type { Links } from '../kit/links.ts'

/** The changes, newest first, each below the runs after it. */
export function EntityTimeline(props: EntityViewProps) {
  const { entity } = props
  const { steps, offset, total, address } = entity
  const [pipeline = ''] = address.name.split('/')
  const isEnd = offset + steps.length >= total
  return (
    <>
      {steps.length === 0 && (
        <p class="card">
          {entity.isAdministrator ? 'No changes yet.' : 'No changes that you can see.'}
        </p>
      )}
      <ol class="timeline" aria-label="Changes and runs">
        {steps.map((step) => (
          <>
            <AfterStep {...props} step={step} pipeline={pipeline} />
            <li class="step" id={`r${step.revision.number}`}>
              <Step {...props} step={step} />
            </li>
          </>
        ))}
        {isEnd && steps.length > 0 && <Beginning step={steps.at(-1)} />}
      </ol>
      <Pager
        pagination={{ offset, total, pageSize: STEPS }}
        labels={BY_TIME}
        to={(start) => props.frame.links.entity(address.kind, address.name, { offset: start })}
      />
    </>
  )
}

function Step(props: EntityViewProps & { step: ShownStep }) {
  const { step } = props
  const { revision, changes } = step
  return (
    <article class="card" aria-label={`Revision r${revision.number}`}>
      <header class="row">
        <StepName {...props} />
        <Who revision={revision} />
        <span class="muted">
          <Moment time={revision.time} />
        </span>
        <StepLinks {...props} />
      </header>
      <ChangeHeadline revision={revision} />
      {props.entity.address.kind === 'group' ? (
        <ChangesOfGroup {...props} />
      ) : (
        <div class="changes">
          <ChangeItems changes={changes} />
        </div>
      )}
      <ChangeWords
        revision={revision}
        links={props.entity.isAdministrator ? props.frame.links : null}
        isBelowHeadline
      />
      <StepDiff step={step} />
    </article>
  )
}

/** The most changes of a group and its pipelines that a step shows. */
const MAX_OF_GROUP = 20

function ChangesOfGroup({
  frame: { links },
  entity,
  step: { changes, revision },
}: EntityViewProps & { step: ShownStep }) {
  const all = (left: number) => (
    <a href={links.entityChange(entity.address, revision)}>{moreOf(left)}</a>
  )
  return (
    <ChangeList
      changes={changes}
      most={MAX_OF_GROUP}
      linkOf={(changed) => links.entityChange(changed, revision)}
      more={all}
    />
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
        <section class="hunk box">
          <p class="row hunk-bar">
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
  return <li class="off muted">{`Older than r${number}, its first recorded change`}</li>
}

/** The actions on a step: show its text, compare it, restore it. */
function StepLinks({ frame: { links }, entity, step }: EntityViewProps & { step: ShownStep }) {
  const { address, now, total, offset, steps } = entity
  const { number, base } = step.revision
  const isNewest = offset === 0 && steps[0] === step
  const name = `r${number}`
  return (
    <span class="row hunk-links">
      {base !== null && (
        <a href={links.entityChange(address, step.revision)}>
          Diff<span class="visually-hidden">{` of ${name}`}</span>
        </a>
      )}
      {!isNewest && total > 1 && (
        <a href={links.compareEntity(address, { from: name, to: 'current' })}>
          Diff to current<span class="visually-hidden">{` from ${name}`}</span>
        </a>
      )}
      {(!isNewest || now === null) && isRestorable(entity, step) && (
        <a href={links.restoreEntity(address, name)}>
          {`Restore only this ${address.kind}…`}
          <span class="visually-hidden">{` as of ${name}`}</span>
        </a>
      )}
    </span>
  )
}

/** A step that removed the entity has nothing to restore. */
function isRestorable(
  { address, mayEdit, mayOnlyPropose }: EntityViewProps['entity'],
  { changes, entity }: ShownStep,
): boolean {
  const isRemoval = changes.some(
    (change) =>
      change.kind === 'removed' &&
      foldEntity(change.entity) === entity &&
      wholeEntityWord(change) !== null,
  )
  const mayRestore = mayEdit || mayOnlyPropose
  return mayRestore && EntityName.safeParse(address).success && !isRemoval
}

type AfterStepProps = EntityViewProps & { readonly step: ShownStep; readonly pipeline: string }

/** Runs and changes of the template between a change and the next one, newest first. */
function AfterStep({ step: { runs, templates }, pipeline, ...props }: AfterStepProps) {
  const { frame, now } = props
  const items = (part: readonly EntityRun[], changes: readonly TemplateStep[]) =>
    [
      ...part.map((run) => ({
        time: run.time,
        item: <RunItem links={frame.links} run={run} pipeline={pipeline} now={now} />,
      })),
      ...changes.map((change) => ({
        time: change.revision.time,
        item: <TemplateItem {...props} change={change} />,
      })),
    ]
      .toSorted((one, other) => other.time - one.time)
      .map(({ item }) => item)
  const oldest = runs.newest.at(-1)?.time ?? Infinity
  const isAbove = ({ revision }: TemplateStep) => runs.left === 0 || revision.time >= oldest
  return (
    <>
      {items(runs.newest, templates.filter(isAbove))}
      {runs.left > 0 && <li class="run more muted">{countOf(runs.left, 'more run')}</li>}
      {items(
        runs.oldest,
        templates.filter((change) => !isAbove(change)),
      )}
    </>
  )
}

/** A revision that changed the pipeline through its template. */
function TemplateItem({
  frame: { links },
  entity: { address, isAdministrator },
  change: { template, revision, changes },
}: EntityViewProps & { change: TemplateStep }) {
  const name = `r${revision.number}`
  return (
    <li class="step" id={name}>
      <article class="card" aria-label={`Revision ${name} of template ${template}`}>
        <header class="row">
          <b class="number">{isAdministrator ? <a href={links.snapshot(name)}>{name}</a> : name}</b>
          <span class="badge changed">{`template ${template}`}</span>
          <Who revision={revision} />
          <span class="muted">
            <Moment time={revision.time} />
          </span>
          <span class="row hunk-links">
            <a href={links.entityChange(address, revision, { effective: '1' })}>
              Diff as it runs<span class="visually-hidden">{` of ${name}`}</span>
            </a>
          </span>
        </header>
        <ChangeHeadline revision={revision} />
        <div class="changes">
          <ChangeItems changes={changes} />
        </div>
        <ChangeWords revision={revision} links={isAdministrator ? links : null} isBelowHeadline />
      </article>
    </li>
  )
}

interface RunItemProps {
  readonly links: Links
  readonly run: EntityRun
  /** The name of the pipeline today. */
  readonly pipeline: string
  readonly now: number
}

function RunItem({ links, run, pipeline, now }: RunItemProps) {
  const { state, stage, failed, time } = run
  return (
    <li class={`run row ${lookOf(state)}`}>
      <b class="state">{state}</b>
      <RunName links={links} run={run} />
      {!isSameName(run.pipeline, pipeline) && <span class="muted">{`of ${run.pipeline}`}</span>}
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
