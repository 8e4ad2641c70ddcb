import { z } from 'zod'
import { COMMAND_ELEMENTS } from '../../document/schema/tasks.ts'

const ExecCommand = z.object({
  type: z.literal('exec'),
  ...COMMAND_ELEMENTS.exec.sent.shape,
  args: z.array(z.string()),
  /** The time limit of the command, or null for none. */
  timeoutMs: z.int().positive().nullable(),
})
export type ExecCommand = z.infer<typeof ExecCommand>

const AntCommand = z.object({ type: z.literal('ant'), ...COMMAND_ELEMENTS.ant.sent.shape })
const RakeCommand = z.object({
  type: z.literal('rake'),
  ...COMMAND_ELEMENTS.rake.sent.shape,
})
const NantCommand = z.object({
  type: z.literal('nant'),
  ...COMMAND_ELEMENTS.nant.sent.shape,
})

export const FetchCommand = z.object({
  type: z.literal('fetchartifact'),
  /** The run to fetch from, found by the server; null when there is none, which fails the task. */
  from: z
    .object({
      pipelineName: z.string(),
      pipelineCounter: z.int().positive(),
      stageName: z.string(),
      stageCounter: z.string(),
      jobName: z.string(),
    })
    .nullable(),
  /** The file or folder among that job's artifacts. */
  src: z.string().min(1),
  srcKind: z.enum(['file', 'folder']),
  ...COMMAND_ELEMENTS.fetchartifact.sent.shape,
})
export type FetchCommand = z.infer<typeof FetchCommand>

export const TaskCommand = z.discriminatedUnion('type', [
  ExecCommand,
  AntCommand,
  RakeCommand,
  NantCommand,
  FetchCommand,
])
export type TaskCommand = z.infer<typeof TaskCommand>

const AssignedRunIf = z.enum(['passed', 'failed', 'any'])
export type AssignedRunIf = z.infer<typeof AssignedRunIf>

export const AssignedTask = z.object({
  run: TaskCommand,
  /** Empty means `passed`. */
  runIf: z.array(AssignedRunIf),
  /** Runs when the job is cancelled during this task, before the processes are killed. */
  onCancel: TaskCommand.nullable(),
})
export type AssignedTask = z.infer<typeof AssignedTask>
