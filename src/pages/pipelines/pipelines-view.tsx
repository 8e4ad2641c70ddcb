import { EmptyCard, FlashCard } from '../kit/notice.tsx'
import {
  type PipelineCard,
  PIPELINE_ROWS,
  type PipelinesPage,
  type PipelinesQuery,
} from './pipelines-page.ts'
import { PIPELINE_STATES, STATE_ORDER } from './pipeline-state.ts'
import type { OpenPageWithMessage, PageFrame } from '../kit/layout.tsx'
import { Freshness, LivePage } from '../kit/live.tsx'
import type { Query } from '../kit/links.ts'
import { Ago, When } from '../kit/when.tsx'
import { ActionButton, EnterButton, LinkButton, PROPOSE_CHANGE } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { CheckBox, FilterForm, Select, type SelectOption } from '../kit/forms.tsx'
import { MoreMenu, PageHead } from '../kit/page-head.tsx'
import { Pager } from '../kit/pager.tsx'
import { FirstUse } from '../new-pipeline/first-use.tsx'
import type { PipelineAction, PipelineOutcome } from './act-on-pipelines.ts'
import { Cause } from './materials.tsx'
import { PipelineOutcomes } from './pipeline-outcomes.tsx'
import { RunTrend } from './run-trend.tsx'
import { Paused, PauseForm } from './pausing.tsx'
import { StageChips } from '../runs/run-labels.tsx'
import { pipelineStart } from '../runs/run-starts.ts'
import { groupBy } from '../../lib/grouping.ts'

interface PipelinesDone {
  readonly action: PipelineAction
  readonly outcomes: readonly PipelineOutcome[]
}

export interface PipelinesViewProps extends OpenPageWithMessage {
  readonly page: PipelinesPage
  readonly query: PipelinesQuery
  /** How an action went with each of several pipelines; null without one that was refused for some. */
  readonly done: PipelinesDone | null
  /** Whether the caller may create a pipeline. */
  readonly mayCreate: boolean
  /** Whether the caller may propose a pipeline, and create none. */
  readonly mayPropose: boolean
  readonly origin: string
  readonly fileName: string
}

const RELOAD_INTERVAL_MS = 5_000
/** With more pipelines than this, groups where nothing is wrong or running are folded. */
const UNFOLDED = 30

/** The pipelines by group, each with the result of its newest run. */
export function PipelinesView(props: PipelinesViewProps) {
  const { frame, page, query, flash, done } = props
  const { links } = frame
  const isLong = page.total > UNFOLDED && query.filter === '' && query.status === null
  return (
    <LivePage {...props} title="Pipelines" section="pipelines" every={RELOAD_INTERVAL_MS}>
      <Head {...props} />
      {flash !== null && <FlashCard flash={flash} />}
      {done !== null && <PipelineOutcomes links={links} {...done} />}
      <div data-part="pipelines">
        {page.cards.length === 0 && <Nothing {...props} />}
        {groupsOf(page.cards).map(({ group, cards }) => (
          <details class="group" id={`group-${group}`} open={!isLong || cards.some(needsAttention)}>
            <summary>
              <h2>{group}</h2> <GroupAbout {...page} group={group} shown={cards.length} />
            </summary>
            <ul class="table-card pipelines">
              {cards.map((card) => (
                <Card {...props} card={card} />
              ))}
            </ul>
          </details>
        ))}
      </div>
      <Pager
        pagination={{ offset: page.offset, total: page.matching, pageSize: PIPELINE_ROWS }}
        to={(offset) => links.pipelines({ ...queryOf(query), offset })}
      />
      {page.mayOperate && <Selected {...props} />}
    </LivePage>
  )
}

function Head(props: PipelinesViewProps) {
  const { frame, query } = props
  const { links } = frame
  return (
    <PageHead title="Pipelines" about={<Counts {...props} />}>
      <FilterForm
        action={links.pipelines()}
        label="Pipelines"
        value={query.filter}
        placeholder="group:shop label:1.4 web"
        hint="Filter by name and group, or as name:web group:shop label:1.4 status:failed"
        isEmpty={props.page.total === 0}
        fields={<Select name="status" label="Status" options={STATES} chosen={query.status} />}
      >
        {props.mayCreate && (
          <LinkButton href={links.newPipeline()} label="New pipeline" icon="plus" />
        )}
        {props.mayPropose && (
          <LinkButton href={links.newPipeline()} label="Propose a pipeline" icon="plus" />
        )}
      </FilterForm>
    </PageHead>
  )
}

