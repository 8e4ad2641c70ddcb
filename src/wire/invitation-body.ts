import { z } from 'zod'
import { SAMPLE_NAMES } from '../core/sample-names.ts'
import { IsoTime, UserField } from './fields.ts'

const Id = z.string().meta({ example: SAMPLE_NAMES.token })

/** `POST /api/agent-invitations` */
export const NewInvitationBody = z.strictObject({
  resources: z.array(z.string()).optional(),
  environments: z.array(z.string()).optional(),
  /** A day from now when absent; 30 days at most. */
  expires: IsoTime.optional(),
})
export type NewInvitationBody = z.infer<typeof NewInvitationBody>

/** Answers `POST /api/agent-invitations`: the only answer that ever has the invitation. */
export const MadeInvitationBody = z.object({
  id: Id,
  invitation: z.string().meta({ example: `cairninvite_${'x'.repeat(36)}` }),
})
export type MadeInvitationBody = z.infer<typeof MadeInvitationBody>

/** An element of `GET /api/agent-invitations`. */
export const InvitationEntry = z.object({
  id: Id,
  /** The user who created it. */
  user: UserField,
  resources: z.array(z.string()).meta({ example: ['linux'] }),
  environments: z.array(z.string()).meta({ example: [] }),
  created: IsoTime,
  expires: IsoTime,
})
export type InvitationEntry = z.infer<typeof InvitationEntry>
