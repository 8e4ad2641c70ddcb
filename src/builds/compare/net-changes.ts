import type { DatedChange } from '../../configuration/changes/changes-between.ts'
import { HIDDEN } from '../../document/entities/change.ts'

/**
 * The changes, newest first, without those that later ones took back: what is again as it was is no
 * difference. A hidden or a shortened value tells nothing about another one.
 */
export function netChanges(changes: readonly DatedChange[]): readonly DatedChange[] {
  const chains = new Map<string, DatedChange[]>()
  for (const each of changes) {
    const { entity, path, subject } = each.change
    const key = JSON.stringify([entity, path, subject])
    chains.set(key, [...(chains.get(key) ?? []), each])
  }
  const undone = new Set([...chains.values()].filter(isUndone).flat())
  return changes.filter((each) => !undone.has(each))
}

function isUndone(newestFirst: readonly DatedChange[]): boolean {
  const [newest, oldest] = [newestFirst[0]?.change, newestFirst.at(-1)?.change]
  if (!newest || !oldest || newest === oldest) return false
  if (oldest.kind === 'added' && newest.kind === 'removed') return true
  const isKnown = [oldest.from, newest.to].every((value) => value !== undefined && isWhole(value))
  return (
    oldest.kind === 'changed' && newest.kind === 'changed' && isKnown && oldest.from === newest.to
  )
}

function isWhole(value: string): boolean {
  return !value.includes(HIDDEN) && !value.includes('…')
}
