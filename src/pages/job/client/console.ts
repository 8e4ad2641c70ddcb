import {
  elementOf,
  find,
  findAll,
  findInput,
  runDetached,
  parsePage,
} from '../../kit/client/dom.ts'
import { askFor } from '../../kit/client/ask.ts'

/** The limit of lines on the page; older ones are removed. */
const MAX_LINES = 3_000
const PAUSE_MS = 1_000
/** A page within this distance of its end, in pixels, counts as scrolled to the end. */
const NEAR = 120

/**
 * Appends new lines to a growing console: whole lines, from the end of the last ones. A page that
 * follows the end stays there until somebody scrolls up; that of a failed job begins at the failure.
 */
export function followConsole(): void {
  const lines = find('[data-console]')
  if (!lines) return
  if (location.hash === '' && lines.dataset['result'] === 'Failed') showFailure(lines)
  watchFollowing()
  if (lines.dataset['result'] === 'Unknown' && lines.children.length > 0) followEnd()
  runDetached(follow(lines))
}

function showFailure(lines: HTMLElement): void {
  const place = find('#failure', lines) ?? lines.lastElementChild
  place?.scrollIntoView({ block: 'center' })
}

/** Ticking the box goes to the end at once; scrolling up unticks it. */
function watchFollowing(): void {
  document.addEventListener('change', (event) => {
    if (elementOf(event)?.matches('.follow')) followEnd()
  })
  let last = scrollY
  document.addEventListener('scroll', () => {
    const box = findInput('.follow')
    const isAway = scrollY < last && innerHeight + scrollY < document.body.scrollHeight - NEAR
    if (box && isAway) box.checked = false
    last = scrollY
  })
}

function followEnd(): void {
  if (findInput('.follow')?.checked === true) scrollTo({ top: document.body.scrollHeight })
}

async function follow(lines: HTMLElement): Promise<void> {
  for (let hasEnded = false; !hasEnded;) {
    hasEnded = await appendLines(lines)
    await new Promise((done) => setTimeout(done, PAUSE_MS))
  }
}

async function appendLines(lines: HTMLElement): Promise<boolean> {
  const { console: address, next: from } = lines.dataset
  const answer = await askFor(`${address}?startLineNumber=${from}`)
  if (!answer?.ok) return false
  const next = answer.headers.get('x-next-line')
  if (next === from || next === null) return answer.headers.get('x-ended') === 'true'
  const page = parsePage(answer.text)
  lines.append(...findAll('li', page).map((line) => document.adoptNode(line)))
  while (lines.children.length > MAX_LINES) lines.firstElementChild?.remove()
  lines.dataset['next'] = next
  followEnd()
  return false
}
