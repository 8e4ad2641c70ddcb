import { type Change, type Entity, touchedEntities } from './change.ts'

const LONGEST = 100
const LONGEST_VALUE = 40

/**
 * One line for the subject of a commit, of about a hundred characters at most:
 * "checkout: stage test, job integration, timeout 45 -> 60 and 2 more".
 */
export function renderSubject(changes: readonly Change[]): string {
  const [first, ...more] = changes
  if (!first) return 'no change'
  if (isFirstConfiguration(first)) return `first configuration${renderCounts(more)}`
  const ending = more.length === 0 ? '' : ` and ${more.length} more`
  const room = LONGEST - ending.length
  return (
    cut(shorterForms(first).find((form) => form.length <= room) ?? renderChange(first), room) +
    ending
  )
}

function isFirstConfiguration({ kind, entity, what }: Change): boolean {
  return kind === 'added' && entity === null && what === 'configuration'
}

function renderCounts(changes: readonly Change[]): string {
  const pipelines = touchedEntities(changes).filter((key) => key.startsWith('pipeline/')).length
  if (pipelines === 0) return ''
  return ` with ${pipelines} ${pipelines === 1 ? 'pipeline' : 'pipelines'}`
}

/** A change with all of its path, and with less and less of the outer part of it. */
function shorterForms(change: Change): string[] {
  const { path } = change
  const shorter = path.slice(1).map((_, n) => ['…', ...path.slice(n + 1)])
  return [path, ...shorter].map((each) => renderChange({ ...change, path: each }))
}

/** One change on one line. */
export function renderChange(change: Change): string {
  if (change.kind === 'reformatted') return 'layout and comments only'
  const { entity, path } = change
  const isEntity = entity !== null && path.length === 0 && change.what === ''
  if (isEntity) return `${entity.kind} ${renderEntityEvent(change, entity)}`
  const parts = [...path, ...(change.what === '' ? [] : [change.what])]
  const event = `${parts.join(', ').replace(/^…, /, '… ')} ${renderEvent(change)}`.trim()
  if (!entity) return event
  return entity.kind === 'pipeline'
    ? `${entity.label}: ${event}`
    : `${entity.kind} ${entity.label}: ${event}`
}

function renderEntityEvent(change: Change, { label }: Entity): string {
  const { kind, before, after } = change
  if (kind === 'added') return `${label} added${after === null ? '' : ` to group ${after}`}`
  if (kind === 'removed') return `${label} removed${before === null ? '' : ` from group ${before}`}`
  if (kind === 'moved') return `${label} moved from group ${before} to group ${after}`
  if (kind === 'renamed') return `${before} renamed to ${after}`
  return `${label} ${renderEvent(change)}`
}

function renderEvent({ kind, before, after }: Change): string {
  if (kind === 'renamed') return `renamed to ${after}`
  if (kind !== 'changed') return kind
  if (before === null) return `set to ${renderValue(after)}`
  if (after === null) return `${renderValue(before)} removed`
  if (before === after) return `changed (${before})`
  return `${renderValue(before)} -> ${renderValue(after)}`
}

function renderValue(value: string | null): string {
  if (value === null || value === '') return 'nothing'
  return cut(value.replace(/\s+/g, ' '), LONGEST_VALUE)
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
