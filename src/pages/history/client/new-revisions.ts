import { find, findInput, runDetached, parsePage } from '../../kit/client/dom.ts'
import { focusedIn, refocus } from '../../kit/client/same-control.ts'
import { picked, showChosen, SIDES } from './chosen.ts'
import { currentRow } from './rows.ts'

interface NewestRevision {
  readonly commitSHA: string
  readonly username: string
}

const POLL_INTERVAL_MS = 5_000
const PARTS = ['#history tbody', '.page-head > div', '.bars']

/** Shows revisions that are saved while the history is open. */
export function showNewRevisions(): void {
  const live = find('#live')
  const { follow, newest } = live?.dataset ?? {}
  if (!live || follow === undefined) return
  let known = newest
  const look = async () => {
    if (document.hidden) return
    const revision = await readNewest(follow)
    if (!revision) return
    const isNew = revision.commitSHA !== known
    if (!isNew && !find('[data-pending]')) return
    known = revision.commitSHA
    if ((await refresh()) && isNew)
      live.textContent = `A new revision by ${revision.username} has arrived.`
  }
  setInterval(() => runDetached(look()), Number(live.dataset['every']) || POLL_INTERVAL_MS)
}

async function readNewest(address: string): Promise<NewestRevision | undefined> {
  const answer = await fetch(address).catch(() => null)
  if (!answer?.ok) return undefined
  const [revision]: NewestRevision[] = await answer.json()
  return revision
}

/** Replaces the changed parts; the choice and the focus stay. */
async function refresh(): Promise<boolean> {
  const answer = await fetch(location.href).catch(() => null)
  if (!answer?.ok) return false
  const page = parsePage(await answer.text())
  const chosen = SIDES.map((side) => ({ side, value: picked(side)?.value }))
  const row = currentRow()?.id
  for (const part of PARTS) {
    const [old, fresh] = [find(part), find(part, page)]
    if (!old || !fresh) continue
    const focused = focusedIn(old)
    old.replaceWith(document.adoptNode(fresh))
    if (focused !== null) refocus(fresh, focused)
  }
  for (const { side, value } of chosen) {
    const input = value && findInput(`input[name=${side}][value=${value}]`)
    if (input) input.checked = true
  }
  if (row) document.getElementById(row)?.setAttribute('aria-current', 'true')
  showChosen()
  return true
}
