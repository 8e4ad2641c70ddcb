import type { PipelinePage, ShownRun } from './pipeline-page.ts'
import type { OpenPageWithMessage, PageFrame } from '../kit/layout.tsx'
import { Freshness, LivePage } from '../kit/live.tsx'
import { FlashCard } from '../kit/notice.tsx'
import { ActionButton, LinkButton, PROPOSE_CHANGE } from '../kit/buttons.tsx'
import { MoreMenu, PageHead } from '../kit/page-head.tsx'
import { When } from '../kit/when.tsx'
import { Markers } from '../runs/marker-card.tsx'
import { Materials, RunVariables } from './materials.tsx'
import { Pager } from '../kit/pager.tsx'
import { Paused, PauseForm } from './pausing.tsx'
import { RunTrend } from './run-trend.tsx'
import { ValueStreamCard } from './value-stream-map.tsx'
import { aboutRuns, runAddress, runLook, StageChips } from '../runs/run-labels.tsx'
import { pipelineStart } from '../runs/run-starts.ts'

export interface PipelineViewProps extends OpenPageWithMessage {
  readonly page: PipelinePage
}

const RELOAD_INTERVAL_MS = 3_000

/** The runs of a pipeline with the changes of its configuration between them. */
export function PipelineView(props: PipelineViewProps) {
  const { frame, page, flash } = props
  const { links } = frame
  const runs = page.entries.filter(({ type }) => type === 'run').length
  return (
    <LivePage
      {...props}
      title={`Pipeline ${page.name}`}
      section="pipelines"
      every={RELOAD_INTERVAL_MS}
    >
      <Head {...props} />
      {flash !== null && <FlashCard flash={flash} />}
      <div data-part="runs">
        {page.problems.map((problem) => (
          <p class="card problem">{`Unreadable material: ${problem}`}</p>
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
        {page.stream !== null && (
          <ValueStreamCard links={links} name={page.name} stream={page.stream} />
        )}
        {runs === 0 && page.pagination.total > 0 && <p class="card muted">No more runs.</p>}
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
    </LivePage>
  )
}

function UnsupportedParts({ unsupported }: Pick<PipelinePage, 'unsupported'>) {
  if (unsupported.length === 0) return <></>
  return (
    <section class="card stale" aria-label="Unsupported">
      <p>Unsupported parts:</p>
      <ul class="bullets">
        {unsupported.map((sentence) => (
          <li>{`${sentence}.`}</li>
        ))}
      </ul>
    </section>
  )
}

function Head({ frame, page }: PipelineViewProps) {
  const { links } = frame
  const { name, group, pagination, entries } = page
  const about = (
    <>
      {aboutRuns(pagination.total, entries.some(isMarker))}
      <Freshness here={frame.here} />
    </>
  )
  const section = ['Pipelines', links.pipelines()] as const
  return (
    <PageHead
      title={name}
      trail={
        group === null ? [section] : [section, [group, links.pipelines({ q: `group:"${group}"` })]]
      }
      about={about}
      below={group === null && <p class="problem">No longer in the configuration.</p>}
    >
      <div class="row pipeline-actions" data-part="actions">
        <RunTrend recent={page.recent} />
        <Actions frame={frame} page={page} />
      </div>
    </PageHead>
  )
}

function isMarker({ type }: PipelinePage['entries'][number]): boolean {
  return type === 'changes'
}

function Actions({ frame, page }: Pick<PipelineViewProps, 'frame' | 'page'>) {
  const { links, isAdministrator } = frame
  const { name, group, lockedBy, pause, mayOperate, mayTrigger, mayEdit } = page
  const place = { kind: 'pipeline', name }
  return (
    <>
      {(mayTrigger || lockedBy !== null) && (
        <form method="post" class="actions">
          {lockedBy !== null && <span class="badge changed">{`Locked by run ${lockedBy}`}</span>}
          {lockedBy !== null && mayOperate && <ActionButton value="unlock" label="Unlock" />}
          {mayTrigger && pause === null && (
            <ActionButton value="trigger" label="Trigger a run" icon="play" look="primary" />
          )}
        </form>
      )}
      {pause !== null && <PauseForm {...page} />}
      {mayEdit && <LinkButton href={links.form(place)} label="Edit" icon="pencil" shortcut="e" />}
      {!mayEdit && group !== null && <LinkButton href={links.form(place)} {...PROPOSE_CHANGE} />}
      {(group !== null || isAdministrator) && (
        <MoreMenu id="more">
          {mayTrigger && pause === null && (
            <a href={links.triggerPipeline(name)}>Trigger with options…</a>
          )}
          {mayEdit && <a href={links.form(place, { add: 'job' })}>Add a job</a>}
          <a href={links.entity('pipeline', name)}>Config history</a>
          {pause === null && <PauseForm {...page} />}
        </MoreMenu>
      )}
    </>
  )
}

function Run({ frame, page, now, shown }: PipelineViewProps & { shown: ShownRun }) {
  const { run, stages, materials } = shown
  const last = stages.at(-1)
  const look = last ? runLook(last) : 'off'
  const label = run.label === `${run.counter}` ? '' : ` · ${run.label}`
  const before = run.counter - 1
  const isComparable = page.entries.some(
    (each) => each.type === 'run' && each.run.run.counter === before,
  )
  return (
    <li class={`run ${look}`} id={`run-${run.counter}`}>
      <p>
        <b>{`Run ${run.counter}`}</b>{' '}
        <span class="muted">
          {`${label === '' ? '' : `${run.label} · `}${pipelineStart(run, stages[0] ?? null)} · `}
          <When time={run.createdAt} now={now} />
        </span>
        {isComparable && (
          <>
            {' · '}
            <a href={frame.links.compareRuns(page.name, { from: before, to: run.counter })}>
              {`Compare with run ${before}`}
            </a>
          </>
        )}
      </p>
      <StageChips links={frame.links} planned={page.stages} stages={stages} />
      <Materials links={frame.links} materials={materials} />
      <RunVariables variables={run.variables} />
      {run.blocked !== null && <p class="problem">{`${run.blocked.reason}.`}</p>}
      <RunActions frame={frame} shown={shown} />
    </li>
  )
}

/** After a failure a rerun; the next stage only after a question on the page of the failed one. */
function RunActions({ frame: { links }, shown }: { frame: PageFrame; shown: ShownRun }) {
  const { run, next, again } = shown
  const of = `of run ${run.counter}`
  if (again !== null) {
    const address = runAddress(again)
    return (
      <form method="post" class="actions" action={links.stageRun(address)}>
        <ActionButton
          value="rerun"
          label={`Rerun stage ${again.stage.name}`}
          hint={`Rerun stage ${again.stage.name} ${of}`}
        />
        {next !== null && (
          <LinkButton
            href={links.stageRun(address, { ask: 'run' })}
            label={`Run stage ${next}…`}
            hint={`Run stage ${next}… ${of}`}
          />
        )}
      </form>
    )
  }
  if (next === null) return <></>
  return (
    <form method="post" class="actions">
      <input type="hidden" name="stage" value={next} />
      <input type="hidden" name="counter" value={run.counter} />
      <ActionButton value="run" label={`Run stage ${next}`} hint={`Run stage ${next} ${of}`} />
    </form>
  )
}
