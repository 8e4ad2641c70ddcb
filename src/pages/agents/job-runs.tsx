import type { AgentPage } from './agent-page.ts'
import type { JobInstance } from '../../builds/runs/stages.ts'
import { placeOfJob } from '../../builds/artifacts/job-folders.ts'
import { duration } from '../kit/words/duration.ts'
import type { OpenPage } from '../kit/layout.tsx'
import { Status } from '../kit/status.tsx'
import { When } from '../kit/when.tsx'
import { BY_TIME, Pager } from '../kit/pager.tsx'
import { compareKeys, type SortKey, type SortOrder, SortOrders, Table } from '../kit/table.tsx'
import { jobOf } from './agent-cells.tsx'

const JOB_RUN_COLUMNS = ['completed', 'job', 'result', 'duration'] as const
type JobRunColumn = (typeof JOB_RUN_COLUMNS)[number]

/** The order of the runs on one page. The pages themselves are always by end time, newest first. */
export type JobRunOrder = SortOrder<JobRunColumn>

export const JOB_RUN_ORDERS = new SortOrders(JOB_RUN_COLUMNS, {
  column: 'completed',
  isDescending: true,
})

export interface JobRunsProps extends OpenPage {
  readonly page: AgentPage
  readonly order: JobRunOrder
}

/** The jobs that an agent ran, ten per page. */
export function JobRuns(props: JobRunsProps) {
  return (
    <section aria-labelledby="runs-title">
      <h2 id="runs-title">Job run history</h2>
      <div data-part="runs">
        <RunsTable {...props} />
        <Pages {...props} />
      </div>
    </section>
  )
}

const COLUMNS = [
  { label: 'Completed', name: 'completed' },
  { label: 'Pipeline / stage / job', name: 'job', isPlain: true },
  { label: 'Result', name: 'result', isPlain: true },
  { label: 'Duration', name: 'duration' },
] as const

function RunsTable({ frame: { links }, page, order, now }: JobRunsProps) {
  const { items, pagination } = page.runs
  const offset = pagination.offset === 0 ? null : pagination.offset
  const sorting = {
    ...order,
    to: (column: JobRunColumn, isDescending: boolean) =>
      links.agent(page.uuid, { sort: JOB_RUN_ORDERS.render({ column, isDescending }), offset }),
  }
  const rows = sortedRuns(items, order).map((job) => ({
    cells: [
      <When time={endOf(job)} now={now} />,
      <>
        <a href={links.job(jobOf(placeOfJob(job)))}>{nameOf(job)}</a>{' '}
        {job.rerun && <span class="badge">rerun</span>}
      </>,
      <Status status={job.state === 'Rescheduled' ? 'Rescheduled' : job.result} />,
      duration(endOf(job) - job.scheduledDate),
    ],
  }))
  const empty =
    pagination.total === 0
      ? 'No jobs yet. They appear here as soon as the agent gets one.'
      : 'No more jobs.'
  return <Table label="Jobs" columns={COLUMNS} sorting={sorting} rows={rows} empty={empty} />
}

function nameOf({ pipelineName, pipelineCounter, stageName, stageCounter, name }: JobInstance) {
  return `${pipelineName} / ${pipelineCounter} / ${stageName} / ${stageCounter} / ${name}`
}

function Pages({ frame: { links }, page, order }: JobRunsProps) {
  const sort = JOB_RUN_ORDERS.render(order)
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
  const ascending = runs.toSorted((one, other) =>
    compareKeys(keyOf(one, column), keyOf(other, column)),
  )
  return isDescending ? ascending.toReversed() : ascending
}

function keyOf(job: JobInstance, column: JobRunColumn): SortKey {
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
