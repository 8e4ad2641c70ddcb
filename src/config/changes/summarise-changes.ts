import type { ConfigDocument } from '../document.ts'
import type { XmlElement } from '../xml-tree.ts'
import type { Change } from './change.ts'
import { diffPair } from './diff-elements.ts'
import { diffPipelines } from './diff-pipelines.ts'

const NOWHERE = { entity: null, path: [] } as const

type Document = Pick<ConfigDocument, 'text' | 'root'>

/**
 * What is different between two configurations, in the words of the people who
 * run them: pipelines first, then what else changed. Where nothing but the
 * order or the layout did, that is said. Null stands for no configuration.
 */
export function summariseChanges(before: Document | null, after: Document): readonly Change[] {
  if (before?.text === after.text) return []
  const changes = [...changesBetween(before ?? EMPTY, after)]
  if (before === null) return [whole('added'), ...changes]
  return changes.length === 0 ? [whole('reformatted')] : changes
}

const EMPTY_ROOT: XmlElement = {
  kind: 'element',
  name: 'cruise',
  attributes: new Map(),
  children: [],
  parent: null,
  span: { start: 0, end: 0 },
  openTag: { start: 0, end: 0 },
  closeTag: null,
}
const EMPTY: Document = { text: '', root: EMPTY_ROOT }

function whole(kind: 'added' | 'reformatted'): Change {
  return { kind, ...NOWHERE, what: 'configuration', before: null, after: null, touches: [] }
}

function* changesBetween(before: Document, after: Document): Generator<Change> {
  const texts = new Map([
    [before.root, before.text],
    [after.root, after.text],
  ])
  const sourceOf = (element: XmlElement) => {
    const text = texts.get(rootOf(element)) ?? ''
    return text.slice(element.span.start, element.span.end)
  }
  const pair = { before: before.root, after: after.root }
  yield* diffPipelines(pair, sourceOf)
  yield* diffPair(pair, NOWHERE, sourceOf)
}

function rootOf(element: XmlElement): XmlElement {
  let root = element
  while (root.parent) root = root.parent
  return root
}
