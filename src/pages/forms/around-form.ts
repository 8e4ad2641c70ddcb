import { nameKey } from '../../core/name-key.ts'
import {
  entitiesIn,
  ENTITY_KINDS,
  entityLabel,
  type EntityElement,
} from '../../document/entities/entities.ts'
import { unshownOf } from '../../document/form/form-values.ts'
import { childElements, elementsAt, elementText } from '../../document/xml/xml-elements.ts'
import type { XmlElement } from '../../document/xml/xml-tree.ts'
import { countOf } from '../kit/words/count.ts'
import type { SelectOption } from '../kit/forms.tsx'
import type { Suggested } from './form-fields.tsx'
import type { OpenForm } from './open-form.ts'

/** The surroundings of a form: its entity's other parts, and values that fit its fields. */
export interface AroundForm {
  /** Parts of the entity that the form does not show, in words; null where it shows everything. */
  readonly untouched: string | null
  /** The pipelines of a group. */
  readonly members: readonly string[]
  /** The template that a pipeline has its stages from. */
  readonly template: string | null
  readonly suggested: Suggested
}

/** More are not offered. */
const MAX_SUGGESTED = 1_000
const MAX_MEMBERS = 500

export function readAround(open: OpenForm, isAdministrator: boolean): AroundForm {
  const { kind, element, document } = open
  return {
    untouched: untouchedIn(open),
    members: kind === 'group' && element !== null ? namesOf(element, 'pipeline') : [],
    template: kind === 'pipeline' && element !== null ? element.attributeValue('template') : null,
    suggested: isAdministrator ? suggestionsIn(document.root) : new Map(),
  }
}

function untouchedIn({ kind, element, shape }: OpenForm): string | null {
  if (element === null) return null
  const { comments, elements } = unshownOf(shape, element)
  const named = [...elements]
    .filter(([name]) => kind !== 'group' || name !== 'pipeline')
    .map(([name, count]) => (count === 1 ? name : `${name} (${count})`))
  const parts = comments > 0 ? [countOf(comments, 'comment'), ...named] : named
  return parts.length === 0 ? null : parts.join(', ')
}

function namesOf(element: XmlElement, name: string): string[] {
  const members = childElements(element).filter((child) => child.name === name)
  return members.slice(0, MAX_MEMBERS).flatMap((child) => child.attributeValue('name') ?? [])
}

function suggestionsIn(root: XmlElement): Suggested {
  const of = (word: string) => {
    const kind = ENTITY_KINDS.find((each) => each.word === word)
    return kind ? entitiesIn(root, kind) : []
  }
  const named = (entities: readonly EntityElement[]) =>
    options(entities.map((entity): SelectOption => [entity.name, entity.name]))
  return new Map([
    ['users', options(usersIn(root).map((name): SelectOption => [name, name]))],
    ['roles', named(of('role'))],
    ['templates', named(of('template'))],
    ['pipelines', named(of('pipeline'))],
    ['agents', options(of('agent').map((agent): SelectOption => [agent.name, entityLabel(agent)]))],
    ['resources', options(resourcesIn(root).map((name): SelectOption => [name, name]))],
  ])
}

function options(all: readonly SelectOption[]): readonly SelectOption[] {
  const known = new Map(all.map((option) => [nameKey(String(option[0])), option]))
  return [...known.values()].slice(0, MAX_SUGGESTED)
}

/** The users who have a right or a role. */
function usersIn(root: XmlElement): string[] {
  const paths = [
    'server/security/admins/user',
    'server/security/roles/role/users/user',
    'server/security/roles/role/user',
    'pipelines/authorization/view|operate|admins/user',
  ]
  return paths.flatMap((path) => elementsAt(root, path).map((user) => elementText(user).trim()))
}

function resourcesIn(root: XmlElement): string[] {
  const found = elementsAt(root, 'agents/agent/resources/resource')
  return found.map((resource) => elementText(resource).trim())
}
