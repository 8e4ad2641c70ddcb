import { recentRuns } from '../../builds/runs/list-pipelines.ts'
import { configuredVariables } from '../../builds/runs/run-variables.ts'
import type { ScheduleOptions } from '../../builds/runs/start-runs.ts'
import { assertMay } from '../../configuration/access/permission.ts'
import type { Principal } from '../../core/principal.ts'
import { materialFingerprint } from '../../document/materials/identity.ts'
import { shownMaterial } from '../../document/materials/shown-material.ts'
import { type Form, textField } from '../../http/request-body.ts'
import type { PipelinesPageDeps } from './pipelines-page.ts'
import { pipelineNotFound } from '../../builds/engine/stage-not-found.ts'

/** A material in the form of a run with options. */
export interface OfferedMaterial {
  readonly fingerprint: string
  readonly label: string
  /** The revisions of the last runs, newest first. */
  readonly revisions: readonly string[]
}

/** A variable in that form. */
export interface OfferedVariable {
  readonly name: string
  readonly isSecure: boolean
  /** Its value in the configuration; empty for a secure one, and where stages or jobs differ. */
  readonly value: string
}

export interface TriggerPage {
  readonly name: string
  readonly group: string
  readonly materials: readonly OfferedMaterial[]
  readonly variables: readonly OfferedVariable[]
  /** Whether the caller may have the jobs made from an earlier configuration. */
  readonly mayChooseConfiguration: boolean
}

/**
 * Reads the options of a run of a pipeline.
 *
 * @throws {ServiceError} `pipeline-not-found`, `not-permitted`.
 */
export async function readTriggerPage(
  deps: PipelinesPageDeps,
  principal: Principal,
  asked: string,
): Promise<TriggerPage> {
  const { access, pipelines } = deps
  assertMay(access, principal, { action: 'trigger-pipeline', pipeline: asked })
  const found = pipelines.find(asked)
  if (!found) throw pipelineNotFound(asked)
  const { pipeline, group } = found
  const { name } = pipeline
  const runs = await recentRuns(deps, principal, name)
  const revisions = runs.flatMap(({ run }) => run.revisions)
  const own = new Map(pipeline.variables.map((variable) => [variable.name, variable]))
  const secured = configuredVariables({ pipeline, environments: pipelines.environmentsOf(name) })
  return {
    name,
    group,
    materials: pipeline.materials.map((material) => {
      const fingerprint = materialFingerprint(material)
      const known = revisions.filter((each) => each.fingerprint === fingerprint)
      return {
        fingerprint,
        label: shownMaterial(material),
        revisions: [...new Set(known.map(({ revision }) => revision))],
      }
    }),
    variables: Array.from(secured, ([variable, isSecure]) => ({
      name: variable,
      isSecure,
      value: isSecure ? '' : (own.get(variable)?.value ?? ''),
    })),
    mayChooseConfiguration: access.may(principal, { action: 'administer-group', group }),
  }
}

/** The options that differ from what a run has anyway: an empty field changes nothing. */
export function optionsIn(form: Form, { materials, variables }: TriggerPage): ScheduleOptions {
  const typed = (field: string) => (textField(form, field) ?? '').trim()
  return {
    pins: materials.flatMap(({ fingerprint }) => {
      const revision = typed(materialField(fingerprint))
      return revision === '' ? [] : [{ material: fingerprint, revision }]
    }),
    variables: variables.flatMap(({ name, isSecure: secure, value: configured }) => {
      const value = textField(form, variableField(name)) ?? ''
      return value === '' || value === configured ? [] : [{ name, value, secure }]
    }),
    configuration: typed('configuration') || null,
  }
}

export function materialField(fingerprint: string): string {
  return `materials[${fingerprint}]`
}

export function variableField(name: string): string {
  return `variables[${name}]`
}
