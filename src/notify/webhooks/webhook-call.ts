import { createHmac } from 'node:crypto'
import { describeConnectionCode } from '../../core/faults.ts'
import type { Clock } from '../../lib/clock.ts'
import { SIGNATURE_HEADER, STANDARD_HEADERS } from '../../wire/revision-events.ts'
import type { WebhookMessage } from './webhook-message.ts'
import type { WebhookSettings } from './webhook-settings.ts'

export interface WebhookCallOptions {
  readonly clock: Clock
  readonly version: string
}

export interface WebhookAnswer {
  /** Null when there was none. */
  readonly status: number | null
  /** The beginning of its text. */
  readonly text: string
  /** Why it is no confirmation, without address and secret; null for one. */
  readonly problem: string | null
}

/** Posts a message to a receiver. */
export type CallWebhook = (
  settings: WebhookSettings,
  message: WebhookMessage,
  signal: AbortSignal,
) => Promise<WebhookAnswer>

const MAX_ANSWER_LENGTH = 500
/** Marks a secret that is base64, as in Standard Webhooks. */
const BASE64_SECRET = 'whsec_'

/** Posts a message to a receiver. Only a status of 200 to 299 confirms it; redirects are not followed. */
export function webhookCall({ clock, version }: WebhookCallOptions): CallWebhook {
  return ({ url, secret, timeoutSeconds }, { id, body }, signal) => {
    const seconds = Math.floor(clock() / 1_000)
    const headers = {
      'content-type': 'application/json; charset=utf-8',
      'user-agent': `cairn/${version}`,
      [SIGNATURE_HEADER]: signatureOf(secret, seconds, body),
      [STANDARD_HEADERS.id]: id,
      [STANDARD_HEADERS.timestamp]: `${seconds}`,
      [STANDARD_HEADERS.signature]: standardSignature(secret, `${id}.${seconds}.${body}`),
    }
    return post(url, { headers, body, timeout: timeoutSeconds * 1_000, signal })
  }
}

function signatureOf(secret: string, seconds: number, body: string): string {
  const code = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return `t=${seconds},v1=${code}`
}

function standardSignature(secret: string, text: string): string {
  const isBase64 = secret.startsWith(BASE64_SECRET)
  const key = isBase64 ? Buffer.from(secret.slice(BASE64_SECRET.length), 'base64') : secret
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`
}

interface Post {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** Milliseconds that the answer may take. */
  readonly timeout: number
  readonly signal: AbortSignal
}

async function post(url: string, { headers, body, timeout, signal }: Post): Promise<WebhookAnswer> {
  const late = new AbortController()
  const giveUp = () => late.abort()
  const timer = setTimeout(giveUp, timeout)
  signal.addEventListener('abort', giveUp)
  try {
    const init = { method: 'POST', headers, body, redirect: 'manual', signal: late.signal } as const
    const response = await fetch(url, init)
    const { status } = response
    const text = await beginningOf(response).catch(() => '')
    const isConfirmed = status >= 200 && status <= 299
    return { status, text, problem: isConfirmed ? null : `it answered ${status}` }
  } catch (error) {
    const problem = late.signal.aborted ? 'it did not answer in time' : reasonOf(error)
    return { status: null, text: '', problem }
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', giveUp)
  }
}

async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  if (reader === undefined) return ''
  const { value } = await reader.read()
  await reader.cancel()
  const text = Buffer.from(value ?? new Uint8Array()).toString('utf8')
  return text.slice(0, MAX_ANSWER_LENGTH).toWellFormed().replaceAll('\0', '')
}

/** The meaning of the system's code alone, because messages may contain the address. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? error.cause : null
  const isCoded = cause instanceof Error && 'code' in cause && typeof cause.code === 'string'
  const why = isCoded ? `: ${describeConnectionCode(String(cause.code))}` : ''
  return `it could not be reached${why}`
}
