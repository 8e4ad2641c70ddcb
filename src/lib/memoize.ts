/**
 * Computes a result once for each object. Objects must not change; results are garbage collected
 * with their objects.
 */
export function memoize<Key extends object, Answer>(
  compute: (key: Key) => Answer,
): (key: Key) => Answer {
  const results = new WeakMap<Key, { readonly answer: Answer }>()
  return (key) => {
    const found = results.get(key)
    if (found) return found.answer
    const answer = compute(key)
    results.set(key, { answer })
    return answer
  }
}
