/** What a run was made from, itself and through the runs before it: the revisions of each origin. */
export type Origins = ReadonlyMap<string, ReadonlySet<string>>

/** A run that a pipeline could be made from. */
export interface UpstreamRun {
  /** The newer run has the greater one. */
  readonly id: number
  readonly origins: Origins
}

/** The runs of one upstream that may still be chosen. */
interface Place<Run> {
  readonly index: number
  readonly runs: readonly Run[]
}

interface Choice<Run> {
  readonly index: number
  readonly run: Run
}

/** Choices that are tried: more are met only where many pipelines share many origins crosswise. */
const MOST_TRIED = 2_000

/**
 * One run of each upstream, in their order, so that all were made from the same revisions of
 * whatever they share; null when there are none. Of several such choices the one with the newest
 * run is taken, of these the one with the newest second, and so on: a run that belongs to no
 * other ones changes nothing.
 */
export function fanIn<Run extends UpstreamRun>(
  upstreams: readonly (readonly Run[])[],
): readonly Run[] | null {
  const places = upstreams.map((runs, index) => ({ index, runs }))
  const chosen = choose(places, new Map(), { left: MOST_TRIED })
  return chosen && chosen.toSorted((one, other) => one.index - other.index).map(({ run }) => run)
}

/** The revisions that both have of each origin, or null when they share an origin but no revision of it. */
export function joinOrigins(one: Origins, other: Origins): Origins | null {
  const joined = new Map(one)
  for (const [origin, revisions] of other) {
    const known = one.get(origin)
    const common = known ? [...known].filter((revision) => revisions.has(revision)) : [...revisions]
    if (common.length === 0) return null
    joined.set(origin, new Set(common))
  }
  return joined
}

/** The others are looked at after each choice, so that what cannot end well is given up early. */
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

/** What goes with a choice and was not to be chosen before it. */
function withOlder<Run extends UpstreamRun>(
  { index, runs }: Place<Run>,
  chosen: UpstreamRun,
): Place<Run> {
  const fitting = runs.filter(
    ({ id, origins }) => id <= chosen.id && joinOrigins(chosen.origins, origins) !== null,
  )
  return { index, runs: fitting }
}
