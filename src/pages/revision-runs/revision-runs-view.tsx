import type { PipelineRunFacts } from '../../builds/runs/pipeline-runs.ts'
import type { Page } from '../../core/page.ts'
import { type OpenPage, PageLayout } from '../kit/layout.tsx'
import { BY_TIME, Pager } from '../kit/pager.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'
import { countOf } from '../kit/words/count.ts'
import type { NumberedRevision } from '../revisions/numbered-revision.ts'
import { StageChips } from '../runs/run-labels.tsx'
import { pipelineStart } from '../runs/run-starts.ts'

interface RevisionRunsViewProps extends OpenPage {
  readonly revision: NumberedRevision
  readonly runs: Page<PipelineRunFacts>
}

/** The runs of all pipelines that one revision scheduled. */
export function RevisionRunsView({ frame, now, revision, runs }: RevisionRunsViewProps) {
  const { links } = frame
  const name = `r${revision.number}`
  const { items, pagination } = runs
  return (
    <PageLayout frame={frame} title={`Runs by ${name}`} section="history" styles={['runs.css']}>
      <PageHead
        title={`Runs by ${name}`}
        trail={[
          ['← History', links.historyAt(revision.number), 'u'],
          [name, links.snapshot(name)],
        ]}
        about={`${countOf(pagination.total, 'run')} scheduled by this configuration.`}
      />
      <Table
        label="Runs"
        columns={['Run', 'Stages', 'Started', 'By']}
        empty="No runs by this revision."
        rows={items.map(({ run, stages }) => ({
          cells: [
            <a href={`${links.pipeline(run.name)}#run-${run.counter}`}>
              {`${run.name} / ${run.label}`}
            </a>,
            <StageChips links={links} planned={[]} stages={stages} />,
            <When time={run.createdAt} now={now} />,
            pipelineStart(run, stages[0] ?? null),
          ],
        }))}
      />
      <Pager
        labels={BY_TIME}
        pagination={pagination}
        to={(offset) => links.revisionRuns(name, { offset })}
      />
    </PageLayout>
  )
}
