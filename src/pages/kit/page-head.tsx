import type { Child } from 'hono/jsx'

/** A page above this one. */
export type Crumb = readonly [label: Child, href: string | null, shortcut?: string]

interface PageHeadProps {
  readonly title: Child
  /** The pages above this one, outermost first. */
  readonly trail?: readonly Crumb[]
  /** The content of the page in a line or two. */
  readonly about?: Child
  /** Further lines below. */
  readonly below?: Child
  /** Links and buttons for the whole page. */
  readonly actions?: Child
  /** A form in place of plain actions, such as a filter. */
  readonly children?: Child
}

/** The head of a page: where it is, its title, what it shows, and what can be done. */
export function PageHead({ title, trail, about, below, actions, children }: PageHeadProps) {
  return (
    <div class="page-head">
      <div>
        {trail && <Trail crumbs={trail} />}
        <h1>{title}</h1>
        {about && <p class="muted">{about}</p>}
        {below}
      </div>
      {actions && <div class="actions">{actions}</div>}
      {children}
    </div>
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
