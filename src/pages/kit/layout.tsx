import type { Child } from 'hono/jsx'
import type { ProblemKind, ServiceProblem } from '../../core/service/health-problem.ts'
import type { Assets } from '../assets/assets.ts'
import type { Colours } from './colours.ts'
import { AdminMenu, PersonMenu } from './bar-menus.tsx'
import { Keys } from './keys.tsx'
import type { Links } from './links.ts'
import type { FlashMessage } from './notice.tsx'
import { Notices } from './notices.tsx'

/** The data of the frame around every page. */
export interface PageFrame {
  readonly links: Links
  readonly assets: Assets
  /** Empty for an anonymous caller. */
  readonly username: string
  /** Whether the caller logged in on a page. */
  readonly hasSession: boolean
  /** Whether the pages of the configuration are linked. */
  readonly isAdministrator: boolean
  /** The history of all that the caller administers; null for nothing. */
  readonly history: string | null
  /** Whether every other user is an administrator too. */
  readonly everyoneAdministers: boolean
  /** The current problems of the service that the caller may know of. */
  readonly problems: readonly ServiceProblem[]
  /** A sentence about what is refused for maintenance; null where nothing is. */
  readonly maintenance: string | null
  readonly colours: Colours
  /** Puts the name of an entity into words, such as `agent build-01`. */
  readonly wordsOf: (entity: string) => string
  /** The address of the page itself, for forms that return to it. */
  readonly here: string
  /** Differs when anything in the frame does; a part of every page's ETag. */
  readonly key: string
}

/** The parts of a page that do not depend on what it shows. */
export interface OpenPage {
  readonly frame: PageFrame
  readonly now: number
}

/** An open page with the message of the action that led to it; null where none did. */
export interface OpenPageWithMessage extends OpenPage {
  readonly flash: FlashMessage | null
}

export type Section = 'history' | 'current' | 'edit' | 'agents' | 'pipelines' | 'audit'

export interface PageProps {
  readonly frame: PageFrame
  readonly title: string
  /** A sentence about the page, for previews of links. */
  readonly description?: string
  readonly section?: Section
  /** Whether the page uses the full width, as diffs and snapshots do. */
  readonly wide?: boolean
  /** Style sheets besides those of every page. */
  readonly styles?: readonly string[]
  /** Scripts besides the one of every page; they load after the page. */
  readonly scripts?: readonly string[]
  /** The address of a feed of what the page lists. */
  readonly feed?: string
  /** The initial text of the search field. */
  readonly search?: string
  /** The problems that the page itself is about; all others are one line. */
  readonly concerns?: readonly ProblemKind[]
  /** The problems that the page says in its own words: no notice repeats them. */
  readonly says?: readonly ProblemKind[]
  /** A second skip link, past what comes before the main part of the page. */
  readonly skipTo?: { readonly id: string; readonly label: string }
  readonly children: Child
}

/**
 * Fonts of the style sheets that are preloaded, so that they are there before the text is laid out.
 */
const PRELOADED = ['inter.woff2', 'mono.woff2']
const STYLES = ['tokens.css', 'base.css']
const SCRIPTS = ['enhance.js', 'keys.js']

/** The frame of every page: head, navigation, notices, content. */
export function PageLayout(props: PageProps) {
  const { frame, wide, skipTo, children, says = [], concerns = [] } = props
  const problems = frame.problems.filter(({ kind }) => !says.includes(kind))
  return (
    <html lang="en">
      <Head {...props} />
      <body class={frame.colours === 'blue-orange' ? 'colour-blind' : ''}>
        <a class="skip" href="#content">
          Skip to content
        </a>
        {skipTo && (
          <a class="skip" href={`#${skipTo.id}`}>
            {skipTo.label}
          </a>
        )}
        <Bar {...props} />
        {frame.maintenance !== null && (
          <div class="notice bad" role="status">
            <strong>{frame.maintenance}</strong>
          </div>
        )}
        <Notices links={frame.links} problems={problems} concerns={concerns} />
        <main id="content" class={wide ? 'wide' : ''} tabindex={-1}>
          {children}
        </main>
        <Footer frame={frame} />
        <Keys />
      </body>
    </html>
  )
}

