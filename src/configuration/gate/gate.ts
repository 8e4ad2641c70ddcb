import { ServiceError } from '../../core/errors.ts'
import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { Principal } from '../../core/principal.ts'
import type { Configuration } from '../../document/model/model.ts'
import type { Permissions } from '../../security/permissions.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import type { DocumentCache } from '../current/document-cache.ts'
import { judgeDelegation } from './delegation.ts'
import { ALLOWED, type Verdict } from './verdict.ts'

/** The rights of callers, by any configuration. */
export interface Rights {
  rightsIn(configuration: Configuration, principal: Principal): Permissions
  /** Whether a user of that name can log in. */
  isUser(name: string): boolean
}

export interface GateDeps {
  readonly cache: DocumentCache
  readonly summary: ChangeSummary
}

/** Two valid documents, the newer with its secrets sealed. */
export interface GatedDocuments {
  readonly before: Uint8Array<ArrayBuffer>
  readonly after: Uint8Array<ArrayBuffer>
}

/**
 * The gate that every change passes before it is committed, whatever its door. Doors without a caller are
 * not held up. Callers are judged by the rights that the document before gives them.
 */
export class Gate {
  readonly #deps: GateDeps
  #rights: Rights | null = null

  constructor(deps: GateDeps) {
    this.#deps = deps
  }

  /** Judges callers by these rights from now on; before, nobody can call. */
  decideBy(rights: Rights): void {
    this.#rights = rights
  }

  /** @throws {ServiceError} `not-permitted`, with what the change needs. */
  async assertPasses(documents: GatedDocuments, origin: ChangeOrigin): Promise<void> {
    const verdict = await this.judge(documents, origin)
    if (verdict.kind !== 'allowed') throw refusal(verdict)
  }

  async judge({ before, after }: GatedDocuments, origin: ChangeOrigin): Promise<Verdict> {
    if (!('principal' in origin)) return ALLOWED
    const { principal } = origin
    if (this.#rights === null) throw new Error('The gate does not know the rights of callers yet')
    const { cache, summary } = this.#deps
    const older = await cache.read(before)
    const rights = this.#rights.rightsIn(older.configuration, principal)
    if (rights.isAdministrator) return ALLOWED
    const newer = await cache.read(after)
    return judgeDelegation({
      username: principal.username,
      before: older,
      after: newer,
      changes: await summary.changes(before, after),
      rights: { before: rights, after: this.#rights.rightsIn(newer.configuration, principal) },
      isUser: (name) => this.#rights?.isUser(name) ?? false,
    })
  }
}

function refusal(verdict: Exclude<Verdict, { kind: 'allowed' }>): ServiceError {
  const { rule, sentence: reason } = verdict
  const needs = verdict.kind === 'needs' ? [{ rule, of: verdict.of, reason }] : []
  return new ServiceError('not-permitted', reason, { permission: 'administer', needs })
}
