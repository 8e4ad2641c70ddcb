import type { Child } from 'hono/jsx'
import { shownAuthor } from '../../core/revision.ts'
import type { ReportedChange } from '../../operations/change-report.ts'
import { REPORT_FORMS } from '../../operations/render-report.ts'
import { countOf } from '../kit/words/count.ts'
import { DateRange } from '../kit/date-field.tsx'
import { FilterText } from '../kit/forms.tsx'
import { type OpenPage, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'
import type { ReportQuery } from './read-report.ts'

interface ReportViewProps extends OpenPage {
  readonly query: ReportQuery
  /** Oldest first. */
  readonly changes: readonly ReportedChange[]
}

const COLUMNS = [
  { label: 'When', isPlain: true, class: 'nowrap' },
  'Who',
  'What',
  'Proposal',
  'Approved',
  'Overrode',
]
const FORM_NAMES = { text: 'Text', csv: 'CSV', json: 'JSON' } as const

/** The changes of a time, newest first, and the same as files. */
export function ReportView(props: ReportViewProps) {
  const { frame, changes, query } = props
  const { links } = frame
  const asked = {
    since: isoOf(query.since) ?? '',
    until: isoOf(query.until),
    entity: query.entity,
  }
  return (
    <PageLayout frame={frame} title="Report" section="audit">
      <PageHead
        title="Report"
        about={
          <>
            {`${countOf(changes.length, 'change')}, read from git alone. `}
            <code>cairn report</code> prints the same from a clone.
          </>
        }
        menu={REPORT_FORMS.map((form) => (
          <a href={links.report({ ...asked, as: form })}>{`As ${FORM_NAMES[form]}`}</a>
        ))}
      />
      <Filter {...props} />
      <Table
        label="Changes"
        columns={COLUMNS}
        rows={changes.toReversed().map((change) => ({ cells: cellsOf(props, change) }))}
        empty="Nothing has changed in this time."
      />
    </PageLayout>
  )
}

function isoOf(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}

function Filter({ frame: { links }, query: { since, until, entity } }: ReportViewProps) {
  return (
    <form class="filters" action={links.report()} aria-label="Filter">
      <FilterText
        name="entity"
        value={entity ?? ''}
        placeholder="group/payments"
        label="Entity, such as group/payments"
      />
      <DateRange since={since} until={until} />
      <button>Show</button>
    </form>
  )
}

function cellsOf({ frame: { links }, now }: ReportViewProps, change: ReportedChange) {
  const { time, commit, author, subject, reason, proposal, mergedBy, approvals, overrides } = change
  return [
    <When time={Date.parse(time)} now={now} />,
    <span title={author}>{shownAuthor(author)}</span>,
    <>
      <a href={links.snapshot(commit)}>{subject}</a>
      {reason !== '' && <p class="muted">{reason}</p>}
    </>,
    proposal === null ? (
      ''
    ) : (
      <>
        <a href={links.proposal(proposal)}>{String(proposal)}</a>
        {mergedBy !== null && `, merged by ${mergedBy}`}
      </>
    ),
    listOf(approvals.map(({ by, digest }) => <span title={digest}>{by}</span>)),
    listOf(
      overrides.map(({ by, rule, inRecovery = false }) => (
        <span>{`${rule}, by ${by}${inRecovery ? ' in a recovery' : ''}`}</span>
      )),
    ),
  ]
}

function listOf(items: readonly Child[]) {
  return <>{items.map((item, n) => [n > 0 ? ', ' : '', item])}</>
}
