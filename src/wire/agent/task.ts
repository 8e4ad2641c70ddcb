import { z } from 'zod'

/** Relative to the job's working folder; null is that folder. */
const WorkingDir = z.string().nullable()

export const ExecCommand = z.object({
  type: z.literal('exec'),
  command: z.string().min(1),
  args: z.array(z.string()),
  workingDir: WorkingDir,
  /** The time limit of the command, or null for none. */
  timeoutMs: z.int().positive().nullable(),
})
export type ExecCommand = z.infer<typeof ExecCommand>

const BuildFile = {
  /** Null for the tool's own default. */
  buildFile: z.string().nullable(),
  target: z.string().nullable(),
  workingDir: WorkingDir,
}

export const AntCommand = z.object({ type: z.literal('ant'), ...BuildFile })
export const RakeCommand = z.object({ type: z.literal('rake'), ...BuildFile })
export const NantCommand = z.object({
  type: z.literal('nant'),
  ...BuildFile,
  /** The folder of the nant executable, or null to look it up in PATH. */
  nantPath: z.string().nullable(),
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
  /** The target below the working folder; null is that folder. */
  dest: z.string().nullable(),
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

export const AssignedRunIf = z.enum(['passed', 'failed', 'any'])
export type AssignedRunIf = z.infer<typeof AssignedRunIf>

export const AssignedTask = z.object({
  run: TaskCommand,
  /** Empty means `passed`. */
  runIf: z.array(AssignedRunIf),
  /** Runs when the job is cancelled during this task, before the processes are killed. */
  onCancel: TaskCommand.nullable(),
})
export type AssignedTask = z.infer<typeof AssignedTask>
