import { z } from 'zod'

/** The news about a pipeline that a user can ask for. */
export const PIPELINE_NEWS = ['breaks', 'fixed', 'fails', 'passes', 'cancelled', 'changed'] as const
export type PipelineNews = (typeof PIPELINE_NEWS)[number]

/** The news that a user wants by mail. */
export const MailWishes = z.object({
  address: z.string(),
  /** About each pipeline that is meant. */
  news: z.array(z.enum(PIPELINE_NEWS)).readonly(),
  /** Whether the user's own pipelines are meant. */
  own: z.boolean(),
  /** Further pipelines, or stages of them: `NAME` or `NAME/STAGE`. */
  pipelines: z.array(z.string()).readonly(),
  /** Entities whose changes are told, such as `group/services`. */
  entities: z.array(z.string()).readonly(),
  /** Whether proposals are told that wait for the user's approval. */
  proposals: z.boolean(),
})
export type MailWishes = Readonly<z.infer<typeof MailWishes>>

/** The choices of a user who has made none. */
export const USUAL_WISHES: MailWishes = {
  address: '',
  news: ['breaks', 'fixed'],
  own: true,
  pipelines: [],
  entities: [],
  proposals: true,
}
