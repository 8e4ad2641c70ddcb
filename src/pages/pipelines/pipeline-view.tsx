import type { PipelinePage, ShownRun } from './pipeline-page.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../kit/live.tsx'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { When } from '../kit/when.tsx'
import { Markers } from '../runs/marker-card.tsx'
import { Materials, RunVariables } from './materials.tsx'
import { Pager } from '../kit/pager.tsx'
import { Paused, PauseForm } from './pausing.tsx'
import { ABOUT_MARKERS, runAddress, runLook, StageChips } from '../runs/run-labels.tsx'
import { pipelineStart } from '../runs/run-starts.ts'

export interface PipelineViewProps {
  readonly frame: PageFrame
  readonly page: PipelinePage
  readonly flash: FlashMessage | null
  readonly now: number
}

const EVERY = 3_000

/** The runs of a pipeline with the changes of its configuration between them. */
export function PipelineView(props: PipelineViewProps) {
  const { frame, page, flash, now } = props
  const { links } = frame
  const runs = page.entries.filter(({ type }) => type === 'run').length
  return (
    <PageLayout
      frame={frame}
      title={`Pipeline ${page.name}`}
      section="pipelines"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={EVERY} now={now}>
        <Head {...props} />
        {flash !== null && <FlashCard flash={flash} />}
        <div data-part="runs">
          {page.problems.map((problem) => (
            <p class="card problem">{`A material cannot be read: ${problem}`}</p>
          ))}
          {page.pause !== null && (
            <section class="card" aria-label="Pause">
              <Paused pause={page.pause} />
            </section>
          )}
          {page.stuck.map((sentence) => (
            <p class="card problem">{`${sentence}.`}</p>
          ))}
          <UnsupportedParts {...page} />
          {runs === 0 && (
            <p class="card muted">
              {page.pagination.total === 0 ? 'Not run yet.' : 'No more runs.'}
            </p>
          )}
          <ol class="timeline">
            {page.entries.map((entry) =>
              entry.type === 'run' ? (
                <Run {...props} shown={entry.run} />
              ) : (
                <Markers {...props} {...entry} pipeline={page.name} />
              ),
            )}
          </ol>
          <Pager
            labels={['Newer runs', 'Older runs']}
            pagination={page.pagination}
            shown={runs}
            to={(offset) => links.pipeline(page.name, { offset })}
          />
        </div>
      </Live>
    </PageLayout>
  )
}

function UnsupportedParts({ unsupported }: Pick<PipelinePage, 'unsupported'>) {
  if (unsupported.length === 0) return <></>
  return (
    <section class="card problem" aria-label="Will not run here">
      <p>It has parts that nobody here acts on:</p>
      <ul>
        {unsupported.map((sentence) => (
          <li>{`${sentence}.`}</li>
        ))}
      </ul>
    </section>
  )
}

function Head({ frame, page }: PipelineViewProps) {
  const { links } = frame
  const { name, group, pagination } = page
  return (
    <div class="page-head">
      <div>
        <p class="muted">
          <a href={links.pipelines()}>Pipelines</a>
          {group !== null && ` › ${group}`}
        </p>
        <h1>{name}</h1>
        <p class="muted">
          {`${pagination.total} ${pagination.total === 1 ? 'run' : 'runs'}.`}
          {page.entries.some(({ type }) => type === 'changes') && ABOUT_MARKERS}{' '}
          <Freshness here={frame.here} />
        </p>
        {group === null && <p class="problem">No longer in the configuration.</p>}
      </div>
      <div class="pipeline-actions" data-part="actions">
        <Actions frame={frame} page={page} />
        <PauseForm {...page} />
      </div>
    </div>
  )
}

function Actions({ frame, page }: Pick<PipelineViewProps, 'frame' | 'page'>) {
  const { name, group, lockedBy, pause, mayOperate } = page
  return (
    <form method="post" class="actions">
      {lockedBy !== null && <span class="badge changed">{`Locked by run ${lockedBy}`}</span>}
      {lockedBy !== null && mayOperate && (
        <button name="action" value="unlock">
          Unlock
        </button>
      )}
      {(group !== null || frame.isAdministrator) && (
        <a class="button" href={frame.links.entity('pipeline', name)}>
          Config history
        </a>
      )}
      {mayOperate && pause === null && (
        <button class="primary" name="action" value="trigger">
          Trigger a run
        </button>
      )}
    </form>
  )
}

function Run({ frame, page, now, shown }: PipelineViewProps & { shown: ShownRun }) {
  const { run, stages, materials } = shown
  const last = stages.at(-1)
  const look = last ? runLook(last) : 'off'
  const label = run.label === `${run.counter}` ? '' : ` · ${run.label}`
  return (
    <li class={`run ${look}`} id={`run-${run.counter}`}>
      <p>
        <b>{`Run ${run.counter}`}</b>{' '}
        <span class="muted">
          {`${label === '' ? '' : `${run.label} · `}${pipelineStart(run, stages[0] ?? null)} · `}
          <When time={run.createdAt} now={now} />
        </span>
      </p>
      <StageChips links={frame.links} planned={page.stages} stages={stages} />
      <Materials materials={materials} />
      <RunVariables variables={run.variables} />
      {run.blocked !== null && <p class="problem">{`${run.blocked.reason}.`}</p>}
      <RunActions frame={frame} shown={shown} />
    </li>
  )
}

/** After a failure a rerun; the next stage only after a question on the page of the failed one. */
function RunActions({ frame: { links }, shown }: { frame: PageFrame; shown: ShownRun }) {
  const { run, next, again } = shown
  if (again !== null) {
    const address = runAddress(again)
    return (
      <form method="post" class="actions" action={links.stageRun(address)}>
        <button name="action" value="rerun">{`Rerun stage ${again.stage.name}`}</button>
        {next !== null && (
          <a class="button" href={links.stageRun(address, { ask: 'run' })}>
            {`Run stage ${next}…`}
          </a>
        )}
      </form>
    )
  }
  if (next === null) return <></>
  return (
    <form method="post" class="actions">
      <input type="hidden" name="stage" value={next} />
      <input type="hidden" name="counter" value={run.counter} />
      <button name="action" value="run">{`Run stage ${next}`}</button>
    </form>
  )
}
