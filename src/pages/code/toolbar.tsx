import type { Child } from 'hono/jsx'
import { LinkChoice } from '../kit/buttons.tsx'
import type { ChangeOnPage, TextComparison } from './comparison.ts'
import type { CompareQuery, Context, View } from './compare-query.ts'

const VIEWS: readonly (readonly [View, string])[] = [
  ['split', 'Side by side'],
  ['unified', 'Unified'],
]
const CONTEXTS: readonly (readonly [Context, string])[] = [
  ['3', '3 lines'],
  ['10', '10 lines'],
  ['whole', 'Whole file'],
]

export interface ToolbarProps {
  readonly comparison: TextComparison
  readonly query: CompareQuery
  /** The address of this comparison with other options. */
  readonly address: (query: CompareQuery) => string
  /** Whether the comparison contains differences about agents, which can be left out. */
  readonly offersAgents?: boolean
  /** The entity that the text is narrowed to, in words. */
  readonly only?: string | null
  /** Further actions on the text. */
  readonly children?: Child
}

/** The display options of a diff. Each choice is an address. */
export function Toolbar(props: ToolbarProps) {
  const { query, address, offersAgents = false, only = null, children } = props
  const at = (change: Partial<CompareQuery>) =>
    `${address({ ...query, start: null, ...change })}#diff`
  return (
    <div class="toolbar top-bar">
      <LayoutChoice view={query.view} to={(view) => at({ view })} />
      <LinkChoice
        label="Context"
        options={CONTEXTS.map(([context, label]) => [
          label,
          at({ context, expanded: [] }),
          query.context === context,
        ])}
      />
      <Switch
        label="Ignore whitespace"
        href={at({ ignoresSpace: !query.ignoresSpace })}
        isOn={query.ignoresSpace}
      />
      <Switch label="Compact" href={at({ isCompact: !query.isCompact })} isOn={query.isCompact} />
      {(offersAgents || query.withoutAgents) && (
        <Switch
          label="Hide agents"
          href={at({ withoutAgents: !query.withoutAgents, expanded: [] })}
          isOn={query.withoutAgents}
        />
      )}
      {children}
      {only !== null && (
        <span class="badge changed">
          {`only ${only} `}
          <a href={at({ entity: '' })}>show all</a>
        </span>
      )}
      <Steps {...props} />
    </div>
  )
}

/** The layouts of a diff, each a link. The one that fits differs in a narrow window. */
export function LayoutChoice({ view, to }: { view: View; to: (view: View) => string }) {
  if (view !== 'fitting') return <LinkChoice label="Layout" options={layoutsOf(view, to)} />
  return (
    <>
      <LinkChoice label="Layout" only="in-wide" options={layoutsOf('split', to)} />
      <LinkChoice label="Layout" only="in-narrow" options={layoutsOf('unified', to)} />
    </>
  )
}

function layoutsOf(shown: View, to: (view: View) => string) {
  return VIEWS.map(([view, label]) => [label, to(view), view === shown] as const)
}

/** The shown change among all, and links to the nearest ones on other pages of the diff. */
function Steps({ comparison, query, address }: ToolbarProps) {
  const { part, total, changeBefore, changeAfter } = comparison
  const first = part.changes?.first ?? null
  const to = (change: ChangeOnPage | null, otherwise: number | null) =>
    change === null
      ? `#c${otherwise ?? 1}`
      : `${address({ ...query, start: change.start })}#c${change.number}`
  return (
    <span class="row steps">
      <span class="muted" id="step" aria-live="polite" data-total={total}>
        {first === null ? `No change here, ${total} in all` : `Change ${first} of ${total}`}
      </span>
      <a class="button with-script" id="step-up" href={to(changeBefore, first)}>
        <span aria-hidden="true">↑</span>
        <span class="visually-hidden">Previous change</span>
      </a>
      <a class="button" id="step-down" href={to(changeAfter, part.changes?.last ?? null)}>
        <span aria-hidden="true">↓</span>
        <span class="visually-hidden">Next change</span>
      </a>
    </span>
  )
}

function Switch({ label, href, isOn }: { label: string; href: string; isOn: boolean }) {
  return (
    <a class="button" href={href}>
      <span aria-hidden="true">{isOn ? '☑' : '☐'}</span>
      {`\u00a0${label}`}
      <span class="visually-hidden">{isOn ? ' (on)' : ' (off)'}</span>
    </a>
  )
}
