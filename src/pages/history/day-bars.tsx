import type { DayBar } from './selected-revisions.ts'
import { type HistoryPage, type HistoryQuery, ROWS } from './history-page.ts'
import { countOf } from '../kit/words/count.ts'
import type { Links } from '../kit/links.ts'
import { shortDay } from '../kit/when.tsx'
import { historyQueryOf } from './history-query.ts'

/** The height of the highest bar, in pixels. */
const HEIGHT = 28
const MAX_LABELS = 7

/** A bar for each day, which links to that day in the list. They are one tab stop, with arrow keys among them. */
export function DayBars(props: { links: Links; page: HistoryPage; query: HistoryQuery }) {
  const { bars } = props.page
  if (bars.length < 2) return <></>
  const most = Math.max(...bars.map(({ count }) => count))
  const last = bars.findLast(({ newest }) => newest !== null)
  const every = Math.ceil(bars.length / MAX_LABELS)
  return (
    <nav class="days" aria-label="Days">
      <span class="bar-label" title="The highest bar">
        {countOf(most, 'revision')}
      </span>
      <ol class="bars">
        {bars.map((bar, n) => (
          <li data-from={bar.from} data-to={bar.to}>
            <Bar bar={bar} most={most} isFirst={bar === last} {...props} />
            {n % every === 0 && <span class="bar-label">{labelOf(bar, bars)}</span>}
          </li>
        ))}
      </ol>
    </nav>
  )
}

function Bar(props: {
  links: Links
  query: HistoryQuery
  bar: DayBar
  most: number
  isFirst: boolean
}) {
  const { links, query, bar, most, isFirst } = props
  const { count, newest, newer } = bar
  if (newest === null) return <></>
  const page = Math.floor(newer / ROWS) * ROWS
  const height = Math.max(3, Math.round((HEIGHT * count) / most))
  const title = `${daysOf(bar)} (UTC): ${countOf(count, 'revision')}`
  return (
    <a
      tabindex={isFirst ? 0 : -1}
      draggable="false"
      title={title}
      href={`${links.history(historyQueryOf(query.filter, page, query.chosen))}#d${newest}`}
    >
      <Column height={height} />
      <span class="visually-hidden">{title}</span>
    </a>
  )
}

function Column({ height }: { height: number }) {
  return (
    <svg viewBox={`0 0 1 ${HEIGHT}`} height={HEIGHT} preserveAspectRatio="none" aria-hidden="true">
      <rect y={HEIGHT - height} width="1" height={height} />
    </svg>
  )
}

function daysOf({ from, to }: DayBar): string {
  return from === to ? from : `${from} to ${to}`
}

/** A history of more than a year needs the year in its labels. */
function labelOf({ from }: DayBar, bars: readonly DayBar[]): string {
  const isLong = bars[0]?.from.slice(0, 4) !== bars.at(-1)?.to.slice(0, 4)
  return isLong ? `${shortDay(from).slice(3)} ${from.slice(0, 4)}` : shortDay(from)
}
