import { countIds } from '../../builds/engine/id-ranges.ts'
import { raw } from 'hono/html'
import { CONSOLE_PATH } from '../../builds/artifacts/artifact-path.ts'
import { placeOfJob } from '../../builds/artifacts/job-folders.ts'
import { jobOf } from '../agents/agent-cells.tsx'
import type { ArtifactNode } from './artifact-tree.ts'
import { segmentsOf } from './job-timeline.ts'
import { type JobPage, startOf } from './job-page.ts'
import { duration } from '../kit/words/duration.ts'
import type { OpenPage, PageFrame } from '../kit/layout.tsx'
import { Freshness, LivePage } from '../kit/live.tsx'
import { ActionButton, LinkButton } from '../kit/buttons.tsx'
import { countOf } from '../kit/words/count.ts'
import { type Fact, Facts } from '../kit/facts.tsx'
import { type Crumb, PageHead } from '../kit/page-head.tsx'
import { Chips, Status } from '../kit/status.tsx'
import { FactTable } from '../kit/table.tsx'
import { Exact } from '../kit/when.tsx'
import type { Links } from '../kit/links.ts'
import { consoleHtml } from './console-html.ts'
import { setUpLines } from './console-part.ts'
import { JobBar, phaseText, scaleOf, wholeTime } from './job-bar.tsx'
import { runAddress, RunName, WaitReason } from '../runs/run-labels.tsx'
import { hasPassedBefore, SincePassed } from '../runs/since-passed.tsx'
import { renderFreeSpace } from '../../core/builds/agent.ts'

export interface JobViewProps extends OpenPage {
  readonly page: JobPage
  /** Whether the output is complete. */
  readonly isOver: boolean
}

const RELOAD_INTERVAL_MS = 2_000

/** One job: its agent, its states, its console and its artifacts. */
export function JobView(props: JobViewProps) {
  const { page, isOver } = props
  const { job } = page
  return (
    <LivePage
      {...props}
      title={`${job.pipelineName} / ${job.stageName} / ${job.name}`}
      section="pipelines"
      every={isOver ? 0 : RELOAD_INTERVAL_MS}
    >
      <Head {...props} />
      <Siblings {...props} />
      <div class="columns uneven">
        <About {...props} />
        <Artifacts {...props} />
      </div>
      <Tabs {...props} />
      <Console {...props} />
    </LivePage>
  )
}

function Head({ frame, page, now }: JobViewProps) {
  const { links } = frame
  const { run, job } = page
  const address = runAddress(run)
  const { pipeline, stage } = address
  const stageRun = (
    <>
      {`${stage} `}
      <RunName run={run} />
    </>
  )
  const trail: readonly Crumb[] = [
    ['Pipelines', links.pipelines()],
    [pipeline, links.pipeline(pipeline)],
    [stageRun, links.stageRun(address)],
  ]
  return (
    <PageHead title={job.name} trail={trail} below={<Outcome page={page} now={now} />}>
      <div class="actions" data-part="ways">
        <Freshness here={frame.here} />
        <Ways frame={frame} page={page} />
      </div>
    </PageHead>
  )
}

/** The result of the job in one line: `Failed with exit code 1 after 12 s`. */
function Outcome({ page: { job, failure }, now }: Pick<JobViewProps, 'page' | 'now'>) {
  const isRunning = job.result === 'Unknown'
  return (
    <p data-part="outcome">
      <Status status={isRunning ? job.state : job.result} />
      {failure !== null && (
        <>
          {' with '}
          <a href="#failure">{failure.words}</a>
        </>
      )}
      <span class="muted">{`${isRunning ? ', for ' : ' after '}${duration(wholeTime(job, now))}`}</span>
    </p>
  )
}

