import { z } from 'zod'
import { SOURCE_ELEMENTS } from '../../document/schema/materials.ts'

const CommitName = z.string().regex(/^[0-9a-f]{7,64}$/, 'is not the name of a commit')
const Numbered = z.string().regex(/^\d{1,15}$/, 'is not the number of a revision')

/** The fields of every material that is checked out. */
const checkoutOf = (Revision: z.ZodString) => ({
  /** The name that the configuration gives the material, or null. */
  name: z.string().nullable(),
  /** The folder below the job's working folder, or null for that folder itself. */
  dest: z.string().nullable(),
  revision: Revision,
  /** The oldest of the changes that caused the run; the same as `revision` for one change. */
  fromRevision: Revision,
})

export const AssignedGitMaterial = z.object({
  type: z.literal('git'),
  ...checkoutOf(CommitName),
  ...SOURCE_ELEMENTS.git.sent.shape,
})
export type AssignedGitMaterial = z.infer<typeof AssignedGitMaterial>

export const AssignedSvnMaterial = z.object({
  type: z.literal('svn'),
  ...checkoutOf(Numbered),
  ...SOURCE_ELEMENTS.svn.sent.shape,
})
export type AssignedSvnMaterial = z.infer<typeof AssignedSvnMaterial>

export const AssignedHgMaterial = z.object({
  type: z.literal('hg'),
  ...checkoutOf(CommitName),
  ...SOURCE_ELEMENTS.hg.sent.shape,
})
export type AssignedHgMaterial = z.infer<typeof AssignedHgMaterial>

/** Its `url` is the P4PORT, `host:number`. */
export const AssignedP4Material = z.object({
  type: z.literal('p4'),
  ...checkoutOf(Numbered),
  ...SOURCE_ELEMENTS.p4.sent.shape,
})
export type AssignedP4Material = z.infer<typeof AssignedP4Material>

export const AssignedTfsMaterial = z.object({
  type: z.literal('tfs'),
  ...checkoutOf(Numbered),
  ...SOURCE_ELEMENTS.tfs.sent.shape,
})
export type AssignedTfsMaterial = z.infer<typeof AssignedTfsMaterial>

/** An upstream pipeline: nothing to check out, only variables of the environment. */
const AssignedDependency = z.object({
  type: z.literal('pipeline'),
  name: z.string().nullable(),
  pipelineName: z.string(),
  stageName: z.string(),
  /** `pipeline/counter/stage/counter`. */
  revision: z.string(),
  label: z.string(),
})
export type AssignedDependency = z.infer<typeof AssignedDependency>

/** A material that is checked out. */
export const AssignedSourceMaterial = z.discriminatedUnion('type', [
  AssignedGitMaterial,
  AssignedSvnMaterial,
  AssignedHgMaterial,
  AssignedP4Material,
  AssignedTfsMaterial,
])
export type AssignedSourceMaterial = z.infer<typeof AssignedSourceMaterial>

export const AssignedMaterial = z.discriminatedUnion('type', [
  ...AssignedSourceMaterial.options,
  AssignedDependency,
])
export type AssignedMaterial = z.infer<typeof AssignedMaterial>
