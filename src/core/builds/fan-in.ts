/** The origins of a run, direct and through earlier runs: the revisions of each. */
export type Origins = ReadonlyMap<string, ReadonlySet<string>>

/** A run that a pipeline could be based on. */
export interface UpstreamRun {
  /** Greater for the newer run. */
  readonly id: number
  readonly origins: Origins
}

/** The candidate runs of one upstream stage. */
interface Place<Run> {
  readonly index: number
  readonly runs: readonly Run[]
}

interface Choice<Run> {
  readonly index: number
  readonly run: Run
}

/**
 * The limit of tried choices: more occur only where many pipelines share many origins crosswise.
 */
const MAX_TRIED = 2_000

/**
 * Selects one run of each upstream stage, in their order, so that all have the same revisions of
 * shared origins; null when there are none. Prefers the choice with the newest run, then the one
 * with the newest second run, and so on: a run that is consistent with no others changes nothing.
 */
export function fanIn<Run extends UpstreamRun>(
  upstreams: readonly (readonly Run[])[],
): readonly Run[] | null {
  const places = upstreams.map((runs, index) => ({ index, runs }))
  const chosen = choose(places, new Map(), { left: MAX_TRIED })
  return chosen && chosen.toSorted((one, other) => one.index - other.index).map(({ run }) => run)
}

/**
 * The revisions of each origin that both have, or null when they share an origin but none of its
 * revisions.
 */
export function joinOrigins(one: Origins, other: Origins): Origins | null {
  const joined = new Map(one)
  for (const [origin, revisions] of other) {
    const own = one.get(origin)
    const common = own ? [...own].filter((revision) => revisions.has(revision)) : [...revisions]
    if (common.length === 0) return null
    joined.set(origin, new Set(common))
  }
  return joined
}

/** Filters the others after each choice, so that dead ends are left early. */
function choose<Run extends UpstreamRun>(
  places: readonly Place<Run>[],
  agreed: Origins,
  tries: { left: number },
): readonly Choice<Run>[] | null {
  if (places.length === 0) return []
  for (const { index, run } of newestFirst(places)) {
    tries.left -= 1
    if (tries.left < 0) return null
    const joined = joinOrigins(agreed, run.origins)
    if (!joined) continue
    const others = places.filter((place) => place.index !== index)
    const open = others.map((place) => withOlder(place, { id: run.id, origins: joined }))
    if (open.some(({ runs }) => runs.length === 0)) continue
    const rest = choose(open, joined, tries)
    if (rest) return [{ index, run }, ...rest]
  }
  return null
}

function newestFirst<Run extends UpstreamRun>(places: readonly Place<Run>[]): Choice<Run>[] {
  const choices = places.flatMap(({ index, runs }) => runs.map((run) => ({ index, run })))
  return choices.toSorted((one, other) => other.run.id - one.run.id)
}

/** Adds candidates that are consistent with a choice but were excluded before it. */
function withOlder<Run extends UpstreamRun>(
  { index, runs }: Place<Run>,
  chosen: UpstreamRun,
): Place<Run> {
  const fitting = runs.filter(
    ({ id, origins }) => id <= chosen.id && joinOrigins(chosen.origins, origins) !== null,
  )
  return { index, runs: fitting }
}
