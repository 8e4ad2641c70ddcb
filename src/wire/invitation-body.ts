import { z } from 'zod'
import { IsoTime } from './token-body.ts'

/** `POST /api/agent-invitations` */
export const NewInvitationBody = z.strictObject({
  resources: z.array(z.string()).optional(),
  environments: z.array(z.string()).optional(),
  /** A day from now when absent; 30 days at most. */
  expires: IsoTime.optional(),
})
export type NewInvitationBody = z.infer<typeof NewInvitationBody>

/** Answers `POST /api/agent-invitations`: the only answer that ever has the invitation. */
export const MadeInvitationBody = z.object({ id: z.string(), invitation: z.string() })
export type MadeInvitationBody = z.infer<typeof MadeInvitationBody>

/** An element of `GET /api/agent-invitations`. */
export const InvitationEntry = z.object({
  id: z.string(),
  /** The user who created it. */
  user: z.string(),
  resources: z.array(z.string()),
  environments: z.array(z.string()),
  created: IsoTime,
  expires: IsoTime,
})
export type InvitationEntry = z.infer<typeof InvitationEntry>
