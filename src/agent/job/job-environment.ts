import { isOfRepository } from '../../core/git-settings.ts'
import type { AssignedMaterial } from '../../wire/agent/material.ts'
import type { JobAssignment } from '../../wire/agent/work.ts'
import { MARK_VARIABLE } from '../../processes/process-mark.ts'
import { withoutTrailingSlashes } from '../../lib/texts.ts'

/** The password for a user name that is a token. */
const NO_PASSWORD = 'x-oauth-basic'
const TOKEN_IN_URL = /^https?:\/\/([^/:@]{8,})(?::(?:x-oauth-basic)?)?@/i

/** The variables of a job's processes, and the values that must be hidden. */
export interface JobEnvironment {
  readonly variables: Readonly<Record<string, string>>
  /** The variables set for this job, in order. */
  readonly set: readonly (readonly [name: string, value: string])[]
  readonly secrets: readonly string[]
}

/**
 * The agent's own variables without its settings, which include the registration key, and without those that would have
 * git use another repository than the one in a folder.
 */
export function inheritedVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inherited = Object.entries(environment).flatMap(([name, value]) => {
    const own = name.startsWith('CAIRN_') && name !== MARK_VARIABLE
    return own || value === undefined || isOfRepository(name) ? [] : [[name, value] as const]
  })
  return Object.fromEntries(inherited)
}

/**
 * Variables of the assignment are set last, so that the configuration can override the built-in
 * ones.
 */
export function jobEnvironment(
  assignment: JobAssignment,
  { server, inherited }: { server: string; inherited: Readonly<Record<string, string>> },
): JobEnvironment {
  const configured = assignment.environmentVariables
  const set = [
    ...builtIn(assignment, server),
    ...assignment.materials.flatMap(variablesOf),
    ...configured.map(({ name, value }) => [name, value] as const),
  ]
  const secure = configured.filter((variable) => variable.secure).map(({ value }) => value)
  return {
    variables: { ...inherited, ...firstRevision(assignment.materials), ...Object.fromEntries(set) },
    set,
    secrets: [...secure, ...assignment.maskedTexts, ...assignment.materials.flatMap(secretsOf)],
  }
}

function builtIn(job: JobAssignment, server: string): [string, string][] {
  return [
    ['GO_SERVER_URL', `${withoutTrailingSlashes(server)}/`],
    ['GO_TRIGGER_USER', job.triggerUser],
    ['GO_PIPELINE_NAME', job.pipelineName],
    ['GO_PIPELINE_COUNTER', String(job.pipelineCounter)],
    ['GO_PIPELINE_LABEL', job.pipelineLabel],
    ['GO_STAGE_NAME', job.stageName],
    ['GO_STAGE_COUNTER', job.stageCounter],
    ['GO_JOB_NAME', job.jobName],
    ['GO_AGENT_RESOURCES', job.agentResources.join(',')],
  ]
}

function variablesOf(material: AssignedMaterial): [string, string][] {
  if (material.type === 'pipeline') {
    const suffix = variableSuffix(material.name ?? material.pipelineName)
    return [
      [`GO_DEPENDENCY_LABEL${suffix}`, material.label],
      [`GO_DEPENDENCY_LOCATOR${suffix}`, material.revision],
    ]
  }
  const suffix = variableSuffix(material.name ?? material.dest ?? '')
  return [
    [`GO_REVISION${suffix}`, material.revision],
    [`GO_TO_REVISION${suffix}`, material.revision],
    [`GO_FROM_REVISION${suffix}`, material.fromRevision],
  ]
}

/** `GO_REVISION` is also set when every material has a name: to the revision of the first one. */
function firstRevision(materials: readonly AssignedMaterial[]): Record<string, string> {
  const first = materials.find((material) => material.type !== 'pipeline')
  return first ? { GO_REVISION: first.revision } : {}
}

function variableSuffix(name: string): string {
  return name === '' ? '' : `_${name.toUpperCase().replaceAll(/[^A-Z0-9_]/g, '_')}`
}

function secretsOf(material: AssignedMaterial): string[] {
  if (material.type === 'pipeline') return []
  const password = 'password' in material ? (material.password ?? '') : ''
  const inUrl = /^[a-z+]+:\/\/[^/@]*?:([^/]*)@/i.exec(material.url)?.[1] ?? ''
  const token = TOKEN_IN_URL.exec(material.url)?.[1] ?? ''
  return [password, inUrl, decodeText(inUrl), token, decodeText(token)].filter(
    (secret) => secret !== '' && secret !== NO_PASSWORD,
  )
}

/** A password in a URL may be percent-encoded; an invalid encoding is used as it is. */
function decodeText(text: string): string {
  return text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (escaped) =>
    Buffer.from(escaped.replaceAll('%', ''), 'hex').toString(),
  )
}
