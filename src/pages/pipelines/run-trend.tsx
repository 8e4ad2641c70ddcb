import type { RecentRun } from '../../builds/runs/recent-runs.ts'
import { countOf } from '../kit/words/count.ts'
import { duration } from '../kit/words/duration.ts'
import { lookOf } from '../kit/status.tsx'
import { countEach } from '../../lib/grouping.ts'

const STEP = 8
const BAR = 6
const HEIGHT = 22

/** The last runs as bars, oldest first: as high as they took long; and how many of them passed. */
export function RunTrend({ recent }: { recent: readonly RecentRun[] }) {
  if (recent.length === 0) return <div class="trend" />
  const ended = recent.filter(({ isActive }) => !isActive)
  const passed = ended.filter(({ result }) => result === 'Passed').length
  const longest = Math.max(1, ...recent.map(({ took }) => took ?? 0))
  const [newest] = ended
  const usual = medianOf(ended.map(({ took }) => took ?? 0))
  return (
    <div class="trend">
      <svg
        width={recent.length * STEP}
        height={HEIGHT + 4}
        role="img"
        aria-label={`Last ${countOf(recent.length, 'run')}: ${wordsOf(recent)}`}
      >
        {recent.toReversed().map((each, n) => {
          const height = Math.max(3, Math.round(((each.took ?? longest) / longest) * HEIGHT))
          const place = { x: n * STEP, y: HEIGHT - height, width: BAR, height, rx: 1 }
          return (
            <rect class={lookOf(wordOf(each))} {...place}>
              <title>{textOf(each)}</title>
            </rect>
          )
        })}
        {recent.toReversed().map(({ result }, n) => {
          const place = { x: n * STEP, y: HEIGHT + 1, width: BAR, height: 3 }
          return result === 'Failed' && <rect class="failed" {...place} />
        })}
      </svg>
      {newest && (
        <span class="muted">
          {`${passed} of ${ended.length} passed`}
          {usual !== null && (
            <>
              {', '}
              <span class="nowrap">{`about ${duration(usual)}`}</span>
            </>
          )}
        </span>
      )}
    </div>
  )
}

function wordOf({ isActive, result }: RecentRun): string {
  return isActive ? 'in progress' : result
}

/** `Run 12: Passed, 3 min`. */
function textOf(recent: RecentRun): string {
  const { run, took } = recent
  return `Run ${run.label}: ${wordOf(recent)}${took === null ? '' : `, ${duration(took)}`}`
}

/** `8 passed, 1 failed, 1 building`. */
function wordsOf(recent: readonly RecentRun[]): string {
  const counts = countEach(recent.map(wordOf))
  return Array.from(counts, ([word, count]) => `${count} ${word.toLowerCase()}`).join(', ')
}

function medianOf(times: readonly number[]): number | null {
  return times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? null
}
