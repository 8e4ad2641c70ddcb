import type {
  JobInstance,
  PipelineInstance,
  RunConfiguration,
} from '../../../src/builds/engine/documents.ts'
import { Digest } from '../../../src/core/digest.ts'
import { CommitSha } from '../../../src/core/revision.ts'
import { readDocument } from '../../../src/document/document.ts'
import { expandConfiguration } from '../../../src/document/effective/effective.ts'
import type { Configuration } from '../../../src/document/model/model.ts'
import { runSync } from '../../../src/lib/cooperative.ts'

/** The configuration that a document makes, with templates and params replaced. */
export function effectiveConfiguration(document: string): Configuration {
  const reading = readDocument(new TextEncoder().encode(document))
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems))
  return runSync(expandConfiguration(reading.document.configuration)).configuration
}

/** The revision by which the runs of tests without a repository are scheduled. */
export const A_CONFIGURATION: RunConfiguration = {
  digest: Digest.parse('aa4bac3cc0f229c640b9fb04168803da'),
  commit: CommitSha.parse('fd8f0fc5b698d4d484ec8cd1e9c142a1a02b7c03'),
}

export function aPipelineRun(facts: Partial<PipelineInstance> = {}): PipelineInstance {
  return {
    id: 1,
    name: 'app',
    counter: 3,
    label: '1.3',
    approvedBy: 'ana',
    createdAt: 1_000,
    revisions: [],
    variables: [],
    stages: [{ name: 'build', counter: 1 }],
    blocked: null,
    groups: ['first'],
    configuration: A_CONFIGURATION,
    former: null,
    ...facts,
  }
}

export function aJobRun(facts: Partial<JobInstance> = {}): JobInstance {
  return {
    id: 7,
    name: 'unit',
    planName: 'unit',
    pipelineName: 'app',
    pipelineCounter: 3,
    stageName: 'build',
    stageCounter: 1,
    state: 'Assigned',
    result: 'Unknown',
    agentUuid: 'a1',
    scheduledDate: 1_000,
    transitions: [],
    rerun: false,
    originalJobId: null,
    resources: [],
    pinnedTo: null,
    ranOn: null,
    ...facts,
  }
}
