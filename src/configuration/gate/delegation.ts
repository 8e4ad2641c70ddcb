import { nameKey } from '../../core/name-key.ts'
import type { DocumentChange } from '../../document/entities/change.ts'
import { entitiesOf } from '../../document/changes/entities-of.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { expandConfiguration } from '../../document/effective/effective.ts'
import {
  DOCUMENT,
  entityOf,
  findNamedEntity,
  splitEntity,
} from '../../document/entities/entities.ts'
import type { Configuration, Grantee, Template } from '../../document/model/model.ts'
import { findSecrets } from '../../document/secrets/find-secrets.ts'
import { runSync } from '../../lib/cooperative.ts'
import type { Permissions } from '../../security/permissions.ts'
import {
  type DividedDocument,
  divide,
  isSameAround,
  type OwnParts,
  ownPartsOf,
} from './own-parts.ts'
import {
  type NamingPipeline,
  PARAM,
  pipelinesNaming,
  type Reference,
  referenceKey,
  referencesOfTemplate,
} from './references.ts'
import { ALLOWED, type Ruling } from './rules/verdict.ts'

/** A change of the configuration, by a caller with rights. */
export interface DelegatedChange {
  readonly username: string
  readonly before: ConfigDocument
  readonly after: ConfigDocument
  /** The differences between both, in words. */
  readonly changes: readonly DocumentChange[]
  readonly rights: { readonly before: Permissions; readonly after: Permissions }
  /** Whether a user can log in. */
  readonly isUser: (name: string) => boolean
}

/** The name of the rule in refusals and verdicts. */
export const DELEGATION = 'delegation'
const ADMINISTRATORS = ['administrators of the server']
/** Parts that a refusal names one by one. */
const MAX_NAMED = 3
/** Shorter values of sealed attributes are alike by chance. */
const MIN_SECRET = 8

/**
 * The rule that is built in: administrators may make every change, and administrators of a group or a
 * template each change that lies wholly in what they administer, before and after. What such a
 * change names elsewhere they must be allowed to view, and whom it gives rights must exist.
 */
export function judgeDelegation(change: DelegatedChange): Ruling {
  const { before, after, rights } = change
  if (rights.before.isAdministrator) return ALLOWED
  const parts = ownPartsOf(rights.before, rights.after)
  const divided = { before: divide(before, parts), after: divide(after, parts) }
  if (!isSameAround(divided.before, divided.after)) return reachesBeyond(change, parts)
  return (
    findCopiedSecret(divided, change) ??
    findUnviewable(change, parts) ??
    findUnknown(change, parts) ??
    ALLOWED
  )
}

/**
 * Whether a change of pipelines may be made by each who administers all of their groups: it brings them no sealed
 * value, and names nothing and nobody that was not named before.
 */
export function isForAllOwners(
  { before, after }: Pick<DelegatedChange, 'before' | 'after'>,
  pipelines: readonly string[],
): boolean {
  const textsIn = ({ root, text }: ConfigDocument) =>
    pipelines.flatMap((entity) => {
      const found = findNamedEntity(root, entity)
      return found === null ? [] : [text.slice(found.element.span.start, found.element.span.end)]
    })
  const secrets = secretsIn(textsIn(before))
  if ([...secretsIn(textsIn(after))].some((value) => !secrets.has(value))) return false
  const touched = new Set(pipelines.map(nameKey))
  const namingIn = ({ configuration }: ConfigDocument) =>
    pipelinesNaming(configuration, () => true).filter(({ name }) =>
      touched.has(nameKey(`pipeline/${name}`)),
    )
  if (addedByPipelines(namingIn(before), namingIn(after)).length > 0) return false
  const known = new Set(granteesIn(before.configuration, () => true).map(keyOfGrantee))
  const granted = granteesIn(after.configuration, () => true)
  return granted.every((each) => known.has(keyOfGrantee(each)))
}

/** The ruling on a change that administrators of the server alone may make. */
export function needsAdministrator(
  place: string,
  sentence: string,
): Extract<Ruling, { readonly kind: 'needs' }> {
  return { kind: 'needs', rule: DELEGATION, of: ADMINISTRATORS, place, sentence }
}

