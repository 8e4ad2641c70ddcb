import { ServiceError } from '../core/errors.ts'
import { type AnswerFailure, failureOf } from './failure.ts'
import type { RequestContext } from './request-context.ts'

/** The interval of checking the credentials of calls in flight. */
const CHECK_INTERVAL_MS = 250

/** Errors that refuse a credential. Any other error says nothing about it. */
const REFUSALS: readonly string[] = ['not-authorized', 'not-permitted', 'token-refused']

type AnswerRequest = (request: Request, context: RequestContext) => Response | Promise<Response>

interface HeldCall {
  readonly request: Request
  readonly context: RequestContext
  /** Gives the answer of a call that has none yet; null once there is one. */
  answer: ((response: Response | Promise<Response>) => void) | null
  /** Whether its answer was on its way at the last check: one that revokes its own credential arrives. */
  isSending: boolean
}

/**
 * The calls in flight, none of which outlives its credential: one that waits is refused, and an
 * answer that is being sent is cut off. That covers whatever a credential holds open, such as event
 * streams, downloads, uploads and exchanges with git.
 */
export class HeldCalls {
  readonly #answerFailure: AnswerFailure
  readonly #calls = new Set<HeldCall>()
  /** The calls that were answered in this turn of the event loop. */
  #answered: HeldCall[] = []
  #timer: NodeJS.Timeout | null = null

  constructor(answerFailure: AnswerFailure) {
    this.#answerFailure = answerFailure
  }

  /** Answers requests, each while its credential is good. */
  around(answer: AnswerRequest): AnswerRequest {
    return (request, context) => {
      const answered = answer(request, context)
      const call: HeldCall = { request, context, answer: null, isSending: false }
      if (answered instanceof Promise) {
        this.#hold(call)
        return this.#unlessRefused(call, answered)
      }
      this.#holdUnsent(call)
      return answered
    }
  }

  #hold(call: HeldCall): void {
    this.#calls.add(call)
    this.#timer ??= setInterval(() => this.#check(), CHECK_INTERVAL_MS).unref()
  }

  /**
   * Holds an answered call only where a part of its answer is left to be sent after this turn, and until that is sent:
   * thousands of finished calls a second, held until the next check, would double the cost of each.
   */
  #holdUnsent(call: HeldCall): void {
    if (this.#answered.push(call) > 1) return
    setImmediate(() => {
      const answered = this.#answered
      this.#answered = []
      for (const each of answered) {
        const release = () => this.#calls.delete(each)
        if (each.context.isSent) {
          release()
        } else {
          this.#hold(each)
          each.context.onceSent(release)
        }
      }
    })
  }

  #check(): void {
    for (const call of this.#calls) {
      const isWaiting = call.answer !== null
      const isInDoubt = isWaiting ? !call.context.isDecided : call.isSending
      if (isInDoubt) this.#checkOne(call).catch(() => undefined)
      call.isSending = !isWaiting
    }
    if (this.#calls.size > 0 || this.#timer === null) return
    clearInterval(this.#timer)
    this.#timer = null
  }

  async #checkOne(call: HeldCall): Promise<void> {
    try {
      await call.context.credential?.assertGood('recently')
    } catch (error) {
      if (error instanceof ServiceError && REFUSALS.includes(error.code)) this.#end(call, error)
    }
  }

  #unlessRefused(call: HeldCall, answered: Promise<Response>): Promise<Response> {
    return new Promise((resolve, reject) => {
      call.answer = resolve
      answered.then(
        (response) => {
          if (call.answer === null) response.body?.cancel().catch(() => undefined)
          else this.#holdUnsent(call)
          call.answer = null
          resolve(response)
        },
        (error: unknown) => {
          call.answer = null
          reject(error)
        },
      )
    })
  }

  /** Ends a call. Its handler learns of it by the signal; its own answer comes too late. */
  #end(call: HeldCall, refusal: ServiceError): void {
    const { request, context } = call
    if (!this.#calls.delete(call)) return
    if (call.answer === null) context.cutOff()
    else {
      context.reason = refusal.code
      call.answer(this.#answerFailure(request, failureOf(refusal), context))
      call.answer = null
    }
    context.end()
  }
}
