import type { Page } from '../../core/page.ts'
import { APPROVED_BY_CHANGES } from '../../core/builds/stage.ts'
import type { WaitingJobs } from '../../builds/dispatch/waiting-jobs.ts'
import type { ListedPipeline } from '../../builds/runs/list-pipelines.ts'
import type { PipelineRunFacts, RunChanges } from '../../builds/runs/pipeline-runs.ts'
import type { PipelineStatus } from '../../builds/runs/pausing.ts'
import { shownVariable } from '../../builds/runs/run-variables.ts'
import type { JobInstance, StageRun } from '../../builds/runs/stages.ts'
import type { JobRunHistoryBody, JobSummaryBody, StageJobBody } from '../../wire/job-body.ts'
import { renderPagination } from '../../wire/fields.ts'
import type { PipelineBody, PipelineStatusBody } from '../../wire/pipeline-body.ts'
import type {
  ModificationBody,
  PipelineHistoryBody,
  PipelineRunBody,
} from '../../wire/pipeline-run-body.ts'
import type { StageBody, StageHistoryBody } from '../../wire/stage-body.ts'

export function renderStageRun(run: StageRun): StageBody {
  return { ...renderStage(run), jobs: run.jobs.map(renderStageJob) }
}

export function renderStageHistory({ items, pagination }: Page<StageRun>): StageHistoryBody {
  const stages = items.map((run) => ({ ...renderStage(run), jobs: run.jobs.map(renderSummary) }))
  return { stages, pagination: renderPagination(pagination) }
}

export function renderJobRuns({ items, pagination }: Page<JobInstance>): JobRunHistoryBody {
  const jobs = items.map((job) => ({
    ...renderSummary(job),
    agent_uuid: job.agentUuid ?? '',
    job_state_transitions: renderTransitions(job),
    pipeline_counter: job.pipelineCounter,
    pipeline_name: job.pipelineName,
    rerun: job.rerun,
    stage_counter: String(job.stageCounter),
    stage_name: job.stageName,
  }))
  return { jobs, pagination: renderPagination(pagination) }
}

export function renderPipeline(pipeline: ListedPipeline): PipelineBody {
  const { name, group, lockedBy, pause, latest } = pipeline
  return {
    name,
    group,
    locked_by: lockedBy,
    paused: pause && { by: pause.by, cause: pause.cause },
    stages: [...pipeline.stages],
    latest: latest && {
      counter: latest.run.counter,
      label: latest.run.label,
      approved_by: latest.run.approvedBy,
      scheduled_date: latest.run.createdAt,
      stages: latest.stages.map(({ stage, result }) => ({
        name: stage.name,
        counter: String(stage.counter),
        result,
      })),
      blocked: latest.run.blocked,
    },
  }
}

export function renderPipelineStatus({
  pause,
  lockedBy,
  obstacle,
}: PipelineStatus): PipelineStatusBody {
  return {
    paused: pause !== null,
    pausedCause: pause?.cause ?? '',
    pausedBy: pause?.by ?? '',
    locked: lockedBy !== null,
    schedulable: obstacle === null,
  }
}

function renderPipelineRun({
  run,
  stages,
  changes,
  kinds,
  configuration,
  configurations,
}: PipelineRunFacts): PipelineRunBody {
  const { id, name, counter, label, approvedBy, createdAt, revisions, variables } = run
  return {
    id,
    name,
    counter,
    label,
    scheduled_date: createdAt,
    configuration,
    build_cause: {
      approver: approvedBy,
      trigger_forced: approvedBy !== APPROVED_BY_CHANGES,
      material_revisions: revisions.map(({ fingerprint, name: material, ...span }) => ({
        material: { fingerprint, name: material, type: kinds.get(fingerprint) ?? null },
        revision: span.revision,
        from_revision: span.fromRevision ?? span.revision,
        changed: span.changed,
        pinned: span.pinned !== undefined,
        modifications: modificationsOf(fingerprint, changes),
      })),
      variables: variables.map(shownVariable),
    },
    stages: stages.map(({ stage, result }) => ({
      name: stage.name,
      counter: String(stage.counter),
      approved_by: stage.approvedBy,
      result,
      configuration: configurations.get(stage.name) ?? null,
      ...(stage.cancelledBy !== null && { cancelled_by: stage.cancelledBy }),
    })),
  }
}

/** One run, with the reasons why its jobs wait. */
export function renderWaitingRun(
  facts: PipelineRunFacts,
  waiting: Pick<WaitingJobs, 'explain'>,
): PipelineRunBody {
  const body = renderPipelineRun(facts)
  const stages = facts.stages.map(({ active, jobs }) => {
    if (!active) return []
    const waits = waiting.explain(jobs)
    return jobs.flatMap(({ id, name }) => {
      const wait = waits.get(id)
      return wait ? [{ job: name, reason: wait.reason }] : []
    })
  })
  return {
    ...body,
    stages: body.stages.map((stage, n) => {
      const reasons = stages[n] ?? []
      return { ...stage, ...(reasons.length > 0 && { waiting: reasons }) }
    }),
  }
}

export function renderPipelineRuns({
  items,
  pagination,
}: Page<PipelineRunFacts>): PipelineHistoryBody {
  return { pipelines: items.map(renderPipelineRun), pagination: renderPagination(pagination) }
}

function modificationsOf(fingerprint: string, changes: RunChanges): ModificationBody[] {
  const found = changes.find((each) => each.fingerprint === fingerprint)
  return (found?.modifications ?? []).map(({ revision, username, comment, time }) => ({
    revision,
    user_name: username,
    comment,
    modified_time: time,
  }))
}

function renderStage({ stage, result }: StageRun): Omit<StageBody, 'jobs'> {
  return {
    name: stage.name,
    approved_by: stage.approvedBy,
    pipeline_counter: stage.pipelineCounter,
    pipeline_name: stage.pipelineName,
    approval_type: stage.approvalType,
    result,
    id: stage.id,
    counter: String(stage.counter),
  }
}

function renderStageJob(job: JobInstance): StageJobBody {
  return {
    ...renderSummary(job),
    agent_uuid: job.agentUuid,
    job_state_transitions: renderTransitions(job),
    original_job_id: job.originalJobId,
    rerun: job.rerun,
  }
}

function renderSummary({ name, result, state, id, scheduledDate }: JobInstance): JobSummaryBody {
  return { name, result, state, id, scheduled_date: scheduledDate }
}

function renderTransitions({ transitions }: JobInstance): StageJobBody['job_state_transitions'] {
  return transitions.map(({ id, state, time }) => ({ state_change_time: time, id, state }))
}
