import { raw } from 'hono/html'
import { CONSOLE_PATH } from '../../builds/artifacts/artifact-path.ts'
import type { ArtifactNode } from './artifact-tree.ts'
import { segmentsOf } from './job-timeline.ts'
import type { JobName, JobPage } from './job-page.ts'
import { duration } from '../frame/duration.ts'
import { type PageFrame, PageLayout } from '../frame/layout.tsx'
import { Freshness, Live, LIVE_SCRIPTS } from '../frame/live.tsx'
import { Status } from '../frame/status.tsx'
import { exactTime } from '../frame/when.tsx'
import { consoleHtml } from './console-html.ts'
import { JobBar, phaseText, scaleOf, wholeTime } from './job-bar.tsx'
import { runAddress, RunName, WaitReason } from '../runs/run-labels.tsx'
import { renderFreeSpace } from '../../core/builds/agent.ts'

export interface JobViewProps {
  readonly frame: PageFrame
  readonly page: JobPage
  /** Whether the output is complete. */
  readonly isOver: boolean
  readonly now: number
}

const EVERY = 2_000

/** One job: its agent, its states, its console and its artifacts. */
export function JobView(props: JobViewProps) {
  const { frame, page, isOver, now } = props
  const { job } = page
  return (
    <PageLayout
      frame={frame}
      title={`${job.pipelineName} / ${job.stageName} / ${job.name}`}
      section="pipelines"
      styles={['runs.css']}
      scripts={LIVE_SCRIPTS}
    >
      <Live every={isOver ? 0 : EVERY} now={now}>
        <Head {...props} />
        <div class="job-columns">
          <Facts {...props} />
          <Artifacts {...props} />
        </div>
        <Console {...props} />
      </Live>
    </PageLayout>
  )
}

function Head({ frame, page: { run, job } }: JobViewProps) {
  const { links } = frame
  const address = runAddress(run)
  const { pipeline, stage } = address
  return (
    <div class="page-head">
      <div>
        <p class="muted">
          <a href={links.pipelines()}>Pipelines</a> ›{' '}
          <a href={links.pipeline(pipeline)}>{pipeline}</a> ›{' '}
          <a href={links.stageRun(address)}>
            {`${stage} `}
            <RunName run={run} />
          </a>
        </p>
        <h1>{job.name}</h1>
      </div>
      <Freshness here={frame.here} />
    </div>
  )
}

function Facts({ frame: { links }, page, now }: JobViewProps) {
  const { job, agent, original, run, mayCancel, wait } = page
  const isRunning = job.result === 'Unknown'
  const segments = segmentsOf(job.transitions, now)
  return (
    <section class="card" data-part="facts" aria-label="Facts">
      <dl class="facts">
        <dt>State</dt>
        <dd>
          <Status status={isRunning ? job.state : job.result} />{' '}
          <span class="muted">{duration(wholeTime(job, now))}</span>
        </dd>
        <dt>Agent</dt>
        <dd>
          {agent !== null && <a href={links.agent(agent.uuid)}>{agent.name}</a>}
          {wait !== null && <WaitReason wait={wait} />}
          {agent === null && wait === null && 'No agent has had it.'}
        </dd>
        {original !== null && (
          <>
            <dt>Carried over</dt>
            <dd>
              from{' '}
              <a href={links.job(addressOfJob(original))}>{`stage run ${original.stageCounter}`}</a>
            </dd>
          </>
        )}
      </dl>
      <JobBar job={job} scale={scaleOf([job], now)} now={now} />
      <p class="muted">{phaseText(segments)}</p>
      <Transitions page={page} />
      {mayCancel && isRunning && (
        <p class="actions panel-actions">
          <a class="button danger" href={links.stageRun(runAddress(run), { ask: 'cancel' })}>
            Cancel the run…
          </a>
        </p>
      )}
    </section>
  )
}

function addressOfJob({
  pipelineName,
  pipelineCounter,
  stageName,
  stageCounter,
  name,
}: JobPage['job']): JobName {
  return { pipeline: pipelineName, pipelineCounter, stage: stageName, stageCounter, job: name }
}

/** The states of the job, each with the time since the previous one. */
function Transitions({ page: { job } }: Pick<JobViewProps, 'page'>) {
  return (
    <table class="list transitions">
      <caption class="visually-hidden">States of the job</caption>
      <thead>
        <tr>
          <th scope="col">State</th>
          <th scope="col">Entered</th>
          <th scope="col">After</th>
        </tr>
      </thead>
      <tbody>
        {job.transitions.map(({ state, time }, n) => (
          <tr>
            <td>{state}</td>
            <td>
              <span class="nowrap">{exactTime(time)}</span>
            </td>
            <td>{n === 0 ? '' : duration(time - (job.transitions[n - 1]?.time ?? time))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Artifacts({ frame, page }: JobViewProps) {
  const { artifacts } = page
  return (
    <section class="card" data-part="artifacts" aria-labelledby="artifacts-title">
      <h2 id="artifacts-title">Artifacts</h2>
      {artifacts.nodes.length === 0 ? (
        <p class="muted">
          {page.isKept ? 'It has made no files yet.' : 'Its artifacts are no longer kept.'}
        </p>
      ) : (
        <Nodes frame={frame} page={page} nodes={artifacts.nodes} />
      )}
      {artifacts.isCut && <p class="muted">There are more files than are shown here.</p>}
    </section>
  )
}

function Nodes({
  frame,
  page,
  nodes,
}: Pick<JobViewProps, 'frame' | 'page'> & { nodes: readonly ArtifactNode[] }) {
  const place = { ...page.place, stageCounter: String(page.place.stageCounter) }
  return (
    <ul class="tree">
      {nodes.map((node) => (
        <li>
          {node.type === 'folder' ? (
            <details
              id={`folder-${node.path}`}
              open={nodes.length === 1 || !node.path.includes('/')}
            >
              <summary>{node.name}</summary>
              <Nodes frame={frame} page={page} nodes={node.nodes} />
            </details>
          ) : (
            <>
              <a href={frame.links.file(place, node.path)}>{node.name}</a>{' '}
              <span class="muted">{fileSize(node.size)}</span>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** The end of the console, which the script continues. */
function Console({ frame: { links }, page }: JobViewProps) {
  const { console: part, place, run, job } = page
  const file = links.file({ ...place, stageCounter: String(place.stageCounter) }, CONSOLE_PATH)
  const address = { ...runAddress(run), job: job.name }
  return (
    <section class="card console-card" aria-labelledby="console-title">
      <div class="console-head">
        <h2 id="console-title">Console</h2>
        <label class="follow-label">
          <input type="checkbox" class="follow" checked /> Follow the end
        </label>
        <span data-part="console-file">
          {part.isThere ? (
            <a href={file}>{part.first > 0 ? `Whole console, ${part.next} lines` : 'Plain text'}</a>
          ) : (
            <span class="muted">{page.isKept ? 'No output yet' : 'It is no longer kept'}</span>
          )}
        </span>
      </div>
      {part.first > 0 && (
        <p class="muted console-cut">{`The first ${part.first} lines are left out here.`}</p>
      )}
      <ol
        class="console"
        aria-label="Console output"
        data-console={links.consoleLines(address)}
        data-next={part.next}
      >
        {raw(consoleHtml(part))}
      </ol>
    </section>
  )
}

/** `12 B`, `3.4 KB`. */
function fileSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : renderFreeSpace(bytes)
}
