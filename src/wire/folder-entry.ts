import { z } from 'zod'

/** One entry of a folder of artifacts. The `url` of a folder answers with its content. */
export const FolderEntryBody = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file'),
    name: z.string(),
    url: z.string(),
    /** Bytes. */
    size: z.int().nonnegative(),
  }),
  z.object({ type: z.literal('folder'), name: z.string(), url: z.string() }),
])
export type FolderEntryBody = z.infer<typeof FolderEntryBody>
