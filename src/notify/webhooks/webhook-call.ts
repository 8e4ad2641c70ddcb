import { createHmac } from 'node:crypto'
import type { Clock } from '../../lib/clock.ts'
import { type CallWebhook, WebhookFailure } from './webhook.ts'
import { type ClientNames, renderRevision } from '../../wire/revision-entry.ts'
import { SIGNATURE_HEADER, type WebhookBody } from '../../wire/revision-events.ts'

export interface WebhookCallOptions {
  readonly clock: Clock
  readonly clientNames: ClientNames
  readonly version: string
}

/** Posts a delivery to a receiver. Only a status of 200 to 299 confirms it; redirects are not followed. */
export function webhookCall(options: WebhookCallOptions): CallWebhook {
  return async ({ name, url, secret, timeoutSeconds }, delivery, signal) => {
    const { event, revision, previous, overrides } = delivery
    const body = JSON.stringify({
      event,
      webhook: name,
      revision: {
        ...renderRevision(revision, options.clientNames),
        subject: revision.subject,
      },
      previousCommitSHA: previous,
      ...(overrides === undefined ? {} : { overrides }),
    } satisfies WebhookBody)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': `cairn/${options.version}`,
      [SIGNATURE_HEADER]: signatureOf(secret, Math.floor(options.clock() / 1_000), body),
    }
    const { status } = await post(url, { headers, body, timeout: timeoutSeconds * 1_000, signal })
    if (status < 200 || status > 299) throw new WebhookFailure(`it answered ${status}`)
  }
}

function signatureOf(secret: string, seconds: number, body: string): string {
  const code = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${code}`
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds that the answer may take. */
  readonly timeout: number
  readonly signal: AbortSignal
}

async function post(url: string, { headers, body, timeout, signal }: Post): Promise<Response> {
  const late = new AbortController()
  const giveUp = () => late.abort()
  const timer = setTimeout(giveUp, timeout)
  signal.addEventListener('abort', giveUp)
  try {
    const init = { method: 'POST', headers, body, redirect: 'manual', signal: late.signal } as const
    const response = await fetch(url, init)
    await response.body?.cancel()
    return response
  } catch (error) {
    throw new WebhookFailure(late.signal.aborted ? 'it did not answer in time' : reasonOf(error))
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

/** The system's error code, such as ECONNREFUSED, because messages may contain the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  const isCoded = cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
  return isCoded ? `it could not be reached: ${String(cause.code)}` : 'it could not be reached'
}
