import type { ConfigMarker } from './config-markers.ts'

/** Runs and the changes of the configuration between them, newest first. */
export type TimelineEntry<Run> =
  | { readonly type: 'run'; readonly run: Run }
  | {
      readonly type: 'changes'
      readonly markers: readonly ConfigMarker[]
      /** The number of further changes between the same runs. */
      readonly more: number
    }

/** The number of changes shown between two runs. */
const SHOWN = 3

/** A change is placed above the runs that started before it. */
export function timelineOf<Run>(
  runs: readonly Run[],
  markers: readonly ConfigMarker[],
  beganAt: (run: Run) => number,
): readonly TimelineEntry<Run>[] {
  let rest = markers
  const entries = runs.flatMap((run): TimelineEntry<Run>[] => {
    const newer = rest.filter(({ revision }) => revision.time > beganAt(run))
    rest = rest.slice(newer.length)
    return [...changesEntry<Run>(newer), { type: 'run', run }]
  })
  return [...entries, ...changesEntry<Run>(rest)]
}

function changesEntry<Run>(markers: readonly ConfigMarker[]): TimelineEntry<Run>[] {
  if (markers.length === 0) return []
  const shown = markers.slice(0, SHOWN)
  return [{ type: 'changes', markers: shown, more: markers.length - shown.length }]
}
