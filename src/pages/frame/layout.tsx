import type { Child } from 'hono/jsx'
import type { Problem } from '../../core/problem.ts'
import type { Assets } from './assets.ts'
import type { Colours } from './colours.ts'
import { Footer } from './footer.tsx'
import { Keys } from './keys.tsx'
import type { Links } from './links.ts'

/** The data of the frame around every page. */
export interface PageFrame {
  readonly links: Links
  readonly assets: Assets
  /** Empty for an anonymous caller. */
  readonly username: string
  /** Whether the pages of the configuration are linked. */
  readonly isAdministrator: boolean
  /** Whether every other user is an administrator too. */
  readonly everyoneAdministers: boolean
  /** The current problems of the service, shown on every page; empty when there are none. */
  readonly notices: readonly Notice[]
  readonly colours: Colours
  /** The address of the page itself, for forms that return to it. */
  readonly here: string
  /** Differs when anything in the frame does; a part of every page's ETag. */
  readonly key: string
}

export interface Notice {
  readonly subject: string
  readonly errors: readonly Problem[]
}

export type Section = 'history' | 'current' | 'edit' | 'agents' | 'pipelines'

export interface PageProps {
  readonly frame: PageFrame
  readonly title: string
  readonly section?: Section
  /** Whether the page uses the full width, as diffs and snapshots do. */
  readonly wide?: boolean
  /** Style sheets besides those of every page. */
  readonly styles?: readonly string[]
  /** Scripts besides the one of every page; they load after the page. */
  readonly scripts?: readonly string[]
  /** The initial text of the search field. */
  readonly search?: string
  readonly children: Child
}

/**
 * Fonts of the style sheets that are preloaded, so that they are there before the text is laid out.
 */
const PRELOADED = ['inter.woff2', 'mono.woff2']
const STYLES = ['tokens.css', 'base.css']
const SCRIPTS = ['enhance.js']

/** The number of problems shown in full on every page; the others are folded. */
const OPEN_NOTICES = 2

/** The frame of every page: head, navigation, notices, content. */
export function PageLayout(props: PageProps) {
  const { frame, section, wide, children } = props
  return (
    <html lang="en">
      <Head {...props} />
      <body class={frame.colours === 'blue-orange' ? 'colour-blind' : ''}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        <Bar frame={frame} section={section} search={props.search ?? ''} />
        <Notices notices={frame.notices} />
        <main id="content" class={wide ? 'wide' : ''} tabindex={-1}>
          {children}
        </main>
        <Footer frame={frame} />
        <Keys />
      </body>
    </html>
  )
}

function Head({ frame: { links, assets }, title, styles = [], scripts = [] }: PageProps) {
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} · Cairn`}</title>
      {PRELOADED.map((name) => (
        <link
          rel="preload"
          as="font"
          type="font/woff2"
          href={links.asset(assets.addressOf(name))}
          crossorigin="anonymous"
        />
      ))}
      {[...STYLES, ...styles].map((name) => (
        <link rel="stylesheet" href={links.asset(assets.addressOf(name))} />
      ))}
      {[...SCRIPTS, ...scripts].map((name) => (
        <script type="module" src={links.asset(assets.addressOf(name))} />
      ))}
      <link rel="icon" type="image/svg+xml" href={links.asset(assets.addressOf('cairn.svg'))} />
    </head>
  )
}

type SectionLink = readonly [section: Section, label: string, href: string]

function Bar({
  frame: { links, assets, username, isAdministrator },
  section,
  search,
}: {
  frame: PageFrame
  section?: Section | undefined
  search: string
}) {
  const configuration: readonly SectionLink[] = [
    ['history', 'History', links.history()],
    ['current', 'Current config', links.current()],
    ['edit', 'Edit', links.edit()],
  ]
  const builds: readonly SectionLink[] = [
    ['pipelines', 'Pipelines', links.pipelines()],
    ['agents', 'Agents', links.agents()],
  ]
  const sections: readonly SectionLink[] = [
    ...(isAdministrator ? configuration : []),
    ...(username === '' ? [] : builds),
  ]
  return (
    <header class="bar">
      <a class="brand" href={links.root()}>
        <img src={links.asset(assets.addressOf('cairn.svg'))} alt="" width="18" height="18" />
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
        {isAdministrator && <BarSearch links={links} search={search} />}
        <a class="key" href="#keys" title="Keys">
          <span aria-hidden="true">?</span>
          <span class="visually-hidden">Keys</span>
        </a>
        {username !== '' && <span class="muted user">{username}</span>}
        {username !== '' && <a href={links.logOut()}>Log out</a>}
      </div>
    </header>
  )
}

/** Folds many problems, as when a network is down, so that they do not push the page away. */
function Notices({ notices }: { notices: readonly Notice[] }) {
  const rest = notices.slice(OPEN_NOTICES)
  return (
    <>
      {notices.slice(0, OPEN_NOTICES).map((notice) => (
        <NoticeLine notice={notice} />
      ))}
      {rest.length > 0 && (
        <details class="notice bad">
          <summary>{`${rest.length} more problems`}</summary>
          {rest.map((notice) => (
            <NoticeLine notice={notice} />
          ))}
        </details>
      )}
    </>
  )
}

function NoticeLine({ notice: { subject, errors } }: { notice: Notice }) {
  const isRepeated = errors.length === 1 && errors.every(({ message }) => subject.includes(message))
  return (
    <div class="notice bad" role="status">
      <strong>{subject}</strong>
      {!isRepeated && errors.length > 0 && (
        <ul>
          {errors.slice(0, 5).map(({ line, column, message }) => (
            <li>{line === undefined ? message : `Line ${line}, column ${column}: ${message}`}</li>
          ))}
        </ul>
      )}
      {errors.length > 5 && <p>{`and ${errors.length - 5} more`}</p>}
    </div>
  )
}

/** The search field of the bar: it searches the texts of all changes. */
function BarSearch({ links, search }: { links: Links; search: string }) {
  return (
    <form class="bar-search" role="search" action={links.history()}>
      <input
        type="search"
        name="q"
        value={search}
        placeholder="Search changes"
        aria-label="Search changes"
      />
    </form>
  )
}
