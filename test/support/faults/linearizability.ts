/** One call and how it was answered, as its caller saw it. */
export interface Operation<Call> {
  readonly call: Call
  /** Any clock that all callers share. */
  readonly began: number
  /** Infinity when unknown: at any time since, for up to {@link MAX_LATENESS_MS}, or never. */
  readonly ended: number
}

/** One object as its callers were told that it is. */
export interface Model<State, Call> {
  readonly initial: State
  /** The state after a call; null where it could not have been answered like this. */
  apply(state: State, call: Call): State | null
  /** States with the same key are the same. */
  keyOf(state: State): string
}

/** In milliseconds: no server goes on for longer with a call that got no answer. Without that, each of them stays possible to the end. */
export const MAX_LATENESS_MS = 60_000

/** A set of operations, by their places in the order in which they began. */
interface Done {
  /** The calls before it are all in the set. */
  readonly first: number
  /** Others in the set, ascending. */
  readonly beyond: readonly number[]
}

interface Place<State> {
  readonly state: State
  readonly known: Done
  /** The calls without an answer that have happened by then. */
  readonly unknown: readonly number[]
}

/**
 * Looks for an order of all operations in which each was answered as the object says, and none
 * comes before one that had ended when it began (Wing and Gong, with a memory of what was tried).
 * Null when there is one; otherwise the first operation that fits in none.
 */
export function findContradiction<State, Call>(
  model: Model<State, Call>,
  operations: readonly Operation<Call>[],
): Operation<Call> | null {
  const inOrder = operations.toSorted((one, other) => one.began - other.began)
  const known = inOrder.filter(({ ended }) => ended !== Infinity)
  const unknown = inOrder.filter(({ ended }) => ended === Infinity)
  const tried = new Map<string, (readonly number[])[]>()
  const stack: Place<State>[] = [
    { state: model.initial, known: { first: 0, beyond: [] }, unknown: [] },
  ]
  let furthest = 0
  for (let place = stack.pop(); place !== undefined; place = stack.pop()) {
    const { first, beyond } = place.known
    if (first === known.length) return null
    const key = `${first};${beyond.join()};${model.keyOf(place.state)}`
    const before = tried.get(key) ?? []
    const now = known[first - 1]?.began ?? 0
    const used = place.unknown.filter((n) => isPossible(unknown[n], now))
    // What failed with fewer of those without an answer fails with more: the others may still happen.
    if (before.some((fewer) => fewer.every((n) => used.includes(n)))) continue
    tried.set(key, [...before.filter((more) => !used.every((n) => more.includes(n))), used])
    furthest = Math.max(furthest, first)
    stack.push(...nextOf(model, place, { known, unknown }))
  }
  return known[furthest] ?? null
}

/** The operations that may come next, the likeliest last. */
function nextOf<State, Call>(
  model: Model<State, Call>,
  place: Place<State>,
  { known, unknown }: Record<'known' | 'unknown', readonly Operation<Call>[]>,
): Place<State>[] {
  const open: number[] = []
  let earliestEnd = Infinity
  for (let n = place.known.first; n < known.length; n += 1) {
    const { began = 0, ended = 0 } = known[n] ?? {}
    if (began > earliestEnd) break
    if (place.known.beyond.includes(n)) continue
    open.push(n)
    earliestEnd = Math.min(earliestEnd, ended)
  }
  const places: Place<State>[] = []
  const seen = new Set<string>()
  const now = known[place.known.first - 1]?.began ?? 0
  for (const [n, operation] of unknown.entries()) {
    const { call, began } = operation
    if (began > earliestEnd || !isPossible(operation, now) || place.unknown.includes(n)) continue
    // Of equal calls the one that began first can be in every place where another one can.
    const same = JSON.stringify(call)
    if (seen.has(same)) continue
    seen.add(same)
    const state = model.apply(place.state, call)
    if (state === null || model.keyOf(state) === model.keyOf(place.state)) continue
    places.push({ ...place, state, unknown: withAlso(place.unknown, n) })
  }
  const byEnd = open.toSorted((one, other) => (known[other]?.ended ?? 0) - (known[one]?.ended ?? 0))
  for (const n of byEnd) {
    const operation = known[n]
    const state = operation === undefined ? null : model.apply(place.state, operation.call)
    if (state !== null) places.push({ ...place, state, known: withDone(place.known, n) })
  }
  return places
}

/** Whether one without an answer may still happen when another one has begun. */
function isPossible(operation: Operation<unknown> | undefined, now: number): boolean {
  return operation !== undefined && operation.began + MAX_LATENESS_MS >= now
}

function withDone({ first, beyond }: Done, n: number): Done {
  if (n !== first) return { first, beyond: withAlso(beyond, n) }
  let [next, rest] = [first + 1, beyond]
  while (rest[0] === next) [next, rest] = [next + 1, rest.slice(1)]
  return { first: next, beyond: rest }
}

function withAlso(numbers: readonly number[], n: number): readonly number[] {
  return [...numbers, n].toSorted((one, other) => one - other)
}
