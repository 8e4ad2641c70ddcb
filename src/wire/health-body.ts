import { z } from 'zod'
import { ServiceMaintenance } from '../core/service/maintenance.ts'
import { SeenServers } from '../core/service/seen-server.ts'
import { Digest } from '../core/digest.ts'
import { ErrorBody } from './error-body.ts'

const Problems = z
  .array(z.object({ subject: z.string(), errors: ErrorBody.shape.errors.unwrap().readonly() }))
  .readonly()

/** Answers `/health` to callers who are not administrators: numbers only. */
export const HealthSummaryBody = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  revisions: z.int().nonnegative(),
  problemCount: z.int().nonnegative(),
  mirror: z
    .object({ behind: z.int().nonnegative().nullable(), seconds: z.int().nonnegative() })
    .nullable(),
  /** Problems of pipelines that the caller may view; absent without credentials. */
  problems: Problems.exactOptional(),
})
export type HealthSummaryBody = z.infer<typeof HealthSummaryBody>

/** Answers `/health` to administrators. */
export const HealthBody = z.object({
  /** `degraded`: the service works, and an operator should look at the problems. */
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  revisions: z.int().nonnegative(),
  /** The digest of the current configuration. */
  current: Digest,
  /** The state of the repository on disk; null until it was inspected. */
  repository: z
    .object({
      looseObjects: z.int().nonnegative(),
      looseBytes: z.int().nonnegative(),
      packs: z.int().nonnegative(),
      packBytes: z.int().nonnegative(),
      packedAt: z.int().nullable(),
      problem: z.string().nullable(),
    })
    .nullable(),
  /** The repository that every revision is pushed to; null where there is none. */
  mirror: z
    .object({
      /** Without credentials. */
      url: z.string(),
      /** The number of missing revisions; null while unknown. */
      behind: z.int().nonnegative().nullable(),
      /** The time that it has been behind. */
      seconds: z.int().nonnegative(),
      /** Why the last attempt failed. */
      error: z.string().nullable(),
    })
    .nullable(),
  /** The size of all consoles and artifacts of jobs. */
  artifacts: z.object({
    /** Null until measured after the start. */
    bytes: z.int().nonnegative().nullable(),
    /** The limit; null when there is no quota. */
    quota: z.int().positive().nullable(),
  }),
  /** The receivers of revisions. */
  webhooks: z
    .array(
      z.object({
        name: z.string(),
        /**
         * The number of revisions not sent yet; null when the last accepted one no longer exists.
         */
        behind: z.int().nullable(),
        deliveredAt: z.int().nullable(),
        lastError: z.string().nullable(),
      }),
    )
    .readonly(),
  /** The servers that share a database; null where there is one server. */
  servers: SeenServers.nullable(),
  /** The actions that are refused for a time. */
  maintenance: ServiceMaintenance,
  problems: Problems,
})
export type HealthBody = z.infer<typeof HealthBody>

/** Answers `/health/live`: the process runs. */
export const LivenessBody = z.object({ status: z.literal('ok') })
export type LivenessBody = z.infer<typeof LivenessBody>

/** Answers `/health/ready`: whether requests should be sent to this server. */
export const ReadinessBody = z.object({
  status: z.enum(['ok', 'unavailable']),
  reasons: z.array(z.string()).readonly().meta({ example: [] }),
})
export type ReadinessBody = z.infer<typeof ReadinessBody>
