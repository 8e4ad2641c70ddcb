import type { AgentNames } from '../../document/agents/agent-edits.ts'
import type { InvitationRecord } from '../../identities/issued-record.ts'
import { type OpenPageWithMessage, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { ActionButton } from '../kit/buttons.tsx'
import { SelectField } from '../kit/forms.tsx'
import type { FieldProblems } from '../runs/refusal.ts'
import { FlashCard, ShownOnce } from '../kit/notice.tsx'
import { PageHead } from '../kit/page-head.tsx'
import { Table } from '../kit/table.tsx'
import { When } from '../kit/when.tsx'
import { Revoke } from '../tokens/tokens-view.tsx'
import { NameFields } from './name-fields.tsx'

export interface InvitationsViewProps extends OpenPageWithMessage {
  readonly invitations: readonly InvitationRecord[]
  /** The command with the invitation that was just created, or null. */
  readonly made: string | null
  readonly names: AgentNames
  /** How long it is to be valid. */
  readonly hours: number
  /** The environments of the configuration. */
  readonly environments: readonly string[]
  /** Why the fields of an invitation were refused. */
  readonly problems: FieldProblems
}

/** The times that an invitation can be valid for, in hours and in words. */
const VALID: readonly (readonly [hours: number, label: string])[] = [
  [1, '1 hour'],
  [24, '1 day'],
  [7 * 24, '7 days'],
  [30 * 24, '30 days'],
]
export const USUAL_HOURS = 24

/** A form for an invitation, the command of the one just created, and the open ones. */
export function InvitationsView(props: InvitationsViewProps) {
  const { frame, flash, invitations, made, now } = props
  return (
    <PageLayout frame={frame} title="Invite an agent" section="agents" styles={['runs.css']}>
      <PageHead
        title="Invite an agent"
        about="An invitation registers one agent without approval, with these resources and environments."
      />
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && (
        <ShownOnce
          done="Invitation created."
          about="Run this on the machine of the agent. Copy it now: it is not shown again."
          secret={made}
        />
      )}
      <NewInvitationForm {...props} />
      <section>
        <h2>Open invitations</h2>
        <InvitationsTable links={frame.links} invitations={invitations} now={now} />
      </section>
    </PageLayout>
  )
}

function NewInvitationForm(props: InvitationsViewProps) {
  const { frame, names, hours, environments, problems } = props
  const { links } = frame
  return (
    <form class="card fields" method="post" action={links.invitations()}>
      <NameFields names={names} environments={environments} problems={problems} />
      <SelectField label="Valid for" name="hours" options={VALID} chosen={hours} />
      <p class="actions">
        <ActionButton value="create" label="Create invitation" look="primary" />
      </p>
    </form>
  )
}

const COLUMNS = [
  { label: 'ID', isHead: true },
  'Created by',
  'Resources',
  'Environments',
  'Expires',
  { label: 'Revoke', isPlain: true },
]

interface InvitationsTableProps {
  readonly links: Links
  readonly invitations: readonly InvitationRecord[]
  readonly now: number
}

/** The invitations that agents can still use, each with its revocation. */
export function InvitationsTable({ links, invitations, now }: InvitationsTableProps) {
  const rows = invitations.map(({ id, maker, resources, environments, expires }) => ({
    cells: [
      <code>{id}</code>,
      maker,
      resources.join(', ') || 'None',
      environments.join(', ') || 'None',
      <When time={expires} now={now} />,
      <Revoke action={links.invitations()} field="invitation" id={id} name={`invitation ${id}`} />,
    ],
  }))
  return (
    <Table
      label="Open invitations"
      columns={COLUMNS}
      rows={rows}
      empty="No open invitations. A new one is shown with the command to run on the machine of the agent."
    />
  )
}
