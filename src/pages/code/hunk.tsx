import { raw } from 'hono/html'
import type { Child } from 'hono/jsx'
import { plural } from '../../lib/plural.ts'
import type { ShownRegion } from './comparison.ts'
import type { CompareQuery } from './compare-query.ts'
import { countOf } from '../kit/words/count.ts'
import { type RowsOptions, splitRows, unifiedRows } from './rows-html.ts'
import type { PageFrame } from '../kit/layout.tsx'
import { Separated } from '../kit/lists.tsx'

export interface HunkProps {
  readonly region: ShownRegion
  readonly query: CompareQuery
  /** The address of this comparison with other options. */
  readonly address: (query: CompareQuery) => string
  /** Further links for the place. */
  readonly children?: Child
}

/** One part of the diff: its place, and its lines in a table of their own. */
export function HunkView(props: HunkProps) {
  const { region, query, address, children } = props
  const unfold = `${address({ ...query, isLong: true })}#h${region.index}`
  const options: RowsOptions = { isLong: query.isLong, unfold, anchors: 'lines' }
  return (
    <section class="hunk" id={`h${region.index}`}>
      <div class="row hunk-bar">
        <Expand {...props} />
        <h3 class="path">
          {region.isContinued && <span class="muted">continued: </span>}
          <Path region={region} />
        </h3>
        <span class="row hunk-links">
          {children}
          <Fold region={region} />
        </span>
      </div>
      <div id={tableOf(region)}>
        <HunkTable region={region} view={query.view} options={options} />
      </div>
      <ExpandBelow {...props} />
    </section>
  )
}

function tableOf({ index }: ShownRegion): string {
  return `t${index}`
}

/** Fitting code is side by side in a wide window and in one column in a narrow one. */
const CLASSES = { fitting: 'split fitting', split: 'split', unified: 'unified' } as const

/** The lines of one part of a diff. */
export function HunkTable({
  region,
  view,
  options,
}: {
  region: ShownRegion
  view: CompareQuery['view']
  options: RowsOptions
}) {
  return (
    <table class={`code ${CLASSES[view]}`}>
      <caption class="visually-hidden">{captionOf(region)}</caption>
      <Columns view={view} />
      {raw(
        view === 'unified'
          ? unifiedRows(region.blocks, options)
          : splitRows(region.blocks, options),
      )}
    </table>
  )
}

function Columns({ view }: { view: CompareQuery['view'] }) {
  const classes = view === 'unified' ? ['n', 'n', ''] : ['n', '', 'n', '']
  return (
    <colgroup>
      {classes.map((name) => (
        <col class={name} />
      ))}
    </colgroup>
  )
}

function Expand(props: HunkProps) {
  const { hiddenAbove, hunk } = props.region
  return <ExpandLink {...props} count={hiddenAbove} place={hunk} where="above" />
}

function ExpandBelow(props: HunkProps) {
  const { hiddenBelow, hunk } = props.region
  if (hiddenBelow === 0) return <></>
  return (
    <div class="row hunk-bar last">
      <ExpandLink {...props} count={hiddenBelow} place={hunk + 1} where="below" />
    </div>
  )
}

interface ExpandLinkProps extends HunkProps {
  readonly count: number
  readonly place: number
  readonly where: 'above' | 'below'
}

function ExpandLink({ region, query, address, count, place, where }: ExpandLinkProps) {
  if (count === 0) return <></>
  const words = `Show ${countOf(count, 'line')} ${where}`
  const expanded = address({ ...query, expanded: [...query.expanded, place] })
  return (
    <a class="expand" href={`${expanded}#h${region.index}`} title={words}>
      <span aria-hidden="true">{`↕ ${count}`}</span>
      <span class="visually-hidden">{words}</span>
    </a>
  )
}

export function Path({ region: { place, line } }: { region: ShownRegion }) {
  if (place.path.length === 0) return <span>{`Line ${line.number}`}</span>
  return (
    <Separated
      items={place.path}
      by={<span class="muted"> › </span>}
      of={({ word, name }) => (
        <>
          <span class="muted">{word}</span>
          {name !== null && <b>{` ${name}`}</b>}
        </>
      )}
    />
  )
}

function captionOf({ place, line, blocks }: ShownRegion): string {
  const changes = blocks.flatMap(({ change }) => (change === null ? [] : [change]))
  const words = place.path.map(({ word, name }) => (name === null ? word : `${word} ${name}`))
  const where = words.length === 0 ? `line ${line.number}` : words.join(', ')
  const numbers = `${plural(changes.length, 'Change')} ${rangeOf(changes)}`
  return `${changes.length === 0 ? 'Lines' : numbers}: ${where}`
}

/** `3`, `3, 4` or `3 to 9`: changes follow each other, and a caption is read aloud. */
function rangeOf(changes: readonly number[]): string {
  return changes.length < 3 ? changes.join(', ') : `${changes[0]} to ${changes.at(-1)}`
}

function Fold({ region }: { region: ShownRegion }) {
  const where = region.place.path.at(-1)?.name ?? `line ${region.line.number}`
  return (
    <button
      type="button"
      class="fold quiet with-script"
      aria-expanded="true"
      aria-controls={tableOf(region)}
    >
      <span aria-hidden="true">▾</span>
      <span class="visually-hidden">{`Lines of ${where}`}</span>
    </button>
  )
}

interface HunkLinksProps {
  readonly frame: PageFrame
  readonly region: ShownRegion
  readonly from: string
  readonly to: string
}

/** Links to the history of the entity at this place, and to the line in the whole document. */
export function HunkLinks({ frame: { links, wordsOf }, region, from, to }: HunkLinksProps) {
  const { entity } = region.place
  const { side, number } = region.line
  const file = links.snapshot(side === 'before' ? from : to, { line: number })
  return (
    <>
      {entity !== null && (
        <a href={links.entity(entity.kind, entity.name)}>
          History
          <span class="visually-hidden">{` of ${wordsOf(`${entity.kind}/${entity.name}`)}`}</span>
        </a>
      )}
      <a href={`${file}#L${number}`}>{`Line ${number} in file`}</a>
    </>
  )
}
