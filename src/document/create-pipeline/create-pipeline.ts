import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { applyEdits } from '../edit/apply-edits.ts'
import type { EditableDocument } from '../edit/layout.ts'
import { newElement, type NewElement } from '../edit/new-element.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { DEFAULT_GROUP, findNamedEntity } from '../entities/entities.ts'
import { elementsAt } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import type { PipelineCreationRequest } from './pipeline-request.ts'
import { materialElement } from './material-request.ts'
import { taskElement } from './task-request.ts'
import { escapeAttribute } from '../edit/xml-escape.ts'

/** Encrypts a secret; what it returns may be in the configuration. */
type Seal = (secret: string) => string

/**
 * The text of the document with a new pipeline at the end of its group. A group
 * that is absent is made behind the others.
 *
 * @throws {ServiceError} `name-in-use` when a pipeline has that name, whatever its case.
 */
export function createPipeline(
  document: EditableDocument,
  request: PipelineCreationRequest,
  seal: Seal,
): string {
  const groups = elementsAt(document.root, 'pipelines')
  assertUnused(groups, request.name)
  const group = groups.find(
    (each) => (each.attributeValue('group') ?? DEFAULT_GROUP) === request.group,
  )
  const element = pipelineElement(request, seal)
  const edit: XmlEdit = group
    ? { kind: 'insert', parent: group, element, place: { kind: 'last' } }
    : {
        kind: 'insert',
        parent: document.root,
        element: newElement('pipelines', { group: request.group }, [element]),
        place: { kind: 'order', names: CRUISE_CHILDREN },
      }
  return applyEdits(document, [edit]) ?? document.text
}

function assertUnused(groups: readonly XmlElement[], name: string): void {
  const taken = groups
    .flatMap((group) => elementsAt(group, 'pipeline'))
    .map((pipeline) => pipeline.attributeValue('name'))
    .find((known) => known !== null && isSameName(known, name))
  if (taken) throw new ServiceError('name-in-use', `A pipeline "${taken}" exists`, { name: taken })
}

/** The element of a new pipeline. Values that are defaults are not written. */
function pipelineElement(request: PipelineCreationRequest, seal: Seal): NewElement {
  const job = newElement('job', { name: 'defaultJob' }, [
    newElement('tasks', {}, [taskElement(request.task)]),
    ...artifactsElements(request),
  ])
  return newElement('pipeline', { name: request.name }, [
    newElement('materials', {}, [materialElement(request.material, seal)]),
    newElement('stage', { name: 'defaultStage' }, [newElement('jobs', {}, [job])]),
  ])
}

function artifactsElements({ artifacts }: PipelineCreationRequest): NewElement[] {
  if (artifacts.length === 0) return []
  const elements = artifacts.map(({ kind, src, dest }) => newElement(kind, { src, dest }))
  return [newElement('artifacts', {}, elements)]
}

/** A document with the copy of a pipeline. */
interface CopiedPipeline {
  readonly text: string
  /** Where the copy starts in it. */
  readonly start: number
}

/**
 * Puts a copy of a pipeline, under another name, on the lines behind it.
 *
 * @throws {ServiceError} `pipeline-not-found`.
 */
export function copyPipeline(
  { text, root }: EditableDocument,
  { from, to }: { readonly from: string; readonly to: string },
): CopiedPipeline {
  const element = findNamedEntity(root, `pipeline/${from}`)?.element
  const name = element?.attributes.get('name')
  if (!element || !name) {
    const message = `There is no pipeline ${from}`
    throw new ServiceError('pipeline-not-found', message, { pipeline: from })
  }
  const { start, end } = element.span
  const quote = text.charAt(name.valueSpan.start - 1)
  const copy = [
    text.slice(start, name.valueSpan.start),
    escapeAttribute(to, quote),
    text.slice(name.valueSpan.end, end),
  ].join('')
  const before = text.slice(0, start)
  const space = before.slice(before.trimEnd().length)
  const between = /(?:\r\n|\r|\n)[ \t]*$/.exec(space)?.[0] ?? ''
  return {
    text: text.slice(0, end) + between + copy + text.slice(end),
    start: end + between.length,
  }
}
