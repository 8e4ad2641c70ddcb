import { chmod, readFile } from 'node:fs/promises'
import { z } from 'zod'
import { parseJsonOr } from '../../lib/parse-json.ts'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import { inWords } from '../../core/problem.ts'
import { PROPOSAL_EVENTS, RUN_EVENTS } from '../../core/service/service-event.ts'
import { atPath, orNullWhenAbsent } from '../../storage/fs-error.ts'

const OWNER_ONLY = 0o600

/** Revisions that were taken back come with those that are added. */
const REVISION_EVENTS = ['revision', 'override'] as const
const EVENT_NAMES: readonly string[] = [
  ...REVISION_EVENTS,
  ...RUN_EVENTS,
  ...PROPOSAL_EVENTS,
  'agent.lost',
]
const EventPattern = z
  .string()
  .refine(
    (pattern) => EVENT_NAMES.some((name) => fits(pattern, name)),
    'is not an event: these are revision, override, run.*, proposal.*, agent.lost and *',
  )

/** A receiver of events. */
const WebhookSettings = z.strictObject({
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'is not a name of letters, digits, _, . and -'),
  url: z.url({ protocol: /^https?$/, error: 'is not an http or https URL' }),
  /** The key of the signatures. */
  secret: z.string().min(16, 'is shorter than 16 characters'),
  /** The timeout for the receiver's answer. */
  timeoutSeconds: z.number().min(0.1).max(60).default(10),
  /** The events that it hears of, such as `run.failed`, `run.*` or `*`; revisions and overrides when absent. */
  events: z
    .array(EventPattern)
    .min(1)
    .default([...REVISION_EVENTS]),
})
export type WebhookSettings = Readonly<z.infer<typeof WebhookSettings>>

const WebhooksFile = z.strictObject({
  webhooks: z
    .array(WebhookSettings)
    .refine((all) => new Set(all.map(({ name }) => name)).size === all.length, 'repeat a name'),
})

export function hearsOf({ events }: Pick<WebhookSettings, 'events'>, name: string): boolean {
  return events.some((pattern) => fits(pattern, name))
}

function fits(pattern: string, name: string): boolean {
  if (pattern === '*' || pattern === name) return true
  return pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1))
}

/**
 * The receivers in the operator's file; none without a file. Only the operator can name one, so
 * addresses in the private network are allowed.
 *
 * @throws {ServiceError} `unavailable`, with the fault but without any of the values.
 */
export async function readWebhooksFile(file: string): Promise<readonly WebhookSettings[]> {
  const text = await orNullWhenAbsent(atPath(file, readFile(file, 'utf8')))
  if (text === null) return []
  await chmod(file, OWNER_ONLY)
  const read = WebhooksFile.safeParse(parseJson(file, text), { error: inWords })
  if (read.success) return read.data.webhooks
  const [issue] = read.error.issues
  throw unusable(file, `${issue?.path.join('.') ?? ''} ${issue?.message ?? ''}`.trim())
}

function parseJson(file: string, text: string): unknown {
  // The parser's message quotes the text, secrets included.
  return parseJsonOr(text, () => {
    throw unusable(file, 'it is not JSON')
  })
}

function unusable(file: string, why: string): ServiceError {
  return unavailable(`The webhooks file ${file} cannot be used: ${why}`)
}
