import { type FlashMessage, FlashCard } from '../kit/notice.tsx'
import {
  type PipelineCard,
  PIPELINE_ROWS,
  type PipelinesPage,
  type PipelinesQuery,
} from './pipelines-page.ts'
import { PIPELINE_STATES, STATE_ORDER } from './pipeline-state.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../kit/live.tsx'
import type { Query } from '../kit/links.ts'
import { When } from '../kit/when.tsx'
import { BY_PLACE, Pager } from '../kit/pager.tsx'
import { FirstUse } from '../new-pipeline/first-use.tsx'
import { Cause } from './materials.tsx'
import { Paused, PauseForm } from './pausing.tsx'
import { StageChips } from '../runs/run-labels.tsx'
import { pipelineStart } from '../runs/run-starts.ts'

export interface PipelinesViewProps {
  readonly frame: PageFrame
  readonly page: PipelinesPage
  readonly query: PipelinesQuery
  readonly flash: FlashMessage | null
  readonly now: number
  /** Whether the caller may create a pipeline. */
  readonly mayCreate: boolean
  readonly origin: string
  readonly fileName: string
}

const EVERY = 5_000
/** With more pipelines than this, groups where nothing is wrong or running are folded. */
const UNFOLDED = 30

/** The pipelines by group, each with the result of its newest run. */
export function PipelinesView(props: PipelinesViewProps) {
  const { frame, page, query, flash, now } = props
  const isLong = page.total > UNFOLDED && query.filter === '' && query.status === null
  return (
    <PageLayout
      frame={frame}
      title="Pipelines"
      section="pipelines"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={EVERY} now={now}>
        <Head {...props} />
        {flash !== null && <FlashCard flash={flash} />}
        <div data-part="pipelines">
          {page.cards.length === 0 && <Nothing {...props} />}
          {groupsOf(page.cards).map(({ group, cards }) => (
            <details
              class="group"
              id={`group-${group}`}
              open={!isLong || cards.some(needsAttention)}
            >
              <summary>
                <h2>{group}</h2>{' '}
                <span class="muted">{plural(cards.length, 'pipeline', 'pipelines')}</span>
              </summary>
              <ul class="table-card pipelines">
                {cards.map((card) => (
                  <Card frame={frame} card={card} now={now} />
                ))}
              </ul>
            </details>
          ))}
        </div>
        <Pages {...props} />
      </Live>
    </PageLayout>
  )
}

function Head(props: PipelinesViewProps) {
  const { frame, query } = props
  const { links } = frame
  return (
    <div class="page-head">
      <div>
        <h1>Pipelines</h1>
        <Counts {...props} />
      </div>
      <form class="actions" role="search" aria-label="Pipelines" action={links.pipelines()}>
        <input
          type="search"
          name="q"
          class="filter-text"
          value={query.filter}
          placeholder="Pipeline or group"
          aria-label="Filter by the name of a pipeline or group"
        />
        <select name="status" aria-label="Status">
          <option value="">Any status</option>
          {STATE_ORDER.map((status) => (
            <option value={status} selected={status === query.status}>
              {PIPELINE_STATES[status]}
            </option>
          ))}
        </select>
        <button>Filter</button>
        {props.mayCreate && (
          <a class="button" href={links.newPipeline()}>
            New pipeline
          </a>
        )}
      </form>
    </div>
  )
}

/** The number of pipelines, and that of each status as a link to them; what the filter leaves. */
function Counts({ frame: { links }, page, query }: PipelinesViewProps) {
  const { total, counts, matching } = page
  const isFiltered = query.filter !== '' || query.status !== null
  return (
    <p class="muted" data-part="counts">
      {plural(total, 'pipeline', 'pipelines')}
      {counts.map(({ status, count }, n) => (
        <>
          {n === 0 ? ': ' : ', '}
          <a
            href={links.pipelines({ q: query.filter, status })}
            aria-current={status === query.status ? 'true' : undefined}
          >
            {`${count} ${PIPELINE_STATES[status]}`}
          </a>
        </>
      ))}
      {'. '}
      {isFiltered && (
        <>
          {`The filter shows ${matching}. `}
          <a href={links.pipelines()}>Clear the filter</a>{' '}
        </>
      )}
      <Freshness here={links.pipelines(queryOf(query))} />
    </p>
  )
}

