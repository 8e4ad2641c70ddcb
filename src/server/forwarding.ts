import type { Cluster } from '../cluster/cluster.ts'
import { ServiceError } from '../core/errors.ts'
import { clientGone } from '../http/errors.ts'
import { MIN_SEQUENCE } from '../http/at-least.ts'
import { forward, FORWARDED, NoAnswer } from '../http/forward.ts'
import { type AnswerRequest, type RequestContext, SEQUENCE } from '../http/request-context.ts'
import type { Log } from '../lib/log.ts'

interface Forwarding {
  /** Null where there is one server. */
  readonly cluster: Pick<Cluster, 'leader' | 'sequence' | 'waitFor'> | null
  readonly log: Log
}

/** Seconds after which a caller may ask again. */
const AGAIN = 1

const NOBODY_HAS_THEM = 'No server runs builds at the moment: another one takes over within seconds'
/** Milliseconds for which somebody who is sent on is kept waiting. */
const CATCH_UP_TIMEOUT_MS = 5_000
/** Leaders that did not answer: each is logged once. */
const silent = new WeakSet<AbortSignal>()

const UNREACHABLE = 'The server that runs builds does not answer'
const UNKNOWN = `${UNREACHABLE}: whether this was done is known when it does`
const SAFE: readonly string[] = ['GET', 'HEAD']

export function answerByLeader(forwarding: Forwarding): AnswerRequest {
  return async (request, context) => {
    const answered = await answerElsewhere(forwarding, request, context)
    context.isAnsweredElsewhere = true
    if (answered.headers.has('location')) await catchUp(forwarding, answered)
    return answered
  }
}

/** The leader is at least as far in the log as this server when it answers. */
async function answerElsewhere(
  { cluster, log }: Forwarding,
  request: Request,
  context: RequestContext,
): Promise<Response> {
  // The server that answers counts the call and notes it in its audit log.
  context.route = null
  const leader = cluster?.leader() ?? null
  if (cluster === null || leader === null || request.headers.has(FORWARDED)) {
    throw notNow(NOBODY_HAS_THEM)
  }
  const wanted = Number(request.headers.get(MIN_SEQUENCE) ?? 0)
  const headers = { [MIN_SEQUENCE]: String(Math.max(wanted, cluster.sequence())) }
  try {
    // No call has a limit of its own: some wait there as long as they like.
    const gone = AbortSignal.any([leader.gone, leader.silence])
    return await forward(request, context, { address: leader.address, gone, headers })
  } catch (error) {
    if (request.signal.aborted) throw clientGone()
    if (!silent.has(leader.gone)) {
      silent.add(leader.gone)
      const facts = { address: leader.address, error: String(error) }
      log({ level: 'warning', message: 'The leader does not answer', facts })
    }
    const wasReached = error instanceof NoAnswer && error.wasReached
    throw notNow(wasReached && !SAFE.includes(request.method) ? UNKNOWN : UNREACHABLE)
  }
}

/** After a redirect the browser asks this server, which may not have applied the save yet. */
async function catchUp({ cluster }: Forwarding, { headers }: Response): Promise<void> {
  await cluster?.waitFor(Number(headers.get(SEQUENCE) ?? 0), CATCH_UP_TIMEOUT_MS)
}

function notNow(message: string): ServiceError {
  return new ServiceError('unavailable', message, { reason: message, retryAfter: AGAIN })
}
