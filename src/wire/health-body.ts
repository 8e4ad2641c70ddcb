import { z } from 'zod'
import { Digest } from '../core/digest.ts'
import { ErrorBody } from './error-body.ts'

/** Answers `/health` to callers who are not administrators: numbers alone. */
export const HealthSummaryBody = z.object({
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  revisions: z.int().nonnegative(),
  problemCount: z.int().nonnegative(),
  mirror: z
    .object({ behind: z.int().nonnegative().nullable(), seconds: z.int().nonnegative() })
    .nullable(),
  /** Those that concern pipelines which the caller may view; absent without credentials. */
  problems: z
    .array(z.object({ subject: z.string(), errors: ErrorBody.shape.errors.unwrap().readonly() }))
    .readonly()
    .exactOptional(),
})
export type HealthSummaryBody = z.infer<typeof HealthSummaryBody>

/** Answers `/health` to administrators. */
export const HealthBody = z.object({
  /** `degraded`: the service answers, and an operator should look at the problems. */
  status: z.enum(['ok', 'degraded']),
  version: z.string(),
  revisions: z.int().nonnegative(),
  /** The digest of the current configuration. */
  current: Digest,
  /** How the repository lies on disk; null until it was looked at. */
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
      /** Revisions that it does not have; null while that is not known. */
      behind: z.int().nonnegative().nullable(),
      /** For how long it has lacked some. */
      seconds: z.int().nonnegative(),
      /** Why the last attempt failed. */
      error: z.string().nullable(),
    })
    .nullable(),
  /** What consoles and artifacts of jobs take together. */
  artifacts: z.object({
    /** Null until they were measured after the start. */
    bytes: z.int().nonnegative().nullable(),
    /** What they may take; null where there is no quota. */
    quota: z.int().positive().nullable(),
  }),
  /** The receivers that are told of revisions. */
  webhooks: z
    .array(
      z.object({
        name: z.string(),
        /** Revisions that it was not told yet; null when the last that it took is gone. */
        behind: z.int().nullable(),
        deliveredAt: z.int().nullable(),
        lastError: z.string().nullable(),
      }),
    )
    .readonly(),
  problems: z
    .array(z.object({ subject: z.string(), errors: ErrorBody.shape.errors.unwrap().readonly() }))
    .readonly(),
})
export type HealthBody = z.infer<typeof HealthBody>

/** Answers `/health/live`: the process runs. */
export const LivenessBody = z.object({ status: z.literal('ok') })
export type LivenessBody = z.infer<typeof LivenessBody>

/** Answers `/health/ready`: whether requests should be sent here. */
export const ReadinessBody = z.object({
  status: z.enum(['ok', 'unavailable']),
  reasons: z.array(z.string()).readonly(),
})
export type ReadinessBody = z.infer<typeof ReadinessBody>