function Nothing({ frame, page, origin, fileName }: PipelinesViewProps) {
  const { links, isAdministrator } = frame
  if (page.total > 0) {
    return (
      <section class="card">
        <h2>No pipelines match</h2>
        <p>
          <a href={links.pipelines()}>{`Show all ${page.total}`}</a>
        </p>
      </section>
    )
  }
  if (isAdministrator) {
    return (
      <FirstUse links={links} origin={origin} fileName={fileName} title="No pipelines yet">
        There are three ways to get the first ones:
      </FirstUse>
    )
  }
  return (
    <section class="card">
      <h2>No pipelines yet</h2>
      <p>Pipelines that you may view appear here.</p>
    </section>
  )
}

function Card({ frame, card, now }: { frame: PageFrame; card: PipelineCard; now: number }) {
  const { links } = frame
  const { name, latest, stuck, unreadable } = card
  return (
    <li class="pipeline">
      <div class="pipeline-name">
        <a class="row-link" href={links.pipeline(name)}>
          {name}
        </a>
        <LastChange frame={frame} card={card} now={now} />
      </div>
      <div class="pipeline-run">
        <StageChips links={links} planned={card.stages} stages={latest?.stages ?? []} />
        {latest !== null && (
          <p class="muted">
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
            <a href={links.pipeline(name)}>
              {unreadable === 1
                ? 'A material cannot be read'
                : `${unreadable} materials cannot be read`}
            </a>
          </p>
        )}
      </div>
      <Actions card={card} />
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
      <When time={time} now={now} />
    </a>
  )
}

function Actions({ card }: { card: PipelineCard }) {
  const { name, mayOperate, pause, lockedBy } = card
  return (
    <div class="pipeline-actions">
      {(lockedBy !== null || (mayOperate && pause === null)) && (
        <form method="post" class="actions">
          <input type="hidden" name="pipeline" value={name} />
          {lockedBy !== null && <span class="badge changed">{`Locked by run ${lockedBy}`}</span>}
          {lockedBy !== null && mayOperate && (
            <button name="action" value="unlock" aria-label={`Unlock ${name}`}>
              Unlock
            </button>
          )}
          {mayOperate && pause === null && (
            <button name="action" value="trigger" aria-label={`Trigger ${name}`}>
              Trigger
            </button>
          )}
        </form>
      )}
      {mayOperate && pause === null ? (
        <details class="pausing-more" id={`pausing-${name}`}>
          <summary aria-label={`Pause ${name}, with a reason`}>Pause…</summary>
          <PauseForm {...card} />
        </details>
      ) : (
        <PauseForm {...card} />
      )}
    </div>
  )
}

function Pages({ frame: { links }, page, query }: PipelinesViewProps) {
  const { offset, matching, cards } = page
  return (
    <Pager
      pagination={{ offset, total: matching, pageSize: PIPELINE_ROWS }}
      shown={cards.length}
      labels={BY_PLACE}
      to={(start) => links.pipelines({ ...queryOf(query), offset: start })}
    />
  )
}

function queryOf({ filter, status }: PipelinesQuery): Query {
  return { q: filter, status }
}

function needsAttention({ status, pause, unreadable }: PipelineCard): boolean {
  const isQuiet = status === 'passed' || status === 'not-run' || status === 'cancelled'
  return !isQuiet || pause !== null || unreadable > 0
}

function plural(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`
}

function groupsOf(cards: readonly PipelineCard[]) {
  const groups = new Map<string, PipelineCard[]>()
  for (const card of cards) groups.set(card.group, [...(groups.get(card.group) ?? []), card])
  return Array.from(groups, ([group, members]) => ({ group, cards: members }))
}
