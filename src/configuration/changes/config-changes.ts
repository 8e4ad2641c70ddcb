import type { DocumentChange } from '../../document/entities/change.ts'
import {
  DOCUMENT,
  ENTITY_PREFIXES,
  SERVER,
  wholeEntityWord,
  splitEntity,
} from '../../document/entities/entities.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import { malformedRequest } from '../../core/errors.ts'
import type { History } from '../../history/history.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import type { RevisionPair } from '../read/config-reading.ts'
import type { EntityIndex } from '../../index/entity-index.ts'
import { unfinished } from '../../index/index-progress.ts'
import { parseChanges } from '../../index/tables/revision-changes.ts'
import type { Access } from '../access/permission.ts'

export interface ConfigChangesDeps {
  readonly history: History
  readonly access: Access
  readonly entities: EntityIndex
  readonly summary: ChangeSummary
}

/** The differences between two revisions, as text and as data. */
export interface DescribedChanges {
  /** All changes on one line. */
  readonly subject: string
  readonly changes: readonly (DocumentChange & { readonly text: string })[]
}

interface ComparedChanges {
  readonly changes: readonly DocumentChange[]
  /** False while older revisions are not indexed, which may have renamed what came and went. */
  readonly isFinal: boolean
}

/** Renamed things are recognised, and found in the history where they have changed too much for that. */
async function compareRevisions(
  { history, summary, entities }: ConfigChangesDeps,
  { before, after }: RevisionPair,
): Promise<ComparedChanges> {
  const documents = [
    await history.readAsWritten(before),
    await history.readAsWritten(after),
  ] as const
  const changes = await summary.changes(...documents)
  const kinds = new Set(
    changes.filter((change) => wholeEntityWord(change) !== null).map(({ kind }) => kind),
  )
  if (!kinds.has('added') || !kinds.has('removed')) return { changes, isFinal: true }
  await entities.settle()
  const isFinal = unfinished(entities.progress()) === null
  const renames = entities.renamesBetween(before, after)
  return { changes: await summary.changes(...documents, renames), isFinal }
}

/** The differences between a pair from `findPair`; none when the documents are equal. */
export async function readChanges(
  deps: ConfigChangesDeps,
  pair: RevisionPair,
): Promise<DescribedChanges & Pick<ComparedChanges, 'isFinal'>> {
  const step = deps.entities.findStep(pair.before, pair.after)
  const { changes, isFinal } =
    step === null
      ? await compareRevisions(deps, pair)
      : { changes: parseChanges(step), isFinal: true }
  return {
    isFinal,
    subject: renderSubject(changes),
    changes: changes.map((change) => ({ ...change, text: renderChange(change) })),
  }
}

/**
 * The key of an entity, such as `pipeline/checkout`.
 *
 * @throws {ServiceError} `malformed-request` for a text that names none.
 */
export function parseEntityKey(entity: string): string {
  const { kind } = splitEntity(entity)
  const isAlone = kind === DOCUMENT || kind === SERVER
  if (ENTITY_PREFIXES.includes(kind) && (entity === kind) === isAlone) return entity
  const forms = ENTITY_PREFIXES.map((known) =>
    known === DOCUMENT || known === SERVER ? known : `${known}/NAME`,
  )
  throw malformedRequest(`"${entity}" is not an entity: ${forms.join(', ')}`, 'entity')
}
