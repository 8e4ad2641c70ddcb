import type { Child } from 'hono/jsx'
import { Avatar, Icon } from './icon.tsx'
import type { PageFrame } from './layout.tsx'

/** The pages of administrators. */
export function AdminMenu({ frame, section }: { frame: PageFrame; section?: string | undefined }) {
  const { links } = frame
  return (
    <Menu id="admin-menu" label="Admin" isCurrent={section === 'audit'}>
      <a href={links.users()} data-jump="u">
        Users
      </a>
      <a href={links.permissions()}>Permissions</a>
      <a href={links.audit()} aria-current={section === 'audit' ? 'page' : undefined} data-jump="l">
        Audit
      </a>
      <a href={links.report()}>Report</a>
      <a href={links.problems()}>Problems</a>
      <a href={links.rules()}>Rules</a>
      <a href={links.webhooks()}>Webhooks</a>
      <a href={links.invitations()}>Agent invitations</a>
      <a href={links.maintenance()}>Maintenance</a>
      <a href={links.servers()}>Servers</a>
    </Menu>
  )
}

/** The pages of the person who is logged in. */
export function PersonMenu({ frame }: { frame: PageFrame }) {
  const { links, username, isAdministrator } = frame
  return (
    <Menu id="person-menu" label={username} isPerson>
      <a href={links.account()}>My account</a>
      <a href={links.tokens()}>My tokens</a>
      <a href={links.proposals()}>Proposals</a>
      <a href={links.api()}>API</a>
      {isAdministrator && <a href={`${links.api()}#clone`}>Clone address</a>}
      <LogOut frame={frame} />
    </Menu>
  )
}

/** Links behind a button. The browser opens it, and closes it with Escape or a click elsewhere. */
function Menu(props: {
  readonly id: string
  readonly label: string
  readonly isCurrent?: boolean
  readonly isPerson?: boolean
  readonly children: Child
}) {
  const { id, label, isCurrent = false, isPerson = false, children } = props
  return (
    <>
      <button
        type="button"
        class="menu-button"
        popovertarget={id}
        aria-current={isCurrent ? 'page' : undefined}
      >
        {isPerson && (
          <span class="in-wide">
            <Avatar name={label} />
          </span>
        )}
        <span class="user nowrap">{label}</span>
        <Icon name="down" />
      </button>
      <div id={id} class="menu" popover="auto">
        {children}
      </div>
    </>
  )
}

/** A session is ended by a form; the credentials of Basic are forgotten behind a link. */
function LogOut({ frame: { links, hasSession } }: { frame: PageFrame }) {
  if (!hasSession) return <a href={links.logOut()}>Log out</a>
  return (
    <form method="post" action={links.logOut()}>
      <button class="plain">Log out</button>
    </form>
  )
}