const STATES: readonly SelectOption[] = [
  ['', 'Any status'],
  ...STATE_ORDER.map((status) => [status, PIPELINE_STATES[status]] as const),
]

/** The number of pipelines, and that of each status as a link to them; those that a filter leaves. */
function Counts({ frame: { links }, page, query, now }: PipelinesViewProps) {
  const { total, counts, matching, queue } = page
  const isFiltered = query.filter !== '' || query.status !== null
  return (
    <span data-part="counts">
      {countOf(total, 'pipeline')}
      {counts.map(({ status, count }, n) => (
        <>
          {n === 0 ? ': ' : ', '}
          <span class="nowrap">
            <a
              href={links.pipelines({ q: query.filter, status })}
              aria-current={status === query.status ? 'true' : undefined}
            >
              {`${count} ${PIPELINE_STATES[status]}`}
            </a>
          </span>
        </>
      ))}
      {'. '}
      {queue.since !== null && (
        <>
          {`${countOf(queue.jobs, 'job')} in the queue, the oldest since `}
          <When time={queue.since} now={now} />
          {'. '}
        </>
      )}
      {isFiltered && (
        <>
          {`The filter shows ${matching}. `}
          <a href={links.pipelines()}>Clear the filter</a>{' '}
        </>
      )}
      <Freshness here={links.pipelines(queryOf(query))} />
    </span>
  )
}

/** `12 pipelines, 3 of them here: 1 failed, 11 passed`. */
function GroupAbout(
  props: Pick<PipelinesViewProps['page'], 'groups'> & { group: string; shown: number },
) {
  const { total = 0, counts = [] } = props.groups.get(props.group) ?? {}
  const words = counts.map(({ status, count }) => `${count} ${PIPELINE_STATES[status]}`)
  const here = total > props.shown ? `, ${props.shown} of them on this page` : ''
  return <span class="muted">{`${countOf(total, 'pipeline')}${here}: ${words.join(', ')}`}</span>
}

const SELECTION = 'selection'

/** The actions on the selected pipelines. */
function Selected({ frame: { links }, page, query }: PipelinesViewProps) {
  const { matching, cards } = page
  return (
    <form
      id={SELECTION}
      class="bottom-bar selection box"
      method="post"
      action={links.pipelines(queryOf(query))}
    >
      <input type="hidden" name="selected" value="1" />
      <EnterButton value="pause" />
      <label class="check with-script">
        <input type="checkbox" class="all" aria-label="Select all pipelines of this page" />
        <span class="chosen-count" aria-live="polite">
          None selected
        </span>
      </label>
      {matching > cards.length && (
        <CheckBox
          name="all"
          label={`All ${matching.toLocaleString('en')}${query.filter === '' && query.status === null ? '' : ' that match'}`}
        />
      )}
      <ActionButton
        value="trigger"
        label="Trigger"
        hint="Trigger the selected pipelines"
        shortcut="t"
      />
      <ActionButton
        value="unpause"
        label="Unpause"
        hint="Unpause the selected pipelines"
        shortcut="u"
      />
      <ActionButton value="pause" label="Pause" hint="Pause the selected pipelines" shortcut="z" />
      <input
        type="text"
        id="pause-cause"
        name="pauseCause"
        maxlength={255}
        placeholder="Reason to pause"
        aria-label="Reason to pause the selected pipelines"
      />
    </form>
  )
}

function Nothing({ frame, page, origin, fileName }: PipelinesViewProps) {
  const { links, isAdministrator } = frame
  if (page.total > 0) {
    return (
      <EmptyCard title="No pipelines match">
        <a href={links.pipelines()}>{`Show all ${page.total}`}</a>
      </EmptyCard>
    )
  }
  if (isAdministrator) {
    return (
      <FirstUse links={links} origin={origin} fileName={fileName} title="No pipelines yet">
        There are three ways to get the first ones:
      </FirstUse>
    )
  }
  return <EmptyCard title="No pipelines yet">Pipelines that you can view appear here.</EmptyCard>
}

