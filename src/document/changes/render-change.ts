import type { DocumentChange } from '../entities/change.ts'

/** Renders one change without its entity: `stage test › job unit: timeout 45 → 60`. */
export function renderChange(change: DocumentChange): string {
  const where = change.path.join(' › ')
  return where === '' ? whatOf(change) : `${where}: ${whatOf(change)}`
}

function whatOf({ kind, subject, from, to, lines }: DocumentChange): string {
  switch (kind) {
    case 'added':
      return `add ${subject}${aside(to, lines)}`
    case 'removed':
      return `remove ${subject}${aside(from, lines)}`
    case 'renamed':
      return `rename ${subject} ${fromTo(from, to)}`
    case 'changed':
      return from === to ? `${subject} changed` : `${subject} ${fromTo(from, to)}`
    case 'reordered':
      return `${subject.includes(' ') ? 'move' : 'reorder'} ${subject}`
    case 'reformatted':
      return `${subject} only`
  }
}

function aside(value: string | undefined, lines: number | undefined): string {
  if (value !== undefined) return ` (${value})`
  return lines === undefined ? '' : ` (${lines} lines)`
}

function fromTo(from: string | undefined, to: string | undefined): string {
  return `${from ?? 'unset'} → ${to ?? 'unset'}`
}
