import { nameKey } from '../../core/name-key.ts'
import type { Problem } from '../../core/problem.ts'
import { foldEntity, splitEntity } from '../../document/entities/entities.ts'
import type { Configuration } from '../../document/model/model.ts'
import { isBefore } from '../../document/text/line-index.ts'
import type { XmlDocument } from '../../document/xml/xml-reader.ts'
import type { Permissions } from '../../security/permissions.ts'
import { ownElements, ownPartsOf } from './own-parts.ts'
import type { GateChange, TouchedEntity } from './rules/question.ts'

/** Whether who hears of a change may hear the name of an entity. */
type MayName = (entity: string) => boolean

/** A document that is not valid, as a caller with rights may hear of it. */
export interface RefusedDocument {
  readonly document: XmlDocument
  /** The configuration that the rights are of. */
  readonly configuration: Configuration
  readonly rights: Permissions
}

/** All that a name of a pipeline, a group or a template has no character of. */
const BETWEEN_NAMES = /[^\w.-]+/
const LAST_DOTS = /(?<!\.)\.+$/

/**
 * The problems of a document that are in what a caller may view and speak of nothing that is hidden from the
 * caller; the others are counted. What the caller's own parts name is no secret.
 */
export function shownProblems(
  problems: readonly Problem[],
  { document, configuration, rights }: RefusedDocument,
): readonly Problem[] {
  const own = ownElements(document.root, ownPartsOf(rights, rights)).map(({ span }) => span)
  const visible = ownElements(document.root, {
    hasGroup: (group) => rights.mayViewGroup(group),
    hasTemplate: (template) => rights.mayViewTemplate(template),
  })
  const spans = visible.map(({ span: { start, end } }) => ({
    first: document.lines.positionOf(start),
    last: document.lines.positionOf(end),
  }))
  const known = new Set(own.flatMap(({ start, end }) => namesIn(document.source.slice(start, end))))
  const hidden = hiddenNames(configuration, rights)
  const shown = problems.filter(({ message, path = '', line, column = 1 }) => {
    const at = { line: line ?? 0, column }
    const isVisible = spans.some(({ first, last }) => !isBefore(at, first) && isBefore(at, last))
    return (
      isVisible &&
      namesIn(`${message} ${path}`).every((name) => known.has(name) || !hidden.has(name))
    )
  })
  const left = problems.length - shown.length
  if (left === 0) return problems
  const count = left === 1 ? 'one problem' : `${left} problems`
  return [...shown, { message: `The change breaks what others administer: ${count} there` }]
}

function hiddenNames({ groups, templates }: Configuration, rights: Permissions): Set<string> {
  const closed = groups.filter(({ name }) => !rights.mayViewGroup(name))
  return new Set(
    [
      ...closed.flatMap(({ name, pipelines }) => [name, ...pipelines.map((each) => each.name)]),
      ...templates.map(({ name }) => name).filter((name) => !rights.mayViewTemplate(name)),
    ].map(nameKey),
  )
}

function namesIn(text: string): string[] {
  return text.split(BETWEEN_NAMES).map((word) => nameKey(word.replace(LAST_DOTS, '')))
}

/**
 * For a caller with rights in the document before the change: names of what the caller may view there, and of what
 * the change adds. Other entities meet rules because a template changes that they use, or because a document lacks them.
 */
export function namesForCaller({ entities }: GateChange, rights: Permissions): MayName {
  const touched = byName(entities)
  return (entity) => {
    const own = touched.get(foldEntity(entity))
    if (own?.before === null) return true
    return [entity, ...(own?.names ?? [])].some((name) => mayView(rights, name))
  }
}

/** For everybody who may view the entities that a proposal is about, whatever else merging it reaches. */
export function namesInProposal({ entities }: GateChange, about: readonly string[]): MayName {
  const known = new Set(about.map(foldEntity))
  const own = entities.filter(({ names }) => names.some((name) => known.has(name)))
  const groups = new Set(own.flatMap((each) => each.groups.map((name) => `group/${name}`)))
  const touched = byName(own)
  return (entity) => touched.has(foldEntity(entity)) || groups.has(entity)
}

function byName(entities: readonly TouchedEntity[]): ReadonlyMap<string, TouchedEntity> {
  return new Map(entities.map((each) => [foldEntity(each.entity), each]))
}

/** An entity that is alone of its kind has no name to hide. */
function mayView(rights: Permissions, entity: string): boolean {
  const { kind, name } = splitEntity(entity)
  return name === '' || rights.mayViewEntity({ kind, name })
}
