import { ServiceError } from '../../core/errors.ts'
import { isSameName } from '../../core/name-key.ts'
import { CRUISE_CHILDREN } from '../structure/child-order.ts'
import { applyEdits } from '../edit/apply-edits.ts'
import type { EditableDocument } from '../edit/layout.ts'
import { newElement } from '../edit/new-element.ts'
import type { XmlEdit } from '../edit/xml-edit.ts'
import { DEFAULT_GROUP } from '../entities/entities.ts'
import { attributeOf, elementsAt } from '../xml/xml-elements.ts'
import type { XmlElement } from '../xml/xml-tree.ts'
import { pipelineElement, type Seal } from './pipeline-element.ts'
import type { PipelineCreationRequest } from './pipeline-request.ts'

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
  const group = groups.find((candidate) => groupName(candidate) === request.group)
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
    .map((pipeline) => attributeOf(pipeline, 'name'))
    .find((known) => known !== null && isSameName(known, name))
  if (taken) throw new ServiceError('name-in-use', `A pipeline "${taken}" exists`, { name: taken })
}

function groupName(group: XmlElement): string {
  return attributeOf(group, 'group') ?? DEFAULT_GROUP
}
