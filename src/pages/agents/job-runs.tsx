import type { AgentPage } from './agent-page.ts'
import type { JobInstance } from '../../builds/runs/stages.ts'
import { placeOfJob } from '../../builds/artifacts/job-folders.ts'
import { duration } from '../kit/duration.ts'
import type { PageFrame } from '../kit/layout.tsx'
import { Status } from '../kit/status.tsx'
import { When } from '../kit/when.tsx'
import { BY_TIME, Pager } from '../kit/pager.tsx'
import { jobOf } from './agent-cells.tsx'

export const JOB_RUN_COLUMNS = ['completed', 'job', 'result', 'duration'] as const
export type JobRunColumn = (typeof JOB_RUN_COLUMNS)[number]

/** The order of the runs on one page. The pages themselves are always by end time, newest first. */
export interface JobRunOrder {
  readonly column: JobRunColumn
  readonly isDescending: boolean
}

const LABELS: Record<JobRunColumn, string> = {
  completed: 'Completed',
  job: 'Pipeline / stage / job',
  result: 'Result',
  duration: 'Duration',
}

export interface JobRunsProps {
  readonly frame: PageFrame
  readonly page: AgentPage
  readonly order: JobRunOrder
  readonly now: number
}

/** The jobs that an agent ran, ten per page. */
export function JobRuns(props: JobRunsProps) {
  const { runs } = props.page
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">Job run history</h2>
      <div data-part="runs">
        {runs.items.length === 0 ? (
          <p class="card muted">{runs.pagination.total === 0 ? 'No jobs yet.' : 'No more jobs.'}</p>
        ) : (
          <Table {...props} />
        )}
        <Pages {...props} />
      </div>
    </section>
  )
}

function Table({ frame, page, order, now }: JobRunsProps) {
  const { links } = frame
  const { offset } = page.runs.pagination
  return (
    <div class="table-card">
      <table class="list runs">
        <thead>
          <tr>
            {JOB_RUN_COLUMNS.map((column) => {
              const isSorted = order.column === column
              const turned = isSorted && !order.isDescending ? `-${column}` : column
              const at = offset === 0 ? null : offset
              const href = links.agent(page.uuid, { sort: turned, offset: at })
              const direction = order.isDescending ? 'descending' : 'ascending'
              return (
                <th scope="col" aria-sort={isSorted ? direction : undefined}>
                  <a class="sort" href={href}>
                    {LABELS[column]}
                    {isSorted && <span aria-hidden="true">{order.isDescending ? ' ↓' : ' ↑'}</span>}
                  </a>
                </th>
              )
            })}
          </tr>
        </thead>
        <tbody>
          {sortedRuns(page.runs.items, order).map((job) => (
            <Row frame={frame} job={job} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ frame, job, now }: { frame: PageFrame; job: JobInstance; now: number }) {
  const { pipelineName, pipelineCounter, stageName, stageCounter, name } = job
  const text = `${pipelineName} / ${pipelineCounter} / ${stageName} / ${stageCounter} / ${name}`
  return (
    <tr>
      <td data-label="Completed">
        <When time={endOf(job)} now={now} />
      </td>
      <td>
        <a href={frame.links.job(jobOf(placeOfJob(job)))}>{text}</a>
        {job.rerun && (
          <>
            {' '}
            <span class="badge">rerun</span>
          </>
        )}
      </td>
      <td>
        <Status status={job.state === 'Rescheduled' ? 'Rescheduled' : job.result} />
      </td>
      <td data-label="Duration">{duration(endOf(job) - job.scheduledDate)}</td>
    </tr>
  )
}

function Pages({ frame: { links }, page, order }: JobRunsProps) {
  const isUsual = order.column === 'completed' && order.isDescending
  const sort = isUsual ? '' : `${order.isDescending ? '-' : ''}${order.column}`
  return (
    <Pager
      pagination={page.runs.pagination}
      shown={page.runs.items.length}
      labels={BY_TIME}
      to={(offset) => links.agent(page.uuid, { sort, offset })}
    />
  )
}

function sortedRuns(runs: readonly JobInstance[], order: JobRunOrder): readonly JobInstance[] {
  const { column, isDescending } = order
  const ascending = runs.toSorted((one, other) => compare(keyOf(one, column), keyOf(other, column)))
  return isDescending ? ascending.toReversed() : ascending
}

function keyOf(job: JobInstance, column: JobRunColumn): string | number {
  switch (column) {
    case 'completed':
      return endOf(job)
    case 'job':
      return `${job.pipelineName} ${job.stageName} ${job.name}`.toLowerCase()
    case 'result':
      return job.result
    case 'duration':
      return endOf(job) - job.scheduledDate
  }
}

function endOf({ transitions, scheduledDate }: JobInstance): number {
  return transitions.at(-1)?.time ?? scheduledDate
}

function compare(one: string | number, other: string | number): number {
  return one < other ? -1 : one > other ? 1 : 0
}
