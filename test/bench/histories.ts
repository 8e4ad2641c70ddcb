import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeHistory, writeChanges } from './make-history.ts'

/** Histories outlive the case that made them; the folder goes with the process. */
const HISTORIES = mkdtempSync(join(tmpdir(), 'cairn-histories-'))
process.on('exit', () => rmSync(HISTORIES, { recursive: true, force: true }))

const histories = new Map<
  string,
  Promise<{ places: { repository: string; state: string }; digests: string[] }>
>()

/** The same history is made once in a run. */
export function historyOf(revisions: number, documentSize: number) {
  const key = `${revisions}-${documentSize}`
  const known = histories.get(key)
  if (known) return known
  const repository = join(HISTORIES, `history-${key}`)
  const state = join(HISTORIES, `state-${key}`)
  const made = makeHistory({ folder: repository, revisions, documentSize }).then(
    async (digests) => {
      await writeChanges(repository, join(state, 'revision-changes'))
      return { places: { repository, state }, digests }
    },
  )
  histories.set(key, made)
  return made
}
