import { z } from 'zod'
import { AssignedMaterial } from './material.ts'
import { AssignedTask } from './task.ts'
import type { JobReport } from '../../core/builds/job.ts'

/** `POST …/[uuid]/work`: the server holds it until there is a job, for about 15 seconds. */
export const WorkRequest = z.object({
  instance: z.string().min(1).max(64),
  /**
   * The number of the request of this instance: one that was overtaken by a later one gets nothing.
   */
  attempt: z.int().positive().optional(),
})
export type WorkRequest = z.infer<typeof WorkRequest>

/** `artifact` must exist, or the job fails; `test` may be absent. */
export const ArtifactKind = z.enum(['artifact', 'test'])
export type ArtifactKind = z.infer<typeof ArtifactKind>

export const AssignedArtifact = z.object({
  kind: ArtifactKind,
  /** A pattern relative to the working folder: `*`, `?`, and `**` for any folders. */
  src: z.string().min(1),
  /** The folder among the job's artifacts; null is its root. */
  dest: z.string().nullable(),
})
export type AssignedArtifact = z.infer<typeof AssignedArtifact>

const EnvironmentVariable = z.object({
  name: z.string().min(1),
  value: z.string(),
  /** The value must not appear in the console. */
  secure: z.boolean(),
})
export type EnvironmentVariable = z.infer<typeof EnvironmentVariable>

/** The data that an agent needs to run one job. */
export const JobAssignment = z.object({
  jobId: z.int().positive(),
  /** Also the name of a folder. */
  pipelineName: z.string().regex(/^[\w-][\w.-]{0,254}$/, 'is not the name of a pipeline'),
  pipelineCounter: z.int().positive(),
  pipelineLabel: z.string(),
  stageName: z.string().min(1),
  stageCounter: z.string().min(1),
  jobName: z.string().min(1),
  /** A user, or `changes`. */
  triggerUser: z.string(),
  agentResources: z.array(z.string()),
  /** Empties the working folder first. */
  cleanWorkingDir: z.boolean(),
  /** When false, nothing is checked out. */
  fetchMaterials: z.boolean(),
  /** The job is cancelled after this time without console output; null for never. */
  silenceTimeoutMs: z.int().positive().nullable(),
  materials: z.array(AssignedMaterial),
  /** In the order in which they are set: a later one wins. */
  environmentVariables: z.array(EnvironmentVariable),
  tasks: z.array(AssignedTask),
  artifacts: z.array(AssignedArtifact),
  /** Secrets in any of these texts, which must not appear in the console either. */
  maskedTexts: z.array(z.string()).default([]),
})
export type JobAssignment = z.infer<typeof JobAssignment>

export const WorkReply = z.object({ assignment: JobAssignment.nullable() })
export type WorkReply = z.infer<typeof WorkReply>

/** The body of `POST …/[uuid]/jobs/[id]/report` is core's `JobReport`. Repeating it is harmless. */
export type ReportedResult = Extract<JobReport, { readonly result: unknown }>['result']

/** The limits of bytes in one append to a console. */
export const CONSOLE_BATCH = { least: 64 * 1024, most: 1024 * 1024 } as const

/** Answers `PUT …/[uuid]/jobs/[id]/console?offset=N` with the number of bytes on the server. */
export const ConsoleReply = z.object({ offset: z.int().nonnegative() })
export type ConsoleReply = z.infer<typeof ConsoleReply>

/** Answers `GET …/[uuid]/artifacts?job=LOCATOR&path=P`: every file at or below that path. */
export const ArtifactListing = z.object({
  files: z.array(z.object({ path: z.string().min(1), size: z.int().nonnegative() })),
})
export type ArtifactListing = z.infer<typeof ArtifactListing>
