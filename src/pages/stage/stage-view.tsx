import type { StageHistoryRow, StagePage } from './stage-page.ts'
import { duration } from '../kit/words/duration.ts'
import type { OpenPageWithMessage } from '../kit/layout.tsx'
import { Freshness, LivePage } from '../kit/live.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { type Crumb, PageHead } from '../kit/page-head.tsx'
import { When } from '../kit/when.tsx'
import { Markers } from '../runs/marker-card.tsx'
import { Pager } from '../kit/pager.tsx'
import { aboutRuns, runAddress, runLook, RunName, RunStatus } from '../runs/run-labels.tsx'
import { stageStart } from '../runs/run-starts.ts'
import { StagePanel } from './stage-panel.tsx'

export interface StageViewProps extends OpenPageWithMessage {
  readonly page: StagePage
  /** The action whose confirmation is shown. */
  readonly asks: 'cancel' | 'run' | null
}

/** The update interval for a run in progress, in milliseconds. */
const ACTIVE_INTERVAL_MS = 2_000
const IDLE_INTERVAL_MS = 10_000

/** The runs of a stage, and one of them in full. */
export function StageView(props: StageViewProps) {
  const { page, flash } = props
  const { name, details } = page
  return (
    <LivePage
      {...props}
      title={`${name.pipeline} / ${name.stage}`}
      section="pipelines"
      every={details?.run.active === true ? ACTIVE_INTERVAL_MS : IDLE_INTERVAL_MS}
    >
      <Head {...props} />
      {flash !== null && <FlashCard flash={flash} />}
      <div class="columns">
        <div class="stage-panel">
          {details === null ? (
            <p class="card muted">Not run yet.</p>
          ) : (
            <StagePanel {...props} details={details} />
          )}
        </div>
        <History {...props} />
      </div>
    </LivePage>
  )
}

function Head({ frame, page }: StageViewProps) {
  const { links } = frame
  const { name, pagination, entries } = page
  const hasMarkers = entries.some(({ type }) => type === 'changes')
  const about = (
    <>
      {aboutRuns(pagination.total, hasMarkers)}
      <Freshness here={frame.here} />
    </>
  )
  const trail: readonly Crumb[] = [
    ['Pipelines', links.pipelines()],
    [name.pipeline, links.pipeline(name.pipeline)],
  ]
  return <PageHead title={`${name.pipeline} / ${name.stage}`} trail={trail} about={about} />
}

function History(props: StageViewProps) {
  const { frame, page } = props
  const { entries, name, pagination } = page
  const runs = entries.filter(({ type }) => type === 'run').length
  return (
    <div class="stage-history" data-part="history">
      <h2 class="visually-hidden">Runs</h2>
      <ol class="timeline">
        {entries.map((entry) =>
          entry.type === 'run' ? (
            <Run {...props} row={entry.run} />
          ) : (
            <Markers frame={frame} {...entry} pipeline={name.pipeline} />
          ),
        )}
      </ol>
      <Pager
        labels={['Newer runs', 'Older runs']}
        pagination={pagination}
        shown={runs}
        to={(offset) => frame.links.stage(name, { offset })}
      />
    </div>
  )
}

function Run({ frame, page, now, row }: StageViewProps & { readonly row: StageHistoryRow }) {
  const { run, pipelineRun } = row
  const { endedAt: end } = run
  const { createdAt, id } = run.stage
  return (
    <li class={`run ${runLook(run)}`}>
      <p>
        <a
          class="run-name"
          href={frame.links.stageRun(runAddress(run))}
          aria-current={id === page.details?.run.stage.id ? 'true' : undefined}
        >
          <RunName run={run} />
        </a>{' '}
        <RunStatus run={run} />{' '}
        <span class="muted">
          {`${stageStart(run, pipelineRun)} · `}
          <When time={createdAt} now={now} />
          {' · '}
          {end === null ? (
            <span data-since={createdAt}>{duration(now - createdAt)}</span>
          ) : (
            duration(end - createdAt)
          )}
        </span>
      </p>
    </li>
  )
}
