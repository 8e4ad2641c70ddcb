import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MeasuredServer } from './servers.ts'
import { changesIn, makeHistory, writeIndex } from './make-history.ts'

/** Histories outlive the case that made them; the folder goes with the process. */
const HISTORIES = mkdtempSync(join(tmpdir(), 'cairn-histories-'))
process.on('exit', () => rmSync(HISTORIES, { recursive: true, force: true }))

interface MadeHistory {
  readonly places: { readonly repository: string; readonly state: string }
  readonly digests: readonly string[]
}

const histories = new Map<string, Promise<MadeHistory>>()

/** The same history is made once in a run. */
export function historyOf(revisions: number, documentSize: number): Promise<MadeHistory> {
  return madeOnce(`${revisions}-${documentSize}`, async ({ repository, state }) => {
    const shape = { folder: repository, revisions, documentSize }
    const digests = await makeHistory(shape)
    await writeIndex(shape, state)
    return digests
  })
}

/** A history in which each revision says which pipeline it changed, and how. A server has indexed all of it. */
export function toldHistoryOf(revisions: number, documentSize: number): Promise<MadeHistory> {
  return madeOnce(`told-${revisions}-${documentSize}`, async ({ repository, state }) => {
    const shape = { folder: repository, revisions, documentSize }
    const digests = await makeHistory(shape)
    await writeIndex(shape, state, changesIn(documentSize))
    await using server = await MeasuredServer.cairn({ repository, state })
    await server.rest()
    return digests
  })
}

function madeOnce(
  key: string,
  make: (places: MadeHistory['places']) => Promise<readonly string[]>,
): Promise<MadeHistory> {
  const known = histories.get(key)
  if (known) return known
  const places = {
    repository: join(HISTORIES, `history-${key}`),
    state: join(HISTORIES, `state-${key}`),
  }
  const made = make(places).then((digests) => ({ places, digests }))
  histories.set(key, made)
  return made
}