function Ways({ frame: { links }, page }: Pick<JobViewProps, 'frame' | 'page'>) {
  const { job, run, mayCancel, mayRerun } = page
  const address = runAddress(run)
  return (
    <>
      {mayRerun && (
        <form method="post" action={links.stageRun(address)}>
          <input type="hidden" name="jobs" value={job.name} />
          <ActionButton value="chosen" label="Rerun this job" />
        </form>
      )}
      {job.result === 'Failed' && hasPassedBefore(run) && <SincePassed links={links} run={run} />}
      {mayCancel && job.result === 'Unknown' && (
        <LinkButton
          href={links.stageRun(address, { ask: 'cancel' })}
          label="Cancel the run…"
          look="danger"
        />
      )}
    </>
  )
}

/** The jobs of the same run of the stage. */
function Siblings({ frame: { links }, page: { run, siblings, job } }: JobViewProps) {
  if (siblings.length < 2) return <></>
  const count = countIds(run.stage.jobs)
  const shown = siblings.some(({ id }) => id === job.id) ? siblings : [...siblings, job]
  return (
    <nav class="siblings" aria-label="Jobs of this run" data-part="siblings">
      <Chips
        chips={shown.map((each) => ({
          name: each.name,
          href: links.job({ ...runAddress(run), job: each.name }),
          status: each.result === 'Unknown' ? each.state : each.result,
          isCurrent: each.id === job.id,
        }))}
      >
        {count > siblings.length && (
          <li>
            <a class="chip" href={links.stageRun(runAddress(run))}>{`${count} jobs`}</a>
          </li>
        )}
      </Chips>
    </nav>
  )
}

function About({ frame: { links }, page, now }: JobViewProps) {
  const { job, agent, original, run, wait } = page
  const { cancelledBy } = run.stage
  const facts: readonly Fact[] = [
    ['Agent', <AgentOf links={links} agent={agent} wait={wait} />],
    cancelledBy !== null && job.result === 'Cancelled' ? ['Cancelled by', cancelledBy] : null,
    original && ['Carried over', <Original links={links} original={original} />],
  ] as const
  return (
    <section class="card" data-part="facts" aria-label="Facts">
      <Facts facts={facts} />
      <JobBar job={job} scale={scaleOf([job], now)} now={now} />
      <p class="muted">{phaseText(segmentsOf(job.transitions, now))}</p>
      <details id="transitions">
        <summary>States and times</summary>
        <Transitions page={page} />
      </details>
    </section>
  )
}

type AgentOfProps = { readonly links: Links } & Pick<JobPage, 'agent' | 'wait'>

function AgentOf({ links, agent, wait }: AgentOfProps) {
  return (
    <>
      {agent !== null && <a href={links.agent(agent.uuid)}>{agent.name}</a>}
      {wait !== null && <WaitReason wait={wait} />}
      {agent === null && wait === null && 'None (never assigned)'}
    </>
  )
}

function Original({ links, original }: { links: Links; original: JobPage['job'] }) {
  const href = links.job(jobOf(placeOfJob(original)))
  return (
    <>
      from <a href={href}>{`attempt ${original.stageCounter}`}</a>
    </>
  )
}

/** The states of the job, each with the time since the previous one. */
function Transitions({ page: { job } }: Pick<JobViewProps, 'page'>) {
  const rows = job.transitions.map(({ state, time }, n) => [
    state,
    <Exact time={time} />,
    n === 0 ? '' : `after ${duration(time - (job.transitions[n - 1]?.time ?? time))}`,
  ])
  return <FactTable caption="States of the job" rows={rows} />
}

