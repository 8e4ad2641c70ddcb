import { find, findAll, findInput, runDetached, parsePage } from '../../frame/client/dom.ts'

/** The limit of lines on the page; older ones are removed. */
const MOST = 3_000
const PAUSE_MS = 1_000
/** A page within this distance of its end, in pixels, counts as scrolled to the end. */
const NEAR = 120

/** Appends new lines to a growing console: whole lines, from the end of the last ones. */
export function followConsole(): void {
  const lines = find('[data-console]')
  if (lines) runDetached(follow(lines))
}

async function follow(lines: HTMLElement): Promise<void> {
  for (let hasEnded = false; !hasEnded;) {
    hasEnded = await appendLines(lines)
    await new Promise((done) => setTimeout(done, PAUSE_MS))
  }
}

async function appendLines(lines: HTMLElement): Promise<boolean> {
  const { console: address, next: from } = lines.dataset
  const answer = await fetch(`${address}?startLineNumber=${from}`).catch(() => null)
  if (!answer?.ok) return false
  const next = answer.headers.get('x-next-line')
  if (next === from || next === null) return answer.headers.get('x-ended') === 'true'
  const isAtEnd = innerHeight + scrollY >= document.body.scrollHeight - NEAR
  const page = parsePage(await answer.text())
  lines.append(...findAll('li', page).map((line) => document.adoptNode(line)))
  while (lines.children.length > MOST) lines.firstElementChild?.remove()
  lines.dataset['next'] = next
  const isFollowed = findInput('.follow')?.checked === true
  if (isAtEnd && isFollowed) scrollTo({ top: document.body.scrollHeight })
  return false
}
