import type { ComparisonOptions } from './comparison.ts'
import { parseWholeNumber } from '../../http/parameters.ts'
import type { Query } from '../kit/links.ts'

/** `fitting`: side by side where the window is wide enough, else unified. */
export type View = 'fitting' | 'split' | 'unified'
export type Context = '3' | '10' | 'whole'

/** The parameters of a comparison in an address. */
export interface CompareQuery {
  readonly view: View
  readonly context: Context
  readonly ignoresSpace: boolean
  readonly entity: string
  /** The first region of the page; null for the page with the first change. */
  readonly start: number | null
  readonly expanded: readonly number[]
  /** Whether very long lines are shown in full. */
  readonly isLong: boolean
  /** Whether lines are set closer together. */
  readonly isCompact: boolean
  readonly withoutAgents: boolean
  /** Whether a pipeline is compared as it runs, with its template and params filled in. */
  readonly isEffective: boolean
}

const VIEWS: readonly View[] = ['fitting', 'split', 'unified']
const CONTEXTS: readonly Context[] = ['3', '10', 'whole']
/** A page expands at most this many places. */
const MAX_PLACES = 200

/** @throws {ServiceError} `malformed-request` */
export function parseCompareQuery(given: Readonly<Record<string, string>>): CompareQuery {
  const { view, ctx, w, entity = '', start = '', x = '', long, rows, agents, effective } = given
  const expanded = x.split(',').filter((part) => part !== '')
  return {
    view: VIEWS.find((each) => each === view) ?? 'fitting',
    context: CONTEXTS.find((each) => each === ctx) ?? '3',
    ignoresSpace: w === '1',
    entity,
    start: start === '' ? null : parseWholeNumber(start, 'start'),
    expanded: expanded.slice(0, MAX_PLACES).map((part) => parseWholeNumber(part, 'x')),
    isLong: long === '1',
    isCompact: rows === 'compact',
    withoutAgents: agents === '0',
    isEffective: effective === '1',
  }
}

/** Renders the query as parameters of an address. */
export function compareQueryOf(query: CompareQuery): Query {
  return {
    view: query.view === 'fitting' ? null : query.view,
    ctx: query.context === '3' ? null : query.context,
    w: query.ignoresSpace ? '1' : null,
    entity: query.entity,
    start: query.start,
    x: query.expanded.join(','),
    long: query.isLong ? '1' : null,
    rows: query.isCompact ? 'compact' : null,
    agents: query.withoutAgents ? '0' : null,
    effective: query.isEffective ? '1' : null,
  }
}

export function comparisonOptionsOf(query: CompareQuery): ComparisonOptions {
  return {
    context: query.context === 'whole' ? Infinity : Number(query.context),
    whitespace: query.ignoresSpace ? 'ignore' : 'keep',
    expanded: new Set(query.expanded),
    entity: query.entity,
    start: query.start,
    withoutAgents: query.withoutAgents,
  }
}
