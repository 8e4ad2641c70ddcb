/**
 * Computes a result once for each object. Objects must not change. The result is a hidden property of
 * its object: every collection of garbage looks at each entry of a WeakMap, and a large document has
 * hundreds of thousands.
 */
export function memoize<Key extends object, Answer>(
  compute: (key: Key) => Answer,
): (key: Key) => Answer {
  const result = Symbol('result')
  return (key) => {
    if (Object.hasOwn(key, result)) return Reflect.get<object, symbol>(key, result)
    const answer = compute(key)
    Reflect.defineProperty(key, result, { value: answer })
    return answer
  }
}
