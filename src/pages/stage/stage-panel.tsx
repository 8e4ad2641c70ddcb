import type { StageInstance } from '../../builds/engine/documents.ts'
import { countIds } from '../../builds/engine/id-ranges.ts'
import type { JobInstance, StageSummary } from '../../builds/runs/stages.ts'
import { APPROVED_BY_CHANGES } from '../../core/builds/stage.ts'
import { segmentsOf } from '../job/job-timeline.ts'
import type { StageDetails } from './stage-details.ts'
import { ChangeItems } from '../parts/change-list.tsx'
import { countOf } from '../kit/words/count.ts'
import { duration } from '../kit/words/duration.ts'
import { type Fact, Facts } from '../kit/facts.tsx'
import type { OpenPage, PageFrame } from '../kit/layout.tsx'
import { Status } from '../kit/status.tsx'
import { When } from '../kit/when.tsx'
import { type BarScale, JobBar, phaseText, scaleOf, wholeTime } from '../job/job-bar.tsx'
import { Materials, RunVariables } from '../pipelines/materials.tsx'
import { runAddress, RunStatus, StageChips, WaitReason } from '../runs/run-labels.tsx'
import { pipelineStart, pipelineStarter, stageBefore } from '../runs/run-starts.ts'
import { StageActions } from './stage-actions.tsx'

/** The shown part of a digest. */
const SHOWN_DIGITS = 8

export interface StagePanelProps extends OpenPage {
  readonly details: StageDetails
  readonly asks: 'cancel' | 'run' | null
}

/** One run of a stage: its cause, its configuration, its jobs, and the actions on it. */
export function StagePanel(props: StagePanelProps) {
  const { details } = props
  const { pipelineCounter, counter } = details.run.stage
  return (
    <form method="post" class="card" action={props.frame.links.stageRun(runAddress(details.run))}>
      <h2 class="panel-title" data-part="title">
        {`Run ${pipelineCounter} (attempt ${counter})`} <RunStatus run={details.run} />
      </h2>
      <Siblings {...props} />
      <About {...props} />
      <Jobs {...props} />
      <div data-part="ways">
        <StageActions {...props} />
      </div>
    </form>
  )
}

/** The stages of the same run of the pipeline. */
function Siblings({ frame, details: { stages, planned, run } }: StagePanelProps) {
  if (stages.length + planned.length < 2) return <></>
  return (
    <nav class="siblings" aria-label="Stages of this run" data-part="siblings">
      <StageChips links={frame.links} planned={planned} stages={stages} current={run.stage.name} />
    </nav>
  )
}

function About(props: StagePanelProps) {
  const { details, now } = props
  const { run, pipelineRun } = details
  const { cancelledBy } = run.stage
  const facts: readonly Fact[] = [
    ['Started by', <StartedBy {...props} />],
    cancelledBy !== null ? ['Cancelled by', cancelledBy] : null,
    ['Started', <Started run={run} now={now} />],
    pipelineRun && ['Pipeline run', <Trigger {...props} pipelineRun={pipelineRun} />],
    ['Configuration', <Configuration {...props} />],
  ] as const
  return <Facts part="facts" facts={facts} />
}

function StartedBy({ details }: StagePanelProps) {
  const { stage } = details.run
  return (
    <>
      {starterOf(details)}
      {stage.rerunOfCounter !== null &&
        ` (rerun of ${countOf(details.reruns, 'job')} of attempt ${stage.rerunOfCounter})`}
    </>
  )
}

function Started({ run, now }: { run: StageSummary; now: number }) {
  const { endedAt: end } = run
  const { createdAt } = run.stage
  return (
    <>
      <When time={createdAt} now={now} />
      {end === null ? inProgress(run) : `, took ${duration(end - createdAt)}`}
    </>
  )
}

const AUTOMATICALLY = 'the server, automatically'

/** The user who started a run, or the event that did. */
function starterOf({ run, pipelineRun, stages }: StageDetails): string {
  const { approvedBy, name } = run.stage
  if (approvedBy !== APPROVED_BY_CHANGES) return approvedBy
  if (pipelineRun === null) return AUTOMATICALLY
  const before = stageBefore(pipelineRun, name)
  if (before !== null) return `stage ${before}, automatically`
  return pipelineStarter(pipelineRun, stages[0] ?? null) ?? AUTOMATICALLY
}

function inProgress(run: StageSummary): string {
  return run.isWaiting ? ', waiting for an agent' : ', still in progress'
}

function Trigger({
  frame: { links },
  details: { stages, materials },
  pipelineRun,
}: StagePanelProps & { pipelineRun: NonNullable<StageDetails['pipelineRun']> }) {
  const { name, counter, label, variables } = pipelineRun
  return (
    <>
      <a href={`${links.pipeline(name)}#run-${counter}`}>{label}</a>
      {`, ${pipelineStart(pipelineRun, stages[0] ?? null)}`}
      <Materials links={links} materials={materials} />
      <RunVariables variables={variables} />
    </>
  )
}

