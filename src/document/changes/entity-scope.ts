import { entityName, foldEntity, kindAt } from '../entities/entities.ts'
import type { DocumentChange } from '../entities/change.ts'
import { nameOfTag } from '../highlight/open-path.ts'
import { constructAt, tagNameOf } from '../highlight/xml-scanner.ts'
import { WholeElements } from '../highlight/whole-elements.ts'
import type { EntityRenames } from '../compare/compare-entities.ts'
import { entitiesOf } from './entities-of.ts'

/** The names of what a comparison is narrowed to, in folded spelling. */
export type EntityScope = ReadonlySet<string>

/**
 * The scope of an entity in two documents, by one or more of its names: those in both; of a group, also the
 * pipelines that are in it in one of them, with their names in the other.
 */
export function entityScope(
  entity: readonly string[],
  texts: readonly string[],
  renames: EntityRenames,
): EntityScope {
  const own = withRenames(entity.map(foldEntity), renames)
  if (!own.some((name) => name.startsWith(GROUP))) return new Set(own)
  const members = texts.flatMap((text) => [...membersOf(text, new Set(own))])
  return new Set([...own, ...withRenames(members, renames)])
}

/** The changes that are about something in a scope. */
export function changesIn(
  changes: readonly DocumentChange[],
  scope: EntityScope,
): readonly DocumentChange[] {
  return changes.filter((change) =>
    entitiesOf([change]).some((name) => scope.has(foldEntity(name))),
  )
}

const GROUP = 'group/'

function withRenames(names: readonly string[], renames: EntityRenames): string[] {
  const known = new Set(names)
  const others = renames.flatMap(([former, later]) =>
    known.has(former) || known.has(later) ? [former, later] : [],
  )
  return [...names, ...others]
}

/** The pipelines of some groups, by a scan of the tags: it reads each character about once, or passes over it. */
function* membersOf(text: string, groups: EntityScope): Generator<string> {
  const wholes = new WholeElements(text)
  const open: string[] = []
  let isWanted = false
  for (let at = 0; at < text.length;) {
    const construct = constructAt(text, at)
    at = construct.end
    if (construct.kind === 'close') open.pop()
    if (construct.kind !== 'open') continue
    const tag = tagNameOf(text, construct)
    const isEmpty = text[construct.end - 2] === '/'
    const kind = open.length > 0 ? kindAt([...open.slice(1), tag]) : null
    const name =
      kind === null ? '' : foldEntity(entityName({ kind, name: nameOfTag(text, construct, kind) }))
    if (kind?.word === 'group') isWanted = groups.has(name)
    if (kind?.word === 'pipeline' && isWanted) yield name
    const end = kind?.isListed === true && !isEmpty ? wholes.endOf(tag, construct) : null
    if (end !== null) at = end
    else if (!isEmpty) open.push(tag)
  }
}