function reachesBeyond(change: DelegatedChange, parts: OwnParts): Ruling {
  const { username, changes, rights } = change
  const outside = entitiesOf(changes).filter((entity) => !isOwnEntity(entity, change, parts))
  const names = [...new Set(outside.map((entity) => visibleName(entity, rights.before)))]
  const [first = 'the configuration', ...others] = names
  const named = [first, ...others].slice(0, MAX_NAMED).join(', ')
  const more = names.length > MAX_NAMED ? ` and ${names.length - MAX_NAMED} more` : ''
  const sentence = `The change reaches beyond what ${username} administers: ${named}${more}`
  return needsAdministrator(outside[0] ?? DOCUMENT, sentence)
}

/** Whether an entity is, in every document that has it, in a part that is the caller's own. */
function isOwnEntity(entity: string, { before, after }: DelegatedChange, parts: OwnParts): boolean {
  const found = [before, after].flatMap(({ root }) => findNamedEntity(root, entity) ?? [])
  const isOwn = found.map(({ kind, name, element }) => {
    if (kind.word === 'group') return parts.hasGroup(name)
    if (kind.word === 'template') return parts.hasTemplate(name)
    const group = kind.word === 'pipeline' && element.parent ? entityOf(element.parent) : null
    return group !== null && parts.hasGroup(group.name)
  })
  return isOwn.length > 0 && isOwn.every(Boolean)
}

/** Names only what the caller may view; of everything else the kind. */
function visibleName(entity: string, rights: Permissions): string {
  const { kind, name } = splitEntity(entity)
  const isVisible =
    (kind === 'pipeline' && rights.mayView(name)) || (kind === 'group' && rights.mayViewGroup(name))
  if (isVisible) return `${kind} ${name}`
  return kind === DOCUMENT ? 'the configuration' : `another ${kind}`
}

/** Ciphertext says nothing to a reader, but a job of the pipeline that has it gets the secret. */
function findCopiedSecret(
  divided: { readonly before: DividedDocument; readonly after: DividedDocument },
  { username }: DelegatedChange,
): Ruling | null {
  const known = secretsIn(divided.before.own)
  const fresh = [...secretsIn(divided.after.own)].filter((value) => !known.has(value))
  if (fresh.length === 0) return null
  const others = secretsIn(divided.before.around)
  if (!fresh.some((value) => others.has(value))) return null
  const sentence = `The change copies a sealed value from a part that ${username} does not administer`
  return needsAdministrator(DOCUMENT, sentence)
}

function secretsIn(texts: readonly string[]): ReadonlySet<string> {
  const values = texts.flatMap((text) =>
    findSecrets(text).map(({ start, end }) => text.slice(start, end).trim()),
  )
  return new Set(values.filter((value) => value.length >= MIN_SECRET))
}

function findUnviewable(change: DelegatedChange, parts: OwnParts): Ruling | null {
  const { before, after, rights, username } = change
  const isOwn = (group: string) => parts.hasGroup(group)
  const ownBefore = pipelinesNaming(before.configuration, isOwn)
  const ownAfter = pipelinesNaming(after.configuration, isOwn)
  const here = new Set(ownAfter.map(({ name }) => nameKey(name)))
  const added = [
    ...addedByPipelines(ownBefore, ownAfter),
    ...addedByTemplates(before.configuration, after.configuration, parts),
  ].filter(({ reference: { kind, name } }) => kind !== 'pipeline' || !here.has(nameKey(name)))
  if (added.length === 0) return null
  const mayView = viewer(before.configuration, rights.before)
  const hidden = added.find(({ reference }) => !mayView(reference))
  if (!hidden) return null
  const { kind, name } = hidden.reference
  const sentence = `The ${hidden.place.replace('/', ' ')} names the ${kind} ${name}, which ${username} may not view`
  return needsAdministrator(hidden.place, sentence)
}

/** A reference that was not there before. */
interface AddedReference {
  readonly place: string
  readonly reference: Reference
}

