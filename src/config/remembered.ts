/**
 * A function of things that never change, which works out each answer once. What nobody else holds
 * any longer is forgotten.
 */
export function remembered<Thing extends object, Answer>(
  work: (thing: Thing) => Answer,
): (thing: Thing) => Answer {
  const known = new WeakMap<Thing, { readonly answer: Answer }>()
  return (thing) => {
    const found = known.get(thing)
    if (found) return found.answer
    const answer = work(thing)
    known.set(thing, { answer })
    return answer
  }
}
