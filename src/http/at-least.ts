import { ServiceError } from '../core/errors.ts'
import { parseWholeNumber } from './parameters.ts'
import { type AnswerFailure, failure, failureOf } from './failure.ts'
import type { RequestContext } from './request-context.ts'

/** The header with the entry of the log that a request needs. */
export const MIN_SEQUENCE = 'x-cairn-at-least'

/** Milliseconds for which a request waits. */
const WAIT_TIMEOUT_MS = 5_000

/** The position of this server in the log that several servers share. */
export interface Sequence {
  sequence(): number
  /** False when this server has not come so far within the time, in milliseconds. */
  waitFor(sequence: number, within: number): Promise<boolean>
}

interface AtLeastOptions {
  readonly log: Sequence
  readonly answerFailure: AnswerFailure
  readonly answer: (request: Request, context: RequestContext) => Response | Promise<Response>
}

/** Makes a request wait until this server has reached the requested entry. */
export function atLeast({ log, answerFailure, answer }: AtLeastOptions) {
  return async (request: Request, context: RequestContext): Promise<Response> => {
    const wanted = request.headers.get(MIN_SEQUENCE)
    if (wanted === null) return answer(request, context)
    const sequence = sequenceOf(wanted)
    if (sequence instanceof ServiceError) {
      context.reason = sequence.code
      return answerFailure(request, failureOf(sequence), context)
    }
    if (await log.waitFor(sequence, WAIT_TIMEOUT_MS)) return answer(request, context)
    context.reason = 'behind'
    const message = `This server is at entry ${log.sequence()} of the log, and not at ${sequence} yet`
    return answerFailure(request, failure(503, message, { 'retry-after': '1' }), context)
  }
}

function sequenceOf(text: string): number | ServiceError {
  try {
    return parseWholeNumber(text, 'X-Cairn-At-Least')
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}
