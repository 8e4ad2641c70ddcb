import { shorten } from '../text/shown-text.ts'
import type { XmlElement } from './xml-tree.ts'

/** Elements that only contain a list; they are named only when no item of the list follows. */
export const LISTS = new Set(
  (
    'cruise pipelines materials jobs tasks templates environments agents roles users bases ' +
    'environmentvariables params artifacts resources tabs properties repositories packages scms ' +
    'config-repos secretConfigs'
  ).split(' '),
)

export const IDENTITIES = ['name', 'id', 'uuid', 'pipelineName', 'materialName']

/** Describes the place of an element: `pipeline "build" › stage "test" › job "unit"`. */
export function pathOf(element: XmlElement): string {
  const labels = [labelOf(element)]
  let below = element
  for (let above = element.parent; above; above = above.parent) {
    if (isTelling(above, below)) labels.unshift(labelOf(above))
    below = above
  }
  return labels.join(' › ')
}

/** A group is named only when no pipeline of it follows: the name of a pipeline is enough. */
function isTelling(above: XmlElement, below: XmlElement): boolean {
  if (isGroup(above)) return below.name !== 'pipeline'
  return !LISTS.has(above.name)
}

function isGroup({ name, parent }: XmlElement): boolean {
  return name === 'pipelines' && parent?.name === 'cruise'
}

function labelOf(element: XmlElement): string {
  const identity = identityOf(element)
  return identity === null ? wordFor(element) : `${wordFor(element)} "${shorten(identity)}"`
}

function identityOf(element: XmlElement): string | null {
  if (element.name === 'pipelines') return element.attributeValue('group')
  for (const name of IDENTITIES) {
    const identity = element.attributeValue(name)
    if (identity !== null) return identity
  }
  return null
}

function wordFor(element: XmlElement): string {
  if (isGroup(element)) return 'group'
  const { name, parent } = element
  if (name === 'pipeline' && parent?.name === 'templates') return 'template'
  return name === 'pipeline' && parent?.name === 'materials' ? 'upstream pipeline' : shorten(name)
}
