import { z } from 'zod'
import { CommitSha } from '../core/revision.ts'
import { Digest } from '../core/digest.ts'
import { ErrorBody } from './error-body.ts'

/** Answers an action without further results. */
export const MessageBody = z.object({ message: z.string() })
export type MessageBody = z.infer<typeof MessageBody>

/** The new name of an invalid file on disk that a save replaced. */
const SetAside = z.object({ setAside: z.string().exactOptional() })

export const SavedBody = MessageBody.extend(SetAside.shape)
export type SavedBody = z.infer<typeof SavedBody>

/** Answers a save; `setAside` names the copy of an invalid file that it replaced, or is null. */
export function savedBody(message: string, setAside: string | null): SavedBody {
  if (setAside === null) return { message }
  const kept = `the file on disk was not valid, and is kept as ${setAside}`
  return { message: `${message}; ${kept}`, setAside }
}

/** Answers the form that saves the configuration, in the format of the original server. */
export const SavedFormBody = z.object({ result: z.string() }).extend(SetAside.shape)
export type SavedFormBody = z.infer<typeof SavedFormBody>

/** Answers a refused form: the reason, and the caller's own text. */
export const RefusedFormBody = ErrorBody.extend({
  result: z.string(),
  originalContent: z.string(),
})
export type RefusedFormBody = z.infer<typeof RefusedFormBody>

/** Answers `POST /api/config/revisions/[commit]/restore`. */
export const RestoredBody = SavedBody.extend({
  /** The new current digest. */
  md5: Digest,
  commitSHA: CommitSha,
})
export type RestoredBody = z.infer<typeof RestoredBody>

/** Answers the form that creates a pipeline. */
export const PipelineCreatedBody = z.object({
  isValid: z.literal('true'),
  error: z.literal(''),
  messageId: z.string(),
  ...SetAside.shape,
})
export type PipelineCreatedBody = z.infer<typeof PipelineCreatedBody>

/** Answers a refused creation of a pipeline. */
export const PipelineRefusedBody = ErrorBody.extend({
  isValid: z.literal('false'),
  error: z.string(),
})
export type PipelineRefusedBody = z.infer<typeof PipelineRefusedBody>
