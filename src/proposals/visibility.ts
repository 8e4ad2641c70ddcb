import { nameKey } from '../core/name-key.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/principal.ts'
import type { ConfiguredAccess } from '../configuration/access/access.ts'
import type { ConfigSavingDeps } from '../configuration/save/config-saving.ts'
import { currentDocument } from '../configuration/current/current-document.ts'
import type { Gate } from '../configuration/gate/gate.ts'
import type { CurrentConfiguration } from '../configuration/current/current-configuration.ts'
import { splitEntity } from '../document/entities/entities.ts'
import type { Configuration } from '../document/model/model.ts'
import { memoize } from '../lib/memoize.ts'
import type { Permissions } from '../security/permissions.ts'
import type { Problem } from '../core/problem.ts'
import type { Proposal } from './proposal.ts'
import type { TouchedPlace } from './proposal-event.ts'

export interface VisibilityDeps {
  readonly access: ConfiguredAccess
  readonly configuration: CurrentConfiguration
}

export interface TellingDeps extends Pick<ConfigSavingDeps, 'history' | 'cache'> {
  readonly gate: Pick<Gate, 'problemsFor'>
}

/** The rights of a caller by the configuration in force. */
export function rightsNow(
  { access, configuration }: VisibilityDeps,
  principal: Principal,
): Permissions {
  return access.rightsIn(configuration.read().configuration, principal)
}

/** Whether a caller may view all that a change touches, by the rights of now. */
export function mayViewAll(
  deps: VisibilityDeps,
  rights: Permissions,
  touches: readonly TouchedPlace[],
): boolean {
  if (rights.isAdministrator) return true
  const pipelines = pipelineNames(deps.configuration.read().configuration)
  return touches.every((place) => mayViewPlace(rights, place, pipelines))
}

/** Whether a caller may view a proposal: all that its versions touch. */
export function mayViewProposal(
  deps: VisibilityDeps,
  rights: Permissions,
  { versions }: Proposal,
): boolean {
  return versions.every(({ touches }) => mayViewAll(deps, rights, touches))
}

/**
 * Asserts that a caller may view all that a change touches, which is what it takes to propose it.
 *
 * @throws {ServiceError} `not-permitted`, without the names of what is hidden.
 */
export function assertMayViewAll(
  deps: VisibilityDeps,
  principal: Principal,
  touches: readonly TouchedPlace[],
): void {
  if (mayViewAll(deps, rightsNow(deps, principal), touches)) return
  throw hidden()
}

/** The refusal of a change of what the caller may not view, without its name. */
export function hidden(): ServiceError {
  const message = 'The change touches what you may not view'
  return new ServiceError('not-permitted', message, { permission: 'view-group' })
}

/** A document that is not valid, with the reasons. */
interface InvalidDocument {
  readonly document: Uint8Array<ArrayBuffer>
  readonly problems: readonly Problem[]
}

/** The problems of a document, as a caller may hear of them. Null stands for no caller. */
export async function toldProblems(
  { gate, ...deps }: TellingDeps,
  principal: Principal | null,
  { problems, document: after }: InvalidDocument,
): Promise<readonly Problem[]> {
  return gate.problemsFor(problems, { before: await currentDocument(deps), after }, principal)
}

/** A pipeline that is not there yet is visible with its group; everything without rights of its own to administrators. */
function mayViewPlace(
  rights: Permissions,
  { entity, group }: TouchedPlace,
  pipelines: ReadonlySet<string>,
): boolean {
  const { kind, name } = splitEntity(entity)
  const isNew = kind === 'pipeline' && !pipelines.has(nameKey(name))
  if (!isNew) return rights.mayViewEntity({ kind, name })
  return group !== undefined && rights.mayViewGroup(group)
}

const pipelineNames = memoize(
  (configuration: Configuration): ReadonlySet<string> =>
    new Set(
      configuration.groups.flatMap((group) => group.pipelines.map(({ name }) => nameKey(name))),
    ),
)
