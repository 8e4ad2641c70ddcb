import type { EditableDocument } from '../../document/edit/layout.ts'
import { createPipeline } from '../../document/create-pipeline/create-pipeline.ts'
import type { PipelineCreationRequest } from '../../document/create-pipeline/pipeline-request.ts'
import type { SecretBox } from '../../document/secrets/secret-box.ts'
import type { Principal } from '../../core/principal.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import type { ConfigEditor } from './config-editor.ts'
import type { SavedChange } from './save-group.ts'
import { type Access, assertMay } from '../access/permission.ts'
import { assertMayChange } from '../gate/refusal.ts'

export interface PipelinePreviewDeps {
  readonly configuration: CurrentConfiguration
}

export interface PipelineCreationDeps {
  readonly access: Access
  readonly editor: ConfigEditor
  readonly box: SecretBox
}

/**
 * The document that adding a pipeline would make; nothing is saved.
 *
 * @throws {ServiceError} `name-in-use`, `not-permitted`.
 */
export function previewPipeline(
  deps: PipelineCreationDeps & PipelinePreviewDeps,
  principal: Principal,
  request: PipelineCreationRequest,
): Uint8Array<ArrayBuffer> {
  assertMayAddTo(deps, principal, request.group)
  return composePipeline(deps, request)
}

/**
 * The same for a proposal, which asks its caller for other rights.
 *
 * @throws {ServiceError} `name-in-use`.
 */
export function composePipeline(
  { box, configuration }: Pick<PipelineCreationDeps, 'box'> & PipelinePreviewDeps,
  request: PipelineCreationRequest,
): Uint8Array<ArrayBuffer> {
  const seal = (secret: string) => box.seal(secret)
  return new Uint8Array(Buffer.from(createPipeline(configuration.read(), request, seal)))
}

/** The groups that a caller may add pipelines to, in the order of the document. */
export function listOwnGroups(deps: GroupsDeps, principal: Principal): readonly string[] {
  return listGroups(deps, principal, 'administer-group')
}

/** The groups that a caller may propose pipelines for. */
export function listViewedGroups(deps: GroupsDeps, principal: Principal): readonly string[] {
  return listGroups(deps, principal, 'view-group')
}

type GroupsDeps = Pick<PipelineCreationDeps, 'access'> & PipelinePreviewDeps

function listGroups(
  { access, configuration }: GroupsDeps,
  principal: Principal,
  action: 'administer-group' | 'view-group',
): readonly string[] {
  const { groups } = configuration.read().configuration
  return groups.flatMap(({ name: group }) =>
    access.may(principal, { action, group }) ? group : [],
  )
}

/**
 * Asserts that a caller may add pipelines to a group.
 *
 * @throws {ServiceError} `not-permitted`.
 */
export function assertMayAddTo(
  { access }: Pick<PipelineCreationDeps, 'access'>,
  principal: Principal,
  group: string,
): void {
  assertMayChange(() => assertMay(access, principal, { action: 'administer-group', group }))
}

/**
 * Adds a pipeline with one stage, one job and one task to its group, as a commit by the caller.
 *
 * @throws {ServiceError} `name-in-use`, `config-invalid`, `not-permitted`.
 */
export async function addPipeline(
  deps: PipelineCreationDeps,
  principal: Principal,
  request: PipelineCreationRequest,
  message = '',
): Promise<SavedChange> {
  assertMayAddTo(deps, principal, request.group)
  const seal = (secret: string) => deps.box.seal(secret)
  const create = (document: EditableDocument) => createPipeline(document, request, seal)
  return deps.editor.edit({ door: 'create-pipeline', principal }, create, { message })
}
