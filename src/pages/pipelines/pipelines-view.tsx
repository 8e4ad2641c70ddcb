import { type FlashMessage, FlashCard } from '../frame/notice.tsx'
import { type PipelineCard, PIPELINE_ROWS, type PipelinesPage } from './pipelines-page.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../frame/live.tsx'
import { When } from '../frame/when.tsx'
import { BY_PLACE, Pager } from '../frame/pager.tsx'
import { Paused, PauseForm } from './pausing.tsx'
import { approval, StageChips } from '../runs/run-labels.tsx'

export interface PipelinesViewProps {
  readonly frame: PageFrame
  readonly page: PipelinesPage
  readonly filter: string
  readonly flash: FlashMessage | null
  readonly now: number
}

const EVERY = 5_000

/** The pipelines by group, each with the result of its newest run. */
export function PipelinesView(props: PipelinesViewProps) {
  const { frame, page, flash, now } = props
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
            <section class="group" aria-label={`Group ${group}`}>
              <h2>{group}</h2>
              <ul class="table-card pipelines">
                {cards.map((card) => (
                  <Card frame={frame} card={card} now={now} />
                ))}
              </ul>
            </section>
          ))}
        </div>
        <Pages {...props} />
      </Live>
    </PageLayout>
  )
}

function Head({ frame, page, filter }: PipelinesViewProps) {
  const { links } = frame
  const { total } = page
  return (
    <div class="page-head">
      <div>
        <h1>Pipelines</h1>
        <p class="muted">
          {`${total} ${total === 1 ? 'pipeline' : 'pipelines'}. `}
          <Freshness here={links.pipelines({ q: filter })} />
        </p>
      </div>
      <form class="actions" role="search" aria-label="Pipelines" action={links.pipelines()}>
        <input
          type="search"
          name="q"
          value={filter}
          placeholder="Pipeline or group"
          aria-label="Filter by the name of a pipeline or group"
        />
        <button>Filter</button>
      </form>
    </div>
  )
}

function Nothing({ frame: { links, isAdministrator }, page }: PipelinesViewProps) {
  if (page.total > 0) {
    return (
      <section class="card">
        <h2>No pipeline matches</h2>
        <p>
          <a href={links.pipelines()}>{`Show all ${page.total}`}</a>
        </p>
      </section>
    )
  }
  return (
    <section class="card">
      <h2>There is no pipeline for you yet</h2>
      <p>
        A pipeline is made by an entry in the configuration.{' '}
        {isAdministrator ? (
          <a href={links.edit()}>Edit the configuration</a>
        ) : (
          'Those that you may view will be here.'
        )}
      </p>
    </section>
  )
}

function Card({ frame, card, now }: { frame: PageFrame; card: PipelineCard; now: number }) {
  const { links } = frame
  const { name, latest, lockedBy, problems, stuck } = card
  return (
    <li class="pipeline">
      <div class="pipeline-name">
        <a href={links.pipeline(name)}>{name}</a>
        <a class="last-change" href={links.entity('pipeline', name)}>
          config history
        </a>
      </div>
      <div class="pipeline-run">
        {latest === null ? (
          <p class="muted">It has not run yet.</p>
        ) : (
          <p>
            <b title={latest.run.label}>{`Run ${latest.run.counter}`}</b>{' '}
            <span class="muted">
              {`${approval(latest.run.approvedBy)} · `}
              <When time={latest.run.createdAt} now={now} />
            </span>
          </p>
        )}
        <StageChips links={links} planned={card.stages} stages={latest?.stages ?? []} />
        <Paused pause={card.pause} />
        {latest?.run.blocked != null && <p class="problem">{`${latest.run.blocked.reason}.`}</p>}
        {stuck.map((sentence) => (
          <p class="problem">{`${sentence}.`}</p>
        ))}
        {problems.map((problem) => (
          <p class="problem">{`A material cannot be read: ${problem}`}</p>
        ))}
      </div>
      <div class="pipeline-actions">
        <Actions card={card} lockedBy={lockedBy} />
        <PauseForm {...card} />
      </div>
    </li>
  )
}

function Actions({ card, lockedBy }: { card: PipelineCard; lockedBy: number | null }) {
  const { name, mayOperate, pause } = card
  return (
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
  )
}

function Pages({ frame: { links }, page, filter }: PipelinesViewProps) {
  const { offset, matching, cards } = page
  return (
    <Pager
      pagination={{ offset, total: matching, pageSize: PIPELINE_ROWS }}
      shown={cards.length}
      labels={BY_PLACE}
      to={(start) => links.pipelines({ q: filter, offset: start })}
    />
  )
}

function groupsOf(cards: readonly PipelineCard[]) {
  const groups = new Map<string, PipelineCard[]>()
  for (const card of cards) groups.set(card.group, [...(groups.get(card.group) ?? []), card])
  return Array.from(groups, ([group, members]) => ({ group, cards: members }))
}