const DESCRIPTION =
  'The configuration of the build server: every revision, what changed in it, and what it built.'

function Head({ frame: { links, assets }, title, description, ...files }: PageProps) {
  const { styles = [], scripts = [], feed } = files
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <title>{`${title} · Cairn`}</title>
      <meta name="description" content={description ?? DESCRIPTION} />
      <meta property="og:site_name" content="Cairn" />
      <meta property="og:title" content={title} />
      <meta property="og:description" content={description ?? DESCRIPTION} />
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
      {feed !== undefined && (
        <link rel="alternate" type="application/atom+xml" title={title} href={feed} />
      )}
      <link rel="icon" type="image/svg+xml" href={links.asset(assets.addressOf('cairn.svg'))} />
    </head>
  )
}

/** The keys behind `g` that lead to the sections. */
const JUMPS: Partial<Record<Section, string>> = {
  history: 'h',
  current: 'c',
  pipelines: 'p',
  agents: 'a',
}

/** Short enough on a phone for all sections to be one line. */
const CURRENT = (
  <>
    Current<span class="in-wide"> config</span>
  </>
)

type SectionLink = readonly [section: Section, label: Child, href: string]

function Bar({ frame, section, search = '' }: PageProps) {
  const { links, assets, username, isAdministrator, history } = frame
  const configuration: readonly SectionLink[] = [
    ['current', CURRENT, links.current()],
    ['edit', 'Edit', links.edit()],
  ]
  const builds: readonly SectionLink[] = [
    ['pipelines', 'Pipelines', links.pipelines()],
    ['agents', 'Agents', links.agents()],
  ]
  const sections: readonly SectionLink[] = [
    ...(history === null ? [] : [['history', 'History', history] as const]),
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
          <a
            href={href}
            aria-current={name === section ? 'page' : undefined}
            aria-keyshortcuts={name === 'edit' ? 'e' : undefined}
            data-jump={JUMPS[name]}
          >
            {label}
          </a>
        ))}
      </nav>
      <div class="bar-end">
        {username !== '' && <BarSearch links={links} search={search} />}
        <a class="key" href="#keys" title="Keyboard shortcuts">
          <span aria-hidden="true">?</span>
          <span class="visually-hidden">Keyboard shortcuts</span>
        </a>
        {isAdministrator && <AdminMenu frame={frame} section={section} />}
        {username !== '' && <PersonMenu frame={frame} />}
      </div>
    </header>
  )
}

/** The search of the bar; a script opens it over the page, with results while one types. */
function BarSearch({ links, search }: { links: Links; search: string }) {
  return (
    <>
      <form
        class="bar-search"
        role="search"
        action={links.search()}
        data-results={links.searchResults()}
      >
        <input
          type="search"
          name="q"
          value={search}
          maxlength={1000}
          placeholder="Search (/)"
          aria-label="Search"
        />
      </form>
      <a class="bar-search-link" href={links.search()}>
        Search
      </a>
    </>
  )
}

/** The footer of every page: the choice of colours, which works without a script. */
function Footer({ frame }: { frame: PageFrame }) {
  const { links, colours, here, everyoneAdministers } = frame
  const other = colours === 'green-red' ? 'blue-orange' : 'green-red'
  const label =
    other === 'blue-orange' ? 'Use colour-blind safe colours' : 'Use green and red colours'
  return (
    <footer class="foot">
      <form method="post" action={links.colours()}>
        <input type="hidden" name="colours" value={other} />
        <input type="hidden" name="back" value={here} />
        <button class="quiet">{label}</button>
      </form>
      <p class="muted">
        Times are in <span data-zone="">UTC</span>.
      </p>
      {everyoneAdministers && (
        <p class="muted">Everyone is an administrator until the configuration names some.</p>
      )}
    </footer>
  )
}
