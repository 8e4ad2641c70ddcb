import type { AgentNames } from '../../document/agents/agent-edits.ts'
import type { InvitationRecord } from '../../identities/issued-record.ts'
import { type PageFrame, PageLayout } from '../kit/layout.tsx'
import type { Links } from '../kit/links.ts'
import { FlashCard, type FlashMessage } from '../kit/notice.tsx'
import { When } from '../kit/when.tsx'
import { NameFields } from './name-fields.tsx'

export interface InvitationsViewProps {
  readonly frame: PageFrame
  readonly flash: FlashMessage | null
  readonly invitations: readonly InvitationRecord[]
  /** The command with the invitation that was just made, or null. */
  readonly made: string | null
  readonly names: AgentNames
  /** The environments of the configuration. */
  readonly environments: readonly string[]
  readonly now: number
}

/** How long an invitation may be good for, in hours, and in words. */
const VALID: readonly (readonly [hours: number, label: string])[] = [
  [1, '1 hour'],
  [24, '1 day'],
  [7 * 24, '7 days'],
  [30 * 24, '30 days'],
]
const USUAL = 24

/** A form for an invitation, the command of the one just made, and those that are open. */
export function InvitationsView(props: InvitationsViewProps) {
  const { frame, flash, invitations, made, now } = props
  const { links } = frame
  return (
    <PageLayout frame={frame} title="Invite an agent" section="agents" styles={['runs.css']}>
      <div class="page-head">
        <div>
          <h1>Invite an agent</h1>
          <p class="muted">
            An invitation lets one agent in, once: it needs no approval, and gets the resources and
            environments that are named here.
          </p>
        </div>
      </div>
      {flash !== null && <FlashCard flash={flash} />}
      {made !== null && <MadeInvitation command={made} />}
      <NewInvitationForm {...props} />
      <section>
        <h2>Open invitations</h2>
        {invitations.length === 0 ? (
          <p>None: every invitation is used, expired or revoked.</p>
        ) : (
          <InvitationsTable links={links} invitations={invitations} now={now} />
        )}
      </section>
    </PageLayout>
  )
}

function MadeInvitation({ command }: { command: string }) {
  return (
    <div class="card flash done" role="status">
      <p>
        <strong>The invitation is made.</strong> Run this on the machine of the agent. Copy it now:
        it is not shown again.
      </p>
      <pre class="code" tabindex={0}>
        {command}
      </pre>
    </div>
  )
}

function NewInvitationForm({ frame: { links }, names, environments }: InvitationsViewProps) {
  return (
    <form class="card" method="post" action={links.invitations()}>
      <NameFields names={names} environments={environments} />
      <div class="name-fields">
        <label>
          Good for
          <select name="hours">
            {VALID.map(([hours, label]) => (
              <option value={hours} selected={hours === USUAL}>
                {label}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="actions">
        <button class="primary" name="action" value="create">
          Make an invitation
        </button>
      </p>
    </form>
  )
}

interface InvitationsTableProps {
  readonly links: Links
  readonly invitations: readonly InvitationRecord[]
  readonly now: number
}

/** The invitations that agents may still use, each with its revocation. */
export function InvitationsTable({ links, invitations, now }: InvitationsTableProps) {
  return (
    <div class="card scroll" tabindex={0} role="region" aria-label="Open invitations">
      <table class="list">
        <thead>
          <tr>
            <th scope="col">Id in logs</th>
            <th scope="col">Made by</th>
            <th scope="col">Resources</th>
            <th scope="col">Environments</th>
            <th scope="col">Expires</th>
            <th scope="col">Revoke</th>
          </tr>
        </thead>
        <tbody>
          {invitations.map(({ id, maker, resources, environments, expires }) => (
            <tr>
              <td>
                <code>{id}</code>
              </td>
              <td>{maker}</td>
              <td>{resources.join(', ') || 'None'}</td>
              <td>{environments.join(', ') || 'None'}</td>
              <td>
                <When time={expires} now={now} />
              </td>
              <td>
                <form method="post" action={links.invitations()}>
                  <input type="hidden" name="invitation" value={id} />
                  <button
                    class="danger"
                    name="action"
                    value="revoke"
                    aria-label={`Revoke invitation ${id}`}
                  >
                    Revoke
                  </button>
                </form>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
