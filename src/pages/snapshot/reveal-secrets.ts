import type { SecretBox } from '../../document/secrets/secret-box.ts'
import { type Comparison, type ComparisonOptions, readComparison } from '../code/comparison.ts'
import type { Piece } from '../code/line-pieces.ts'
import type { Cell } from '../code/rows.ts'
import {
  readSnapshotPage,
  readSnapshotText,
  type SnapshotDeps,
  type SnapshotPage,
  type SnapshotPlace,
  type SnapshotQuery,
} from './snapshot-page.ts'

export interface RevealDeps {
  /** Decrypts only what a key of this server encrypted. */
  readonly box: SecretBox
}

/** The number of decrypted secrets on a page, and of those without a matching key. */
export interface RevealCount {
  readonly opened: number
  readonly kept: number
}

/** A page with the decrypted secrets of this server in plain text. */
export interface Revealed<Shown> {
  readonly shown: Shown
  readonly count: RevealCount
}

type ReadArguments = Parameters<typeof readComparison>

/** Compares two revisions from `findCompared`, with secrets decrypted. */
export async function revealComparison(
  deps: ReadArguments[0] & RevealDeps,
  compared: ReadArguments[1],
  options: ComparisonOptions,
): Promise<Revealed<Comparison>> {
  const comparison = await readComparison(deps, compared, { ...options, keepsHidden: true })
  const opening = new SecretOpener(deps.box)
  const cell = (each: Cell | null) => each && { ...each, pieces: opening.open(each.pieces) }
  const regions = comparison.regions.map((region) => ({
    ...region,
    blocks: region.blocks.map((block) => ({
      ...block,
      rows: block.rows.map(({ before, after }) => ({ before: cell(before), after: cell(after) })),
    })),
  }))
  return { shown: { ...comparison, regions }, count: opening.count }
}

/** Reads a revision from `findSnapshotPlace`, with secrets decrypted. */
export async function revealSnapshot(
  deps: SnapshotDeps & RevealDeps,
  place: SnapshotPlace,
  query: SnapshotQuery,
): Promise<Revealed<SnapshotPage>> {
  const read = await readSnapshotText(deps, place, { ...query, keepsHidden: true })
  const page = await readSnapshotPage(deps, place, { ...query, ...read })
  const opening = new SecretOpener(deps.box)
  const shown = page.shown.map((line) => ({ ...line, pieces: opening.open(line.pieces) }))
  return { shown: { ...page, shown }, count: opening.count }
}

/** Decrypts the secrets of one page, and counts them. */
class SecretOpener {
  readonly #box: SecretBox
  count: RevealCount = { opened: 0, kept: 0 }

  constructor(box: SecretBox) {
    this.#box = box
  }

  open<Shown extends Piece>(pieces: readonly Shown[]): Shown[] {
    return pieces.map((piece) => (piece.isSecret ? this.#openOne(piece) : piece))
  }

  #openOne<Shown extends Piece>(piece: Shown): Shown {
    const { opened, kept } = this.count
    const text = this.#box.open(piece.hidden?.trim() ?? '')
    this.count = text === null ? { opened, kept: kept + 1 } : { opened: opened + 1, kept }
    return text === null ? piece : { ...piece, text }
  }
}
