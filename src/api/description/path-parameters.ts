import { z } from 'zod'
import { Digest } from '../../core/digest.ts'
import { CommitSha } from '../../core/revision.ts'
import { AgentUuid } from '../../wire/agent/registration.ts'
import type { Parameter } from '../definition/operation.ts'
import { SAMPLE } from '../definition/sample.ts'

const Count = z.int().min(0)
const Name = z.string().min(1)

/** What the parameters of paths mean, by their names, wherever a call does not say otherwise. */
const PARAMETERS: ReadonlyMap<string, Parameter> = new Map([
  ['digest', { text: 'A digest: the MD5 of the document', schema: Digest, example: SAMPLE.digest }],
  ['commit', { text: 'The commit of a revision', schema: CommitSha, example: SAMPLE.commit }],
  [
    'from',
    {
      text: 'The commit of the revision to compare from',
      schema: CommitSha,
      example: SAMPLE.before.commit,
    },
  ],
  [
    'to',
    { text: 'The commit of the revision to compare to', schema: CommitSha, example: SAMPLE.commit },
  ],
  ['offset', { text: 'How many to skip', schema: Count, example: '0' }],
  ['uuid', { text: 'The uuid of an agent', schema: AgentUuid, example: SAMPLE.agent }],
  ['name', { text: 'Its name', schema: Name, example: SAMPLE.pipeline }],
  ['pipeline', { text: 'The name of a pipeline', schema: Name, example: SAMPLE.pipeline }],
  ['stage', { text: 'The name of a stage', schema: Name, example: SAMPLE.stage }],
  ['job', { text: 'The name of a job', schema: Name, example: SAMPLE.job }],
  ['counter', { text: 'The counter of a run of the pipeline', schema: Count, example: '1' }],
  [
    'pipelineCounter',
    { text: 'The counter of a run of the pipeline', schema: Count, example: '1' },
  ],
  ['stageCounter', { text: 'The counter of a run of the stage', schema: Count, example: '1' }],
  [
    'path',
    {
      text: 'A path below the folder of the job; it may have slashes',
      schema: Name,
      example: 'cruise-output/console.log',
    },
  ],
])

export function pathParameter(name: string): Parameter {
  return PARAMETERS.get(name) ?? { text: '', schema: Name }
}
