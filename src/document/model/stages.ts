import { z } from 'zod'
import { OptionalText } from '../schema/attribute.ts'
import { STAGE_ELEMENTS } from '../schema/stages.ts'
import { childrenOf, many, modelOf, one, type ValueOf } from './fields.ts'
import type { ModelNode } from './model-node.ts'
import { TASK_LIST } from './tasks.ts'
import { unknownIn } from './unknown-parts.ts'
import { GRANTEES, RESOURCE_LIST, VARIABLES } from './values.ts'

const TYPE_OF_ELEMENT: ReadonlyMap<string, string> = new Map([
  ['test', 'test'],
  ['pluggableArtifact', 'external'],
])

/**
 * A file or folder that a job leaves. A test artifact also counts tests; an external one is a
 * plugin's.
 */
const Artifact = modelOf(STAGE_ELEMENTS.artifact, {
  kind: {
    form: z.enum(['build', 'test', 'external']),
    read: (node: ModelNode) => {
      const type = TYPE_OF_ELEMENT.get(node.name) ?? node.attribute('type')
      return type === 'test' || type === 'external' ? type : 'build'
    },
  },
})
export type Artifact = ValueOf<typeof Artifact>

/** A page of a job's artifacts that is shown beside its console. */
const Tab = modelOf(STAGE_ELEMENTS.tab)
export type Tab = ValueOf<typeof Tab>

/** A value that is read from an artifact when the job ends. */
const JobProperty = modelOf(STAGE_ELEMENTS['properties/property'])

const Job = modelOf(STAGE_ELEMENTS.job, {
  /** The profile, or in older versions the plugin, whose elastic agents run the job. */
  elasticProfile: {
    form: OptionalText,
    read: (node: ModelNode) => {
      const profile =
        node.attribute('elasticProfileId') ?? node.child('agentConfig')?.attribute('pluginId')
      return profile === undefined || profile === '' ? null : profile
    },
  },
  variables: VARIABLES,
  tasks: TASK_LIST,
  artifacts: childrenOf('artifacts', Artifact),
  resources: RESOURCE_LIST,
  tabs: many(Tab, 'tabs', 'tab'),
  properties: many(JobProperty, 'properties', 'property'),
  unknown: unknownIn('job', (node) => node),
})
export type Job = ValueOf<typeof Job>

/** The jobs below the element that lists them. */
export const JOB_LIST = many(Job, 'job')

const Approval = modelOf(STAGE_ELEMENTS.approval, {
  /** Null when everyone who may operate the group may approve the stage. Older versions say `auth` for them. */
  approvers: {
    form: GRANTEES.form.nullable(),
    read: (node: ModelNode) => {
      const approvers = node.child('authorization') ?? node.child('auth')
      return approvers && GRANTEES.read(approvers)
    },
  },
})
export type Approval = ValueOf<typeof Approval>

const Stage = modelOf(STAGE_ELEMENTS.stage, {
  approval: one('approval', Approval),
  variables: VARIABLES,
  jobs: many(Job, 'jobs', 'job'),
})
export type Stage = ValueOf<typeof Stage>

/** The stages of a pipeline or template. */
export const STAGE_LIST = many(Stage, 'stage')
