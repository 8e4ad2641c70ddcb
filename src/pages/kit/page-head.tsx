import type { Child } from 'hono/jsx'
import { Icon } from './icon.tsx'

/** A page above this one. */
export type Crumb = readonly [label: Child, href: string | null, shortcut?: string]

/** The addresses of the pages before and after one of a sequence; null at its ends. */
export interface PageSteps {
  readonly older: string | null
  readonly newer: string | null
}

interface PageHeadProps {
  /** The sentence that the page is about. */
  readonly title: Child
  /** A name small beside the title, such as that of a revision. */
  readonly name?: Child
  /** The pages above this one, outermost first. */
  readonly trail?: readonly Crumb[]
  readonly steps?: PageSteps
  /** The content of the page in a line or two. */
  readonly about?: Child
  /** Further lines below. */
  readonly below?: Child
  /** Links and buttons for the whole page: two at most. */
  readonly actions?: Child
  /** All others, which a menu holds. */
  readonly menu?: Child
  /** Whether the menu is open, because of what is said in it. */
  readonly isMenuOpen?: boolean
  /** A form in place of plain actions, such as a filter. */
  readonly children?: Child
}

/** The head of a page: where it is, its title, what it shows, and what can be done. */
export function PageHead(props: PageHeadProps) {
  const { title, name, trail, steps, about, below, actions, menu, children } = props
  const { isMenuOpen = false } = props
  return (
    <>
      {(trail || steps) && (
        <div class="row head-trail">
          {trail && <Trail crumbs={trail} />}
          {steps && <Steps {...steps} />}
        </div>
      )}
      <div class="page-head">
        <div>
          <h1>
            {title}
            {name && ' '}
            {name && <span class="head-name">{name}</span>}
          </h1>
          {about && <p class="muted">{about}</p>}
          {below}
        </div>
        {(actions || menu) && (
          <div class="actions">
            {actions}
            {menu && (
              <MoreMenu class="head-menu" isOpen={isMenuOpen}>
                {menu}
              </MoreMenu>
            )}
          </div>
        )}
        {children}
      </div>
    </>
  )
}

/** The path to a page from the section it belongs to. */
function Trail({ crumbs }: { crumbs: readonly Crumb[] }) {
  return (
    <p class="muted">
      {crumbs.map(([label, href, shortcut], n) => (
        <>
          {n > 0 && ' › '}
          {href === null ? (
            label
          ) : (
            <a href={href} aria-keyshortcuts={shortcut}>
              {label}
            </a>
          )}
        </>
      ))}
    </p>
  )
}

/** Older and newer at one place on every page of a sequence: at the foot of a phone. */
function Steps({ older, newer }: PageSteps) {
  return (
    <nav class="head-steps" aria-label="Older and newer">
      <Step href={older} rel="prev" label="← Older" shortcut="[" />
      <Step href={newer} rel="next" label="Newer →" shortcut="]" />
    </nav>
  )
}

interface StepProps {
  readonly href: string | null
  readonly rel: 'prev' | 'next'
  readonly label: string
  readonly shortcut: string
}

function Step({ href, rel, label, shortcut }: StepProps) {
  if (href === null) return <span class="button off">{label}</span>
  return (
    <a class="button" rel={rel} href={href} aria-keyshortcuts={shortcut}>
      {label}
    </a>
  )
}

interface MoreMenuProps {
  readonly id?: string
  readonly class?: string
  readonly isOpen?: boolean
  /** The name of one of many, for screen readers; the others say it. */
  readonly of?: string
  readonly children: Child
}

/** Actions that are not needed at once. Opens without a script. */
export function MoreMenu({ isOpen = false, of, children, ...menu }: MoreMenuProps) {
  return (
    <details id={menu.id} class={`more ${menu.class ?? ''}`.trimEnd()} open={isOpen}>
      <summary class="button" aria-label={of && `More for ${of}`}>
        <Icon name="ellipsis" />
        {of === undefined && 'More'}
      </summary>
      <div class="fields">{children}</div>
    </details>
  )
}
