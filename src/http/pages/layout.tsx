import type { Child } from 'hono/jsx'
import type { Problem } from '../../core/problem.ts'
import type { Assets } from './assets.ts'
import type { Links } from './links.ts'

/** What every page shows around its own content. */
export interface Chrome {
  readonly links: Links
  readonly assets: Assets
  readonly username: string
  /** What is wrong with the service now, for the notice on every page; empty when all is well. */
  readonly notices: readonly Notice[]
}

export interface Notice {
  readonly subject: string
  readonly errors: readonly Problem[]
}

export type Section = 'history' | 'current' | 'edit' | 'agents' | 'pipelines'

export interface PageProps {
  readonly chrome: Chrome
  readonly title: string
  readonly section?: Section
  /** Whether the page uses the full width, as diffs and snapshots do. */
  readonly wide?: boolean
  readonly children: Child
}

/** The frame of every page: head, navigation, notices, content. */
export function Page({ chrome, title, section, wide, children }: PageProps) {
  const { links, assets } = chrome
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${title} · Cairn`}</title>
        {['tokens.css', 'base.css'].map((name) => (
          <link rel="stylesheet" href={links.asset(assets.addressOf(name))} />
        ))}
      </head>
      <body>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Bar chrome={chrome} section={section} />
        {chrome.notices.map((notice) => (
          <NoticeLine notice={notice} />
        ))}
        <main id="content" class={wide ? 'wide' : ''}>
          {children}
        </main>
      </body>
    </html>
  )
}

function Bar({
  chrome: { links, username },
  section,
}: {
  chrome: Chrome
  section?: Section | undefined
}) {
  const sections: readonly (readonly [Section, string, string])[] = [
    ['history', 'History', links.history()],
    ['current', 'Current config', links.current()],
    ['edit', 'Edit', links.edit()],
    ['agents', 'Agents', links.agents()],
    ['pipelines', 'Pipelines', links.pipelines()],
  ]
  return (
    <header class="bar">
      <a class="brand" href={links.history()}>
        Cairn
      </a>
      <nav aria-label="Sections">
        {sections.map(([name, label, href]) => (
          <a href={href} aria-current={name === section ? 'page' : undefined}>
            {label}
          </a>
        ))}
      </nav>
      <div class="bar-end">
        <span>{username}</span>
        <a href={links.logOut()}>Log out</a>
      </div>
    </header>
  )
}

function NoticeLine({ notice }: { notice: Notice }) {
  return (
    <div class="notice bad" role="status">
      <strong>{notice.subject}</strong>
      <ul>
        {notice.errors.slice(0, 5).map(({ line, column, message }) => (
          <li>{line === undefined ? message : `Line ${line}, column ${column}: ${message}`}</li>
        ))}
      </ul>
    </div>
  )
}
