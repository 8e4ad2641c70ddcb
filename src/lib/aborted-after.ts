/**
 * A signal that is aborted with another one, or after some time. `AbortSignal.any` does not hold what
 * it is made of: an `AbortSignal.timeout` that nobody else has is collected, and never comes.
 */
export function abortedAfter(milliseconds: number, signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const fail = () =>
    late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  setTimeout(fail, milliseconds).unref()
  return AbortSignal.any([signal, late.signal])
}
