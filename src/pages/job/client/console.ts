import { find, findAll, findInput, inBackground, parsePage } from '../../frame/client/dom.ts'

/** More lines than these are not kept on the page. */
const MOST = 3_000
const PAUSE_MS = 1_000
/** A page that ends this many pixels below what can be seen is at its end. */
const NEAR = 120

/** Adds lines to a console that grows: whole lines, from where the last ones ended. */
export function followConsole(): void {
  const lines = find('[data-console]')
  if (lines) inBackground(follow(lines))
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
