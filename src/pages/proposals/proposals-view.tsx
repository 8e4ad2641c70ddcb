import type { Pagination } from '../../core/page.ts'
import type { Proposal, ProposalState } from '../../proposals/proposal.ts'
import { LinkChoice } from '../kit/buttons.tsx'
import { type OpenPage, type PageFrame, PageLayout } from '../kit/layout.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { BY_TIME, Pager } from '../kit/pager.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'

export interface ProposalsViewProps extends OpenPage {
  readonly proposals: readonly Proposal[]
  readonly pagination: Pagination
  readonly state: ProposalState
  /** Whether only those are shown that wait for the reader. */
  readonly isWaiting: boolean
}

const COLUMNS = [
  { label: 'Title', isHead: true, isPlain: true },
  'Proposal',
  'By',
  'Changes',
  'Last event',
]
/** Proposals on a page. */
export const PROPOSAL_ROWS = 50
/** Entities of a proposal that are named. */
const MAX_NAMED = 3

/** The proposals that the reader may view. */
export function ProposalsView(props: ProposalsViewProps) {
  const { frame, proposals, pagination, state, isWaiting, now } = props
  const { links } = frame
  const query = isWaiting ? { 'waiting-for': 'me' } : state === 'open' ? {} : { state }
  const rows = proposals.map((each) => ({
    cells: [
      <a href={links.proposal(each.number)}>{each.title}</a>,
      each.number,
      each.contributors.join(', '),
      namesOf(frame, each),
      <When time={each.changed} now={now} />,
    ],
  }))
  return (
    <PageLayout frame={frame} title="Proposals">
      <PageHead
        title="Proposals"
        about="Changes that need approval before they are saved."
        actions={
          <LinkChoice
            label="Proposals"
            options={[
              ['Waiting for me', links.proposals({ 'waiting-for': 'me' }), isWaiting],
              ['Open', links.proposals(), state === 'open' && !isWaiting],
              ['Merged', links.proposals({ state: 'merged' }), state === 'merged'],
              ['Closed', links.proposals({ state: 'closed' }), state === 'closed'],
            ]}
          />
        }
      />
      <Table label="Proposals" columns={COLUMNS} rows={rows} empty={emptyOf(state, isWaiting)} />
      <Pager
        pagination={pagination}
        labels={BY_TIME}
        to={(offset) => links.proposals({ ...query, offset })}
      />
    </PageLayout>
  )
}

function namesOf({ wordsOf }: PageFrame, { newest: { touches } }: Proposal): string {
  const named = touches.slice(0, MAX_NAMED).map(({ entity }) => wordsOf(entity))
  const left = touches.length - named.length
  return `${named.join(', ')}${left > 0 ? ` and ${left} more` : ''}`
}

function emptyOf(state: ProposalState, isWaiting: boolean): string {
  if (isWaiting)
    return 'No proposals are waiting for you. Those that need your approval appear here.'
  return `No ${state} proposals. To make one, choose Propose on the preview of a change, or use cairn propose.`
}
