/**
 * A signal that is aborted with another one, or after some time. `AbortSignal.any` does not hold
 * its sources: an `AbortSignal.timeout` without another reference is collected, and never fires.
 */
export function abortedAfter(milliseconds: number, signal: AbortSignal): AbortSignal {
  const late = new AbortController()
  const fail = () =>
    late.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'))
  setTimeout(fail, milliseconds).unref()
  return AbortSignal.any([signal, late.signal])
}
