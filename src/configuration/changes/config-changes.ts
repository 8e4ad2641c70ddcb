import type { DocumentChange } from '../../document/entities/change.ts'
import { DOCUMENT, ENTITY_PREFIXES, SERVER } from '../../document/entities/entities.ts'
import { renderChange } from '../../document/changes/render-change.ts'
import { renderSubject } from '../../document/changes/render-subject.ts'
import { ServiceError } from '../../core/errors.ts'
import type { History } from '../../history/history.ts'
import type { ChangeSummary } from './change-summary.ts'
import type { RevisionPair } from '../read/config-reading.ts'
import type { EntityIndex } from './entity-index.ts'
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

/** The differences between a pair from `findPair`; none when the documents are equal. */
export async function readChanges(
  { history, summary, entities }: ConfigChangesDeps,
  { before, after }: RevisionPair,
): Promise<DescribedChanges> {
  const number = history.numberOf(before) ?? 0
  // What came before the first revision that is listed was not at hand when it was indexed.
  const isStep = history.numberOf(after) === number + 1 && number > history.size() - history.kept()
  const indexed = isStep ? entities.find(after) : null
  const changes =
    indexed ??
    (await summary.changes(await history.readAsWritten(before), await history.readAsWritten(after)))
  return {
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
  const [prefix = '', name] = entity.split('/', 2)
  const isAlone = prefix === DOCUMENT || prefix === SERVER
  if (ENTITY_PREFIXES.includes(prefix) && (name === undefined) === isAlone) return entity
  const forms = ENTITY_PREFIXES.map((known) =>
    known === DOCUMENT || known === SERVER ? known : `${known}/NAME`,
  )
  const message = `"${entity}" is not an entity: ${forms.join(', ')}`
  throw new ServiceError('malformed-request', message, { problems: [{ message, path: 'entity' }] })
}
