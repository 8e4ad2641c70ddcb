import { BUILD_KINDS } from '../builds/engine/documents.ts'
import { AGENTS } from '../agents/agent-record.ts'
import { PLAIN_SECRETS } from '../configuration/read/plain-secret-alarm.ts'
import { WEBHOOKS } from '../notify/webhooks/webhook-cursor.ts'

/** Every kind of document that the state store holds. */
export const STATE_KINDS = [...BUILD_KINDS, AGENTS, WEBHOOKS, PLAIN_SECRETS]
