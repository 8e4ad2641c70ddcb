import type { DocumentChange } from '../entities/change.ts'
import { DOCUMENT, DOCUMENT_LABEL, ENTITY_PREFIXES } from '../entities/entities.ts'

/** Entities of which only the layout is otherwise are named up to this many. */
const MOST_LAYOUTS = 10

/** The changes of each entity together and in the order of the text, the most important first. */
export function grouped(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const byEntity = new Map<string, DocumentChange[]>()
  for (const change of changes) {
    const known = byEntity.get(change.entity)
    if (known) known.push(change)
    else byEntity.set(change.entity, [change])
  }
  const groups = [...byEntity.values()].toSorted(byRank).map((group) => group.toSorted(byLine))
  return [...groups.filter((group) => !isForm(group)), ...groups.filter(isForm)].flat()
}

/** A document that was laid out anew is one thing to tell. */
export function withFewLayouts(changes: readonly DocumentChange[]): readonly DocumentChange[] {
  const layouts = changes.filter(isLayout)
  if (layouts.length <= MOST_LAYOUTS) return changes
  const whole = { entity: DOCUMENT, label: DOCUMENT_LABEL, path: [], subject: 'layout' } as const
  return [...changes.filter((change) => !isLayout(change)), { kind: 'reformatted', ...whole }]
}

function isLayout({ kind, subject }: DocumentChange): boolean {
  return kind === 'reformatted' && subject === 'layout'
}

function isForm(changes: readonly DocumentChange[]): boolean {
  return changes.every(({ kind }) => kind === 'reformatted')
}

function byRank([one]: readonly DocumentChange[], [other]: readonly DocumentChange[]): number {
  return rankOf(one) - rankOf(other)
}

function rankOf(change: DocumentChange | undefined): number {
  const rank = ENTITY_PREFIXES.indexOf(change?.entity.split('/', 1)[0] ?? '')
  return rank < 0 ? ENTITY_PREFIXES.length : rank
}

function byLine(one: DocumentChange, other: DocumentChange): number {
  return lineOf(one) - lineOf(other)
}

function lineOf({ before, after }: DocumentChange): number {
  return (after ?? before)?.first ?? 0
}