/** A renamed pipeline may go on naming what it named before. */
function addedByPipelines(
  before: readonly NamingPipeline[],
  after: readonly NamingPipeline[],
): readonly AddedReference[] {
  const older = new Map(before.map((each) => [nameKey(each.name), each]))
  const left = new Set(after.map(({ name }) => nameKey(name)))
  const gone = before.filter(({ name }) => !left.has(nameKey(name)))
  return after.flatMap(({ name, references }) => {
    const same = older.get(nameKey(name))
    const known = keysOf((same ? [same] : gone).flatMap((each) => each.references))
    return references
      .filter((reference) => !known.has(referenceKey(reference)))
      .map((reference) => ({ place: `pipeline/${name}`, reference }))
  })
}

function addedByTemplates(
  before: Configuration,
  after: Configuration,
  parts: OwnParts,
): readonly AddedReference[] {
  const older = new Map(before.templates.map((each) => [nameKey(each.name), each]))
  return after.templates
    .filter(({ name }) => parts.hasTemplate(name))
    .flatMap((template) => {
      const same = older.get(nameKey(template.name))
      const known = keysOf(same ? referencesOfTemplate(same) : [])
      return referencesOfTemplate(template)
        .filter((reference) => !known.has(referenceKey(reference)))
        .map((reference) => ({ place: `template/${template.name}`, reference }))
    })
}

function keysOf(references: readonly Reference[]): ReadonlySet<string> {
  return new Set(references.map(referenceKey))
}

/**
 * Whether a caller may view what is named. What has no permissions of its own may be viewed by those
 * who may view a pipeline that uses it.
 */
function viewer(
  configuration: Configuration,
  rights: Permissions,
): (reference: Reference) => boolean {
  const visible = keysOf(
    pipelinesNaming(configuration, (group) => rights.mayViewGroup(group)).flatMap(
      ({ references }) => references,
    ),
  )
  const templates = new Map(configuration.templates.map((each) => [nameKey(each.name), each]))
  return (reference) => {
    if (reference.kind === 'pipeline') return rights.mayView(reference.name)
    if (visible.has(referenceKey(reference))) return true
    const template = reference.kind === 'template' ? templates.get(nameKey(reference.name)) : null
    return template ? rights.mayViewTemplate(template.name) : false
  }
}

/** Users that nobody knows get rights as soon as somebody takes the name. */
function findUnknown(change: DelegatedChange, parts: OwnParts): Ruling | null {
  const { before, after, isUser } = change
  const known = new Set([
    ...granteesIn(before.configuration, () => true).map(keyOfGrantee),
    ...(before.configuration.server?.security?.roles ?? []).flatMap(({ name, users }) => [
      `role ${nameKey(name)}`,
      ...users.map((user) => `user ${nameKey(user.name)}`),
    ]),
  ])
  const unknown = granteesIn(after.configuration, (part) =>
    part.kind === 'group' ? parts.hasGroup(part.name) : parts.hasTemplate(part.name),
  ).find(
    (each) =>
      !each.name.includes(PARAM) &&
      !known.has(keyOfGrantee(each)) &&
      !(each.kind === 'user' && isUser(each.name)),
  )
  if (!unknown) return null
  const { kind, name } = unknown
  return {
    kind: 'denied',
    rule: DELEGATION,
    place: DOCUMENT,
    sentence: `There is no ${kind} ${name}`,
  }
}

function keyOfGrantee({ kind, name }: Grantee): string {
  return `${kind} ${nameKey(name)}`
}

/** The users and roles with rights in some groups and templates, and by the server in all. */
function granteesIn(
  configuration: Configuration,
  isAsked: (part: { readonly kind: 'group' | 'template'; readonly name: string }) => boolean,
): readonly Grantee[] {
  const expanded = runSync(expandConfiguration(configuration)).configuration
  const groups = expanded.groups.filter(({ name }) => isAsked({ kind: 'group', name }))
  const templates = configuration.templates.filter(({ name }) =>
    isAsked({ kind: 'template', name }),
  )
  const stages = [...groups.flatMap(({ pipelines }) => pipelines), ...templates].flatMap(
    (each) => each.stages,
  )
  return [
    ...[...groups, ...templates].flatMap(granteesOf),
    ...stages.flatMap(({ approval }) => approval?.approvers ?? []),
    ...(configuration.server?.security?.admins ?? []),
  ]
}

function granteesOf({ authorization }: Pick<Template, 'authorization'>): readonly Grantee[] {
  const { view, operate, admins } = authorization ?? {}
  return [view, operate, admins].flatMap((list) => list ?? [])
}
