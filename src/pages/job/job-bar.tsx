import type { JobInstance } from '../../builds/runs/stages.ts'
import { type JobPhase, type JobSegment, segmentsOf, timesOf } from './job-timeline.ts'
import { duration } from '../kit/words/duration.ts'

/** The time scale that all bars of a page share. */
export interface BarScale {
  readonly from: number
  readonly to: number
}

const WORDS: Record<JobPhase, string> = {
  waiting: 'waited',
  preparing: 'prepared',
  building: 'built',
}

export function scaleOf(jobs: readonly JobInstance[], now: number): BarScale {
  const segments = jobs.flatMap(({ transitions }) => segmentsOf(transitions, now))
  const from = Math.min(...segments.map((segment) => segment.from))
  const to = Math.max(...segments.map((segment) => segment.to))
  return segments.length === 0 ? { from: now, to: now + 1 } : { from, to: Math.max(to, from + 1) }
}

/** The phases of a job, as a bar and as text. */
export function JobBar({ job, scale, now }: { job: JobInstance; scale: BarScale; now: number }) {
  const segments = segmentsOf(job.transitions, now)
  const result = job.result === 'Unknown' ? 'building' : job.result.toLowerCase()
  return (
    <svg
      class="job-bar"
      viewBox="0 0 1000 16"
      preserveAspectRatio="none"
      role="img"
      aria-label={phaseText(segments)}
    >
      <rect class="ground" x="0" y="0" width="1000" height="16" />
      {segments.map(({ phase, from, to }) => {
        const x = place(from, scale)
        const width = Math.max(2, place(to, scale) - x)
        const kind = phase === 'building' ? result : phase
        return <rect class={kind} x={x} y="0" width={width} height="16" />
      })}
    </svg>
  )
}

/** `waited 3 s, prepared 2 s, built 10 min`. */
export function phaseText(segments: readonly JobSegment[]): string {
  const times = timesOf(segments)
  const phases = segments.map(({ phase }) => phase)
  return [...new Set(phases)].map((phase) => `${WORDS[phase]} ${duration(times[phase])}`).join(', ')
}

/** The duration of a job from the moment that it was scheduled. */
export function wholeTime(job: JobInstance, now: number): number {
  const segments = segmentsOf(job.transitions, now)
  return (segments.at(-1)?.to ?? now) - (segments[0]?.from ?? now)
}

function place(time: number, { from, to }: BarScale): number {
  return Math.round(((time - from) / (to - from)) * 1000)
}