/** The configuration of the run, and the changes of this pipeline since the previous run. */
function Configuration({ frame, details, now }: StagePanelProps) {
  const { configuration, before, markers } = details
  const since = before && runName(details, before)
  return (
    <>
      {configuration !== null && (
        <>
          <RevisionName frame={frame} name={configuration.name} />
          {!configuration.isRecorded && ' (by its start time; the run did not record it)'}
          {configuration.isRequested && ', as requested'}
          {markers.length > 0 && ', first run under it'}
          {'. '}
        </>
      )}
      {since === null && 'The first run of this pipeline.'}
      {since !== null && markers.length === 0 && `Configuration unchanged since ${since}.`}
      <SinceBefore frame={frame} details={details} />
      {markers.map(({ revision, changes }) => (
        <div class="changes">
          <p class="muted">
            {`r${revision.number} by ${revision.who}, `}
            <When time={revision.time} now={now} />
          </p>
          {changes !== null && <ChangeItems changes={changes.slice(0, 6)} />}
        </div>
      ))}
    </>
  )
}

/** `run 6`, or `attempt 1` for one of the same run of the pipeline. */
function runName({ run }: StageDetails, stage: StageInstance): string {
  const isSame = stage.pipelineCounter === run.stage.pipelineCounter
  return isSame ? `attempt ${stage.counter}` : `run ${stage.pipelineCounter}`
}

/** Only administrators may open the snapshot. */
function RevisionName({ frame, name }: { frame: PageFrame; name: string }) {
  const shown = name.slice(0, SHOWN_DIGITS)
  return frame.isAdministrator ? <a href={frame.links.snapshot(name)}>{shown}</a> : <>{shown}</>
}

function SinceBefore({ frame: { links }, details }: Pick<StagePanelProps, 'frame' | 'details'>) {
  const { configuration, formerConfiguration, before, markers, run } = details
  if (before === null || configuration === null || formerConfiguration === null) return <></>
  if (markers.every(({ changes }) => changes === null)) return <></>
  const pipeline = { kind: 'pipeline', name: run.stage.pipelineName }
  const range = { from: formerConfiguration.name, to: configuration.name }
  return (
    <a href={links.compareEntity(pipeline, range)}>
      {`What changed since ${runName(details, before)}`}
    </a>
  )
}

function Jobs(props: StagePanelProps) {
  const { run, jobs } = props.details
  const left = countIds(run.stage.jobs) - jobs.length
  const scale = scaleOf(jobs, props.now)
  return (
    <div data-part="jobs">
      <h3 class="panel-part">Jobs</h3>
      <ul class="jobs">
        {jobs.map((job) => (
          <Job {...props} job={job} scale={scale} />
        ))}
      </ul>
      {left > 0 && <p class="muted">{`and ${countOf(left, 'more job')}`}</p>}
      <ul class="row legend muted" aria-label="Bar colours">
        {LEGEND.map(([phase, words]) => (
          <li>
            <svg class="job-bar" viewBox="0 0 16 16" aria-hidden="true">
              <rect class={phase} width="16" height="16" />
            </svg>{' '}
            {words}
          </li>
        ))}
      </ul>
    </div>
  )
}

const LEGEND = [
  ['waiting', 'waiting for an agent'],
  ['preparing', 'preparing'],
  ['building', 'building'],
  ['passed', 'passed'],
  ['failed', 'failed'],
] as const

type JobProps = StagePanelProps & { readonly job: JobInstance; readonly scale: BarScale }

function Job({ frame: { links }, details, job, scale, now }: JobProps) {
  const { run, jobs, mayRerun, waits } = details
  const wait = waits.get(job.id)
  const isRunning = job.result === 'Unknown' && job.state !== 'Completed'
  return (
    <li class="job">
      <span class="row">
        {mayRerun && jobs.length > 1 && (
          <input type="checkbox" name="jobs" value={job.name} aria-label={`Choose ${job.name}`} />
        )}
        <a href={links.job({ ...runAddress(run), job: job.name })}>{job.name}</a>
      </span>
      <JobBar job={job} scale={scale} now={now} />
      <span class="job-result">
        <Status status={isRunning ? job.state : job.result} />{' '}
        <span class="muted">{duration(wholeTime(job, now))}</span>
      </span>
      {wait && <WaitReason wait={wait} />}
      <span class="job-words muted">
        {phaseText(segmentsOf(job.transitions, now))}
        {job.originalJobId !== null && ', carried over from an earlier run'}
      </span>
    </li>
  )
}
