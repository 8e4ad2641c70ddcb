import { unavailable } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import { type EntityPlace, findEntity } from '../../document/edit/entity-edits.ts'
import { maskSecrets } from '../../document/text/shown-text.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import type { LineOriginsIndex } from '../../index/line-origins-index.ts'
import { decodeUtf8 } from '../../lib/decode-utf8.ts'
import { type EntityReadingDeps, readEntity, readRevision } from './read-entity.ts'
import { assertMayRead } from '../read/config-reading.ts'
import { findRevisionNamed } from '../read/named-revision.ts'
import { toldTo } from './told-revisions.ts'

/** How long a call waits for origins that are not traced yet, in milliseconds. */
const ORIGINS_TIMEOUT_MS = 5_000

export interface BlameReadingDeps extends EntityReadingDeps {
  readonly origins: LineOriginsIndex
  readonly entities: EntityIndex
}

/** The lines in question: of one entity, or those from one to another, from 1. */
export interface BlameRequest {
  readonly name: string
  readonly place: EntityPlace | null
  readonly first: number | null
  readonly last: number | null
}

/** Consecutive lines that one revision wrote. */
export interface BlamedLines {
  readonly first: number
  readonly lines: readonly string[]
  readonly writer: Revision
}

export interface BlamedDocument {
  readonly revision: Revision
  readonly parts: readonly BlamedLines[]
}

/**
 * The revisions that wrote the lines of a document, with the text as pages show it: without secrets.
 *
 * @throws {ServiceError} `revision-not-found`, `entity-not-found`, `not-permitted`; `unavailable` while
 * the history is traced.
 */
export async function blameLines(
  deps: BlameReadingDeps,
  principal: Principal,
  { name, place, first, last }: BlameRequest,
): Promise<BlamedDocument> {
  const { history } = deps
  if (place === null) assertMayRead(deps, principal)
  else await readEntity(deps, principal, { place, at: name })
  const { tell } = await toldTo(deps, principal, place && `${place.kind}/${place.name}`)
  const revision = await findRevisionNamed(history, name)
  const text = maskSecrets(decodeUtf8(await history.readAsWritten(revision)))
  const lines = text.replace(/\n$/, '').split('\n')
  const whole =
    place === null ? { start: 1, end: lines.length } : await linesOf(deps, revision, place)
  const start = Math.max(whole.start, first ?? whole.start)
  const end = Math.min(whole.end, last ?? whole.end)
  const traced = await deps.origins.of(revision, ORIGINS_TIMEOUT_MS)
  if (!traced.done)
    throw unavailable(`The lines are traced through ${traced.reached} of ${traced.of} revisions`)
  const parts: BlamedLines[] = []
  for (let line = start; line <= end; line += 1) {
    const origin = traced.origins[line - 1]
    const from = line
    while (line < end && traced.origins[line] === origin) line += 1
    const writer = origin === undefined ? null : history.at(origin)
    if (writer)
      parts.push({ first: from, lines: lines.slice(from - 1, line), writer: tell(writer) })
  }
  return { revision: tell(revision), parts }
}

async function linesOf(
  deps: BlameReadingDeps,
  revision: Revision,
  place: EntityPlace,
): Promise<{ readonly start: number; readonly end: number }> {
  const { root, text } = await readRevision(deps, revision)
  const span = findEntity(root, place)?.element.span
  if (span === undefined) return { start: 1, end: 0 }
  const lineAt = (offset: number) => text.slice(0, offset).split('\n').length
  return { start: lineAt(span.start), end: lineAt(span.end) }
}
