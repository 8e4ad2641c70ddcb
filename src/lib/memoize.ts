/**
 * Computes an answer for each object once. Objects must not change; the answer for an object that
 * nothing else refers to is dropped with it.
 */
export function memoize<Key extends object, Answer>(
  compute: (key: Key) => Answer,
): (key: Key) => Answer {
  const known = new WeakMap<Key, { readonly answer: Answer }>()
  return (key) => {
    const found = known.get(key)
    if (found) return found.answer
    const answer = compute(key)
    known.set(key, { answer })
    return answer
  }
}
