import { followConsole } from '../job/client/console.ts'
import { askFor } from '../kit/client/ask.ts'
import { showChosenRows, watchChosenRows } from '../kit/client/chosen-rows.ts'
import { find, runDetached, parsePage } from '../kit/client/dom.ts'
import { livePart, replaceParts, showStale, watchPointer } from '../kit/client/page-parts.ts'
import { keepTimes, updateTimes } from '../kit/client/running-times.ts'

// Keeps pages with changing data up to date. Every page works without this script.
watchPointer()
keepTimes()
watchChosenRows()
followConsole()
const live = livePart()
if (live) {
  updateTimes()
  document.addEventListener('visibilitychange', () => runDetached(look(live)))
  runDetached(keepLooking(live))
}

/** The interval between two updates in milliseconds; 0 when nothing on the page will change. */
function intervalOf({ dataset }: HTMLElement): number {
  return Number(dataset['live'])
}

async function keepLooking(part: HTMLElement): Promise<void> {
  while (intervalOf(part) > 0) {
    await new Promise((done) => setTimeout(done, intervalOf(part)))
    await look(part)
  }
}

async function look(part: HTMLElement): Promise<void> {
  if (document.hidden || intervalOf(part) === 0) return
  const answer = await askFor(part.dataset['at'] ?? location.href)
  // Of several servers, another one answers soon.
  const isAway = answer === null || answer.status >= 500
  if (isAway) return showStale('The server is not responding. This page might be out of date.')
  if (!answer.ok) return showStale('This no longer exists. This page is out of date.')
  showStale('')
  const page = parsePage(answer.text)
  if (!replaceParts(page)) {
    location.replace(part.dataset['at'] ?? location.pathname + location.search)
    return
  }
  part.dataset['live'] = find('[data-live]', page)?.dataset['live'] ?? '0'
  updateTimes()
  showChosenRows()
}
