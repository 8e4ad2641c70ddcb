import type { Digest } from '../core/digest.ts'
import { malformedRequest, ServiceError } from '../core/errors.ts'
import { nameKey } from '../core/name-key.ts'
import type { Principal } from '../core/principal.ts'
import type { Problem } from '../core/problem.ts'
import type { Revision } from '../core/revision.ts'
import { assertKind, entityMissing } from '../configuration/entities/read-entity.ts'
import { placedInSent } from '../configuration/entities/save-entity.ts'
import { entitiesOf } from '../document/changes/entities-of.ts'
import type { ChangeSummary } from '../document/changes/change-summary.ts'
import type { Comparable } from '../document/changes/summarise-changes.ts'
import { findEntity, putEntity, removeEntity, sentEntity } from '../document/edit/entity-edits.ts'
import { type EntityElement, entityOf } from '../document/entities/entities.ts'
import type { Configuration } from '../document/model/model.ts'
import { readXml, type XmlDocument } from '../document/xml/xml-reader.ts'
import { notValid } from '../history/revision/problems.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import type { Permissions } from '../security/permissions.ts'
import type { TouchedPlace } from './proposal-event.ts'
import {
  hidden,
  mayViewAll,
  type TellingDeps,
  toldProblems,
  type VisibilityDeps,
} from './visibility.ts'

export interface ContentDeps extends TellingDeps, VisibilityDeps {
  readonly summary: ChangeSummary
}

/** One entity of a proposal, as its text; null removes it. A new pipeline names its group. */
export interface ProposedEntity {
  readonly kind: string
  readonly name: string
  readonly xml: string | null
  readonly group?: string | undefined
}

/** The content of a proposal: a whole document, or entities of one. */
export type ProposedContent =
  | { readonly document: Uint8Array<ArrayBuffer> }
  | { readonly entities: readonly ProposedEntity[] }

export interface ContentRequest {
  readonly content: ProposedContent
  /** Names the revision that it was made from; the current one when null. */
  readonly digest: Digest | null
  /** The caller; null for the machine's owner. */
  readonly principal: Principal | null
  readonly rights: Permissions
}

/** A content that is ready to be a version: valid, with its secrets sealed. */
export interface PreparedContent {
  readonly base: Revision
  readonly document: Uint8Array<ArrayBuffer>
  readonly touches: readonly TouchedPlace[]
}

/**
 * Prepares a content upon the revision that it was made from: that of a digest, or the current one.
 *
 * @throws {ServiceError} `config-invalid`, `snapshot-not-found`, `entity-not-found`, and
 * `malformed-request` for one that changes nothing.
 */
export async function prepareContent(
  deps: ContentDeps,
  { content, digest, principal, rights }: ContentRequest,
): Promise<PreparedContent> {
  const { history, cache } = deps
  const base = digest === null ? history.current() : await history.findEver(digest)
  if (base === null) {
    const message = `The configuration ${digest} was never current`
    throw new ServiceError('snapshot-not-found', message, { digest: `${digest}` })
  }
  const before = await history.readDocument(base)
  const wanted =
    'document' in content ? content.document : await edited(deps, before, { ...content, rights })
  const inspection = await cache.inspect(wanted)
  if (!inspection.ok) {
    const refused = { problems: inspection.problems, document: wanted }
    const told = await toldProblems(deps, principal, refused)
    throw notValid('entities' in content ? await placedIn(content, wanted, told) : told)
  }
  const { document } = inspection
  if (Buffer.compare(document, before) === 0)
    throw malformedRequest('The proposal changes nothing', 'document')
  return { base, document, touches: await touchesOf(deps, before, document) }
}

/** The entities that a change is about, pipelines with the group that they are in, or were in when they were removed. */
export async function touchesOf(
  { summary, cache }: Pick<ContentDeps, 'summary' | 'cache'>,
  before: Uint8Array<ArrayBuffer>,
  after: Uint8Array<ArrayBuffer>,
): Promise<readonly TouchedPlace[]> {
  const names = entitiesOf(await summary.changes(before, after))
  const groups = new Map([
    ...groupsOf((await cache.read(before)).configuration),
    ...groupsOf((await cache.read(after)).configuration),
  ])
  return names.map((entity) => {
    const group = groups.get(nameKey(entity))
    return group === undefined ? { entity } : { entity, group }
  })
}

function groupsOf({ groups }: Configuration): ReadonlyMap<string, string> {
  return new Map(
    groups.flatMap((group) =>
      group.pipelines.map(({ name }) => [nameKey(`pipeline/${name}`), group.name]),
    ),
  )
}

async function edited(
  deps: Pick<ContentDeps, 'summary' | keyof VisibilityDeps>,
  before: Uint8Array<ArrayBuffer>,
  asked: { readonly entities: readonly ProposedEntity[]; readonly rights: Permissions },
): Promise<Uint8Array<ArrayBuffer>> {
  const { rights } = asked
  let bytes = before
  for (const entity of asked.entities) {
    const document = readable(await deps.summary.read(bytes))
    const mayView = (place: TouchedPlace) => mayViewAll(deps, rights, [place])
    bytes = new Uint8Array(Buffer.from(await withEntity(document, entity, { rights, mayView })))
  }
  return bytes
}

/**
 * To those who may not view everything, what is not there is like what they may not view: neither is looked at,
 * as what goes with it would tell which it is.
 */
async function withEntity(
  document: XmlDocument,
  entity: ProposedEntity,
  {
    rights,
    mayView,
  }: { readonly rights: Permissions; readonly mayView: (place: TouchedPlace) => boolean },
): Promise<string> {
  const { xml, group = null, ...place } = entity
  assertKind(place.kind)
  const standing = findEntity(document.root, place)
  const within = standing === null ? group : groupOf(standing)
  const isGroupMissing = place.kind === 'pipeline' && standing === null && within === null
  const touched = {
    entity: `${place.kind}/${place.name}`,
    ...(within === null ? {} : { group: within }),
  }
  if (!isGroupMissing && !mayView(touched)) throw hidden()
  if (xml !== null) {
    const reading = await runCooperatively(readXml(Buffer.from(xml)))
    const sent = sentEntity(readable(reading), place)
    return putEntity(document, sent, standing === null ? group : null)
  }
  if (standing === null) throw rights.isAdministrator ? entityMissing(place, null) : hidden()
  return removeEntity(document, standing)
}

/**
 * The problems with their places in the texts of the entities: the document around them is not what was sent.
 * Where entities are only removed, there is no other text.
 */
async function placedIn(
  { entities }: { readonly entities: readonly ProposedEntity[] },
  document: Uint8Array<ArrayBuffer>,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  const text = Buffer.from(document).toString('utf8')
  const sent = entities.flatMap(({ kind, name, xml }) =>
    xml === null ? [] : [{ place: { kind, name }, xml: Buffer.from(xml) }],
  )
  const placed = await Promise.all(
    sent.map(async ({ place, xml }) => {
      const reading = readable(await runCooperatively(readXml(xml)))
      const { lines } = reading
      return placedInSent(problems, { edited: text, sent: sentEntity(reading, place), lines })
    }),
  )
  const [first = problems] = placed
  return first.map(
    (problem, n) =>
      placed.map((each) => each[n]).find((each) => each?.line !== undefined) ?? problem,
  )
}

/** The group of a pipeline; null for every other entity. */
function groupOf({ element }: EntityElement): string | null {
  const holder = element.parent && entityOf(element.parent)
  return holder?.kind.word === 'group' ? holder.name : null
}

function readable(read: Comparable): XmlDocument {
  if ('root' in read) return read
  throw notValid(read.problems)
}