function Artifacts({ frame, page, isOver }: JobViewProps) {
  const { artifacts } = page
  return (
    <section class="card" data-part="artifacts" aria-labelledby="artifacts-title">
      <h2 id="artifacts-title">Artifacts</h2>
      {artifacts.nodes.length === 0 ? (
        <p class="muted">
          {page.isKept ? `No files${isOver ? '' : ' yet'}.` : 'The artifacts have been removed.'}
        </p>
      ) : (
        <Nodes frame={frame} page={page} nodes={artifacts.nodes} />
      )}
      {artifacts.isCut && <p class="muted">Some files are not shown.</p>}
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

/** The end of the console below a bar that stays in view, which the script continues; the set-up before the first task is folded. */
function Console({ frame: { links }, page, isOver }: JobViewProps) {
  const { console: part, failure, run, job } = page
  const address = { ...runAddress(run), job: job.name }
  const start = startOf(job)
  const folded = setUpLines(part)
  const setUp = { ...part, lines: part.lines.slice(0, folded) }
  const rest = { ...part, lines: part.lines.slice(folded), first: part.first + folded }
  return (
    <section class="card console-card" aria-labelledby="console-title">
      <ConsoleHead links={links} page={page} isOver={isOver} />
      {part.first > 0 && (
        <p class="muted console-cut">{`${countOf(part.first, 'earlier line')} hidden`}</p>
      )}
      {folded > 0 && (
        <details class="set-up" id="set-up">
          <summary>{`Set-up, ${countOf(folded, 'line')}`}</summary>
          <ol class="console" aria-label="Set-up">
            {raw(consoleHtml(setUp, { start }))}
          </ol>
        </details>
      )}
      <ol
        class="console"
        aria-label="Console output"
        data-console={links.consoleLines(address)}
        data-next={part.next}
        data-result={job.result}
      >
        {raw(consoleHtml(rest, { start, failure: failure?.line }))}
      </ol>
    </section>
  )
}

function ConsoleHead({ links, page, isOver }: { links: Links; page: JobPage; isOver: boolean }) {
  const { console: part, place, job } = page
  const file = links.file({ ...place, stageCounter: String(place.stageCounter) }, CONSOLE_PATH)
  return (
    <div class="top-bar console-head">
      <h2 id="console-title">
        Console <span class="muted">of {job.name}</span>{' '}
        <span class="muted without-script">in UTC</span>
      </h2>
      <span data-part="console-status">
        <Status status={isOver ? job.result : job.state} />
      </span>
      {!isOver && (
        <label class="check with-script">
          <input type="checkbox" class="follow" checked /> Follow the end
        </label>
      )}
      <span data-part="console-file">
        {part.isThere ? (
          <a href={file}>
            {part.first > 0 ? `Whole console, ${countOf(part.next, 'line')}` : 'Plain text'}
          </a>
        ) : (
          <span class="muted">{page.isKept ? `No output${isOver ? '' : ' yet'}` : 'Removed'}</span>
        )}
      </span>
    </div>
  )
}

/** `12 B`, `3.4 KB`. */
function fileSize(bytes: number): string {
  return bytes < 1024 ? `${bytes} B` : renderFreeSpace(bytes)
}

/** The tabs of a job, and the artifact of the open one, in a sandbox. */
function Tabs({ frame: { links }, page }: { frame: PageFrame; page: JobPage }) {
  const { run, job, place, tabs, tab } = page
  const address = { ...runAddress(run), job: job.name }
  if (tabs.length === 0) return <></>
  return (
    <section class="card" data-part="tabs" aria-labelledby="tabs-title" id="tabs">
      <h2 id="tabs-title">Tabs</h2>
      <Chips
        chips={tabs.map(({ name }) => ({
          name,
          href: `${links.job(address, { tab: name })}#tabs`,
          isCurrent: name === tab?.name,
        }))}
      />
      {tab !== null && tab.file === null && (
        <p class="muted">
          {page.isKept ? `The job kept no ${tab.path}.` : 'The artifacts have been removed.'}
        </p>
      )}
      {tab?.file != null && (
        <iframe
          class="tab-content"
          title={tab.name}
          sandbox="allow-scripts allow-popups"
          src={links.file({ ...place, stageCounter: String(place.stageCounter) }, tab.file)}
        ></iframe>
      )}
    </section>
  )
}