function Card(props: PipelinesViewProps & { card: PipelineCard }) {
  const { frame, card, now, done } = props
  const { links } = frame
  const { name, latest, stuck, unreadable, mayOperate } = card
  const isKept = done?.outcomes.some((each) => !each.isDone && each.pipeline === name) === true
  return (
    <li class="pipeline">
      <div class="pipeline-name">
        {mayOperate && (
          <input
            type="checkbox"
            class="row-box"
            form={SELECTION}
            name="pipeline"
            value={name}
            checked={isKept}
            aria-label={`Select ${name}`}
          />
        )}
        <a class="row-link" href={links.pipeline(name)}>
          {name}
        </a>
        <LastChange frame={frame} card={card} now={now} />
      </div>
      <div class="pipeline-run">
        <StageChips links={links} planned={card.stages} stages={latest?.stages ?? []} />
        {latest !== null && (
          <p class="muted newest-run">
            <a href={`${links.pipeline(name)}#run-${latest.run.counter}`}>
              {`Run ${latest.run.label}`}
            </a>
            {` ${pipelineStart(latest.run, latest.stages[0] ?? null)}, `}
            <When time={latest.run.createdAt} now={now} />
            {card.materials.length > 0 && ': '}
            <Cause materials={card.materials} />
          </p>
        )}
        <Paused pause={card.pause} />
        {latest?.run.blocked != null && <p class="problem">{`${latest.run.blocked.reason}.`}</p>}
        {stuck.map((sentence) => (
          <p class="problem">{`${sentence}.`}</p>
        ))}
        {unreadable > 0 && (
          <p class="problem">
            <a href={links.pipeline(name)}>{countOf(unreadable, 'unreadable material')}</a>
          </p>
        )}
      </div>
      <RunTrend recent={card.recent} />
      <Actions frame={frame} card={card} />
    </li>
  )
}

/** The newest change of the configuration of a pipeline; otherwise its history. */
function LastChange({ frame, card, now }: { frame: PageFrame; card: PipelineCard; now: number }) {
  const { links } = frame
  const { name, lastChange } = card
  if (lastChange === null || lastChange.base === null) {
    return (
      <a class="last-change" href={links.entity('pipeline', name)}>
        Configuration history
      </a>
    )
  }
  const { number, who, time } = lastChange
  return (
    <a class="last-change" href={links.entityChange({ kind: 'pipeline', name }, lastChange)}>
      {`Changed in r${number} by ${who}, `}
      <Ago time={time} now={now} />
    </a>
  )
}

function Actions({ frame: { links }, card }: { frame: PageFrame; card: PipelineCard }) {
  const { name, mayOperate, mayEdit, pause, lockedBy } = card
  const mayTrigger = card.mayTrigger && pause === null
  return (
    <div class="row pipeline-actions">
      {(lockedBy !== null || mayTrigger) && (
        <form method="post" class="actions">
          <input type="hidden" name="pipeline" value={name} />
          {lockedBy !== null && <span class="badge changed">{`Locked by run ${lockedBy}`}</span>}
          {lockedBy !== null && mayOperate && (
            <ActionButton value="unlock" label="Unlock" hint={`Unlock ${name}`} />
          )}
          {mayTrigger && (
            <ActionButton value="trigger" label="Trigger" icon="play" hint={`Trigger ${name}`} />
          )}
        </form>
      )}
      {mayOperate && pause !== null && <PauseForm {...card} />}
      {((mayOperate && pause === null) || mayEdit) && (
        <MoreMenu id={`more-${name}`} of={name}>
          <a href={links.form({ kind: 'pipeline', name })}>
            {mayEdit ? 'Edit' : PROPOSE_CHANGE.label}
          </a>
          {mayTrigger && <a href={links.triggerPipeline(name)}>Trigger with options…</a>}
          {pause === null && <PauseForm {...card} />}
        </MoreMenu>
      )}
    </div>
  )
}

export function queryOf({ filter, status }: PipelinesQuery): Query {
  return { q: filter, status }
}

function needsAttention({ status, unreadable }: PipelineCard): boolean {
  const isQuiet = status === 'passed' || status === 'not-run' || status === 'cancelled'
  return !isQuiet || unreadable > 0
}

function groupsOf(cards: readonly PipelineCard[]) {
  const groups = groupBy(cards, ({ group }) => group)
  return Array.from(groups, ([group, members]) => ({ group, cards: members }))
}
