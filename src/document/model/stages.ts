import { z } from 'zod'
import type { ModelNode } from './model-node.ts'
import { readTasks, Task } from './tasks.ts'
import { readUnknownParts, UnknownParts } from './unknown-parts.ts'
import {
  At,
  Flag,
  OptionalNumber,
  OptionalText,
  Grantee,
  readPrincipals,
  readResources,
  readVariables,
  Resource,
  Text,
  Variable,
  manyOf,
} from './values.ts'

/** What a job leaves behind. A test artifact also counts tests; an external one is a plugin's. */
export const Artifact = z.object({
  at: At,
  kind: z.enum(['build', 'test', 'external']),
  src: Text,
  dest: OptionalText,
})
export type Artifact = z.infer<typeof Artifact>

/** A page of a job's artifacts that is shown beside its console. */
export const Tab = z.object({ at: At, name: Text, path: Text })
export type Tab = z.infer<typeof Tab>

/** A value that is read from an artifact when the job ends. */
export const JobProperty = z.object({ at: At, name: Text, src: Text, xpath: Text })
export type JobProperty = z.infer<typeof JobProperty>

export const Job = z.object({
  at: At,
  name: Text,
  runOnAllAgents: Flag,
  runInstanceCount: OptionalNumber,
  /** Minutes without output after which the job is given up; 0 means never, null as the server says. */
  timeout: OptionalNumber,
  /** The profile, or in older versions the plugin, whose elastic agents run the job. */
  elasticProfile: OptionalText,
  variables: manyOf(Variable),
  tasks: manyOf(Task),
  artifacts: manyOf(Artifact),
  resources: manyOf(Resource),
  tabs: manyOf(Tab),
  properties: manyOf(JobProperty),
  unknown: UnknownParts,
})
export type Job = z.infer<typeof Job>

export const Approval = z.object({
  at: At,
  type: z.string().pipe(z.enum(['success', 'manual'])),
  /** Null when everyone who may operate the group may approve the stage. */
  approvers: manyOf(Grantee).nullable(),
  /** Whether the stage may be run by hand only when the one before it has passed. */
  allowOnlyOnSuccess: Flag,
})
export type Approval = z.infer<typeof Approval>

export const Stage = z.object({
  at: At,
  name: Text,
  fetchMaterials: Flag,
  cleanWorkingDir: Flag,
  artifactCleanupProhibited: Flag,
  approval: Approval.nullable(),
  variables: manyOf(Variable),
  jobs: manyOf(Job),
})
export type Stage = z.infer<typeof Stage>

export function readStages(owner: ModelNode): z.input<typeof Stage>[] {
  return owner.list('stage').map((node) => ({
    at: node.at,
    name: node.attribute('name') ?? '',
    fetchMaterials: node.attribute('fetchMaterials') ?? 'true',
    cleanWorkingDir: node.attribute('cleanWorkingDir') ?? 'false',
    artifactCleanupProhibited: node.attribute('artifactCleanupProhibited') ?? 'false',
    approval: readApproval(node.child('approval')),
    variables: readVariables(node),
    jobs: node.list('jobs', 'job').map(readJob),
  }))
}

/** Older versions say `auth` for the list of approvers. */
function readApproval(node: ModelNode | null): z.input<typeof Approval> | null {
  if (!node) return null
  const approvers = node.child('authorization') ?? node.child('auth')
  return {
    at: node.at,
    type: node.attribute('type') ?? 'success',
    approvers: approvers && readPrincipals(approvers),
    allowOnlyOnSuccess: node.attribute('allowOnlyOnSuccess') ?? 'false',
  }
}

function readJob(node: ModelNode): z.input<typeof Job> {
  return {
    at: node.at,
    name: node.attribute('name') ?? '',
    runOnAllAgents: node.attribute('runOnAllAgents') ?? 'false',
    runInstanceCount: node.attribute('runInstanceCount'),
    timeout: node.attribute('timeout'),
    elasticProfile: readElasticProfile(node),
    variables: readVariables(node),
    tasks: readTasks(node),
    artifacts: (node.child('artifacts')?.children ?? []).map(readArtifact),
    resources: readResources(node),
    tabs: node.list('tabs', 'tab').map(readTab),
    properties: node.list('properties', 'property').map(readJobProperty),
    unknown: readUnknownParts(node, 'job'),
  }
}

function readElasticProfile(node: ModelNode): string | null {
  const profile =
    node.attribute('elasticProfileId') ?? node.child('agentConfig')?.attribute('pluginId')
  return profile === undefined || profile === '' ? null : profile
}

const TYPE_OF_ELEMENT: ReadonlyMap<string, Artifact['kind']> = new Map([
  ['test', 'test'],
  ['pluggableArtifact', 'external'],
])

function readArtifact(node: ModelNode): Artifact {
  const type = TYPE_OF_ELEMENT.get(node.name) ?? node.attribute('type')
  return {
    at: node.at,
    kind: type === 'test' || type === 'external' ? type : 'build',
    src: node.attribute('src') ?? '',
    dest: node.attribute('dest'),
  }
}

function readTab(node: ModelNode): Tab {
  return { at: node.at, name: node.attribute('name') ?? '', path: node.attribute('path') ?? '' }
}

function readJobProperty(node: ModelNode): JobProperty {
  return {
    at: node.at,
    name: node.attribute('name') ?? '',
    src: node.attribute('src') ?? '',
    xpath: node.attribute('xpath') ?? '',
  }
}
