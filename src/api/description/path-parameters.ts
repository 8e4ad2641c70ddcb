import { z } from 'zod'
import { Digest } from '../../core/digest.ts'
import { CommitSha } from '../../core/revision.ts'
import { AgentUuid } from '../../wire/agent-registration.ts'
import type { Parameter } from '../definition/operation.ts'

const Count = z.int().min(0)
const Name = z.string().min(1)

/** What the parameters of paths mean, by their names, wherever a call does not say otherwise. */
const PARAMETERS: ReadonlyMap<string, Parameter> = new Map([
  ['digest', { text: 'A digest: the MD5 of the document', schema: Digest }],
  ['commit', { text: 'The commit of a revision', schema: CommitSha }],
  ['from', { text: 'The commit of the revision to compare from', schema: CommitSha }],
  ['to', { text: 'The commit of the revision to compare to', schema: CommitSha }],
  ['offset', { text: 'How many to skip', schema: Count }],
  ['uuid', { text: 'The uuid of an agent', schema: AgentUuid }],
  ['name', { text: 'Its name', schema: Name }],
  ['pipeline', { text: 'The name of a pipeline', schema: Name }],
  ['stage', { text: 'The name of a stage', schema: Name }],
  ['job', { text: 'The name of a job, or its number in a call of an agent', schema: Name }],
  ['counter', { text: 'The counter of a run of the pipeline', schema: Count }],
  ['pipelineCounter', { text: 'The counter of a run of the pipeline', schema: Count }],
  ['stageCounter', { text: 'The counter of a run of the stage', schema: Count }],
  ['path', { text: 'A path below the folder of the job; it may have slashes', schema: Name }],
])

export function pathParameter(name: string): Parameter {
  return PARAMETERS.get(name) ?? { text: '', schema: Name }
}
