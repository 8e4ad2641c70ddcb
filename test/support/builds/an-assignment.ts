import type { AssignedTask } from '../../../src/wire/agent/task.ts'
import type { JobAssignment } from '../../../src/wire/agent/work.ts'

let lastJobId = 0

/** A job that does nothing, with what a test says about it. */
export function anAssignment(more: Partial<JobAssignment> = {}): JobAssignment {
  lastJobId += 1
  return {
    jobId: lastJobId,
    pipelineName: 'demo',
    pipelineCounter: 3,
    pipelineLabel: '1.3',
    stageName: 'build',
    stageCounter: '2',
    jobName: 'compile',
    triggerUser: 'ana',
    agentResources: ['linux', 'node'],
    cleanWorkingDir: false,
    fetchMaterials: true,
    silenceTimeoutMs: null,
    materials: [],
    environmentVariables: [],
    tasks: [],
    artifacts: [],
    maskedTexts: [],
    ...more,
  }
}

/** A task that runs a shell script. */
export function sh(script: string, more: Partial<AssignedTask> = {}): AssignedTask {
  return { run: shell(script), runIf: [], onCancel: null, ...more }
}

/** The command of a task that runs a shell script. */
export function shell(script: string): Extract<AssignedTask['run'], { type: 'exec' }> {
  return { type: 'exec', command: 'sh', args: ['-c', script], workingDir: null, timeoutMs: null }
}
