import type { Child } from 'hono/jsx'
import type { TextComparison } from './comparison.ts'
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
  /** Further actions on the text. */
  readonly children?: Child
}

/** The display options of a diff. Each choice is an address. */
export function Toolbar(props: ToolbarProps) {
  const { comparison, query, address, offersAgents = false, children } = props
  const at = (change: Partial<CompareQuery>) => `${address({ ...query, start: 0, ...change })}#diff`
  const first = comparison.marks.find(({ start }) => start >= query.start)?.number ?? 1
  return (
    <div class="toolbar">
      <LayoutChoice view={query.view} to={(view) => at({ view })} />
      <nav class="choice" aria-label="Context">
        {CONTEXTS.map(([context, label]) => (
          <Choice
            label={label}
            href={at({ context, expanded: [] })}
            isChosen={query.context === context}
          />
        ))}
      </nav>
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
      {query.entity !== '' && (
        <span class="badge changed">
          {`only ${query.entity.replace('/', ' ')} `}
          <a href={at({ entity: '' })}>show all</a>
        </span>
      )}
      <span class="steps">
        <span class="muted" id="step" aria-live="polite">
          {`Change ${first} of ${comparison.total}`}
        </span>
        <a class="button step" id="step-up" href={`#c${first}`}>
          <span aria-hidden="true">↑</span>
          <span class="visually-hidden">Previous change</span>
        </a>
        <a class="button step" id="step-down" href={`#c${first}`}>
          <span aria-hidden="true">↓</span>
          <span class="visually-hidden">Next change</span>
        </a>
      </span>
    </div>
  )
}

/** The layouts of a diff, each a link. */
export function LayoutChoice({ view, to }: { view: View; to: (view: View) => string }) {
  return (
    <nav class="choice" aria-label="Layout">
      {VIEWS.map(([each, label]) => (
        <Choice label={label} href={to(each)} isChosen={each === view} />
      ))}
    </nav>
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

function Choice({ label, href, isChosen }: { label: string; href: string; isChosen: boolean }) {
  return (
    <a href={href} aria-current={isChosen ? 'true' : undefined}>
      {label}
    </a>
  )
}
