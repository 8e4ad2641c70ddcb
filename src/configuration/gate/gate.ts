import { type Need, ServiceError } from '../../core/errors.ts'
import type { ChangeOrigin } from '../../core/change-origin.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { Configuration } from '../../document/model/model.ts'
import type { Permissions } from '../../security/permissions.ts'
import type { PushToJudge } from '../../history/revision/prepared-change.ts'
import type { ChangeSummary } from '../../document/changes/change-summary.ts'
import type { DocumentCache } from '../current/document-cache.ts'
import { judgeDelegation } from './delegation.ts'
import { divide, isSameAround, ownPartsOf, withoutOthers } from './own-parts.ts'
import { shownProblems } from './shown-problems.ts'
import { ALLOWED, type Ruling } from './rules/verdict.ts'

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

/** The document before a change, and the one that it makes, with its secrets sealed. */
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

  /**
   * The same for each commit of a push. Those of administrators of the server are not even read.
   *
   * @throws {ServiceError} `not-permitted`, with what the commit needs.
   */
  async assertPushPasses(
    { before, listChanges }: PushToJudge,
    origin: ChangeOrigin,
  ): Promise<void> {
    if (!('principal' in origin)) return
    const { configuration } = await this.#deps.cache.read(before)
    if (this.#rightsIn(configuration, origin.principal).isAdministrator) return
    for await (const change of listChanges()) await this.assertPasses(change, origin)
  }

  /**
   * The current document and another one as somebody may see them: lines that others administer are
   * blank. Nothing is blank for administrators of the server.
   */
  async viewFor(
    principal: Principal,
    { before, after }: GatedDocuments,
  ): Promise<readonly [before: Uint8Array<ArrayBuffer>, after: Uint8Array<ArrayBuffer>]> {
    const { cache, summary } = this.#deps
    const rights = this.#rightsIn((await cache.read(before)).configuration, principal)
    if (rights.isAdministrator) return [before, after]
    const parts = ownPartsOf(rights, rights)
    const viewOf = async (document: Uint8Array<ArrayBuffer>) => {
      const reading = await summary.read(document)
      const text = 'problems' in reading ? '' : withoutOthers(reading, parts)
      return new Uint8Array(Buffer.from(text))
    }
    return [await viewOf(before), await viewOf(after)]
  }

  /**
   * Asserts that two readable documents differ in nothing but what somebody administers in the current
   * one: their differences may be shown.
   *
   * @throws {ServiceError} `not-permitted`.
   */
  async assertOwn(
    principal: Principal,
    { current, before, after }: GatedDocuments & { readonly current: Uint8Array<ArrayBuffer> },
  ): Promise<void> {
    const { cache, summary } = this.#deps
    const rights = this.#rightsIn((await cache.read(current)).configuration, principal)
    if (rights.isAdministrator) return
    const sides = [await summary.read(before), await summary.read(after)]
    const parts = ownPartsOf(rights, rights)
    const [older, newer] = sides.map((side) => ('problems' in side ? null : divide(side, parts)))
    if (older != null && newer != null && isSameAround(older, newer)) return
    const message = `The change reaches beyond what ${principal.username} administers`
    throw new ServiceError('not-permitted', message, { permission: 'administer' })
  }

  /**
   * The problems of a document that is not valid, without what is hidden from the caller who made it. Null
   * stands for no caller.
   */
  async problemsFor(
    problems: readonly Problem[],
    { before, after }: GatedDocuments,
    principal: Principal | null,
  ): Promise<readonly Problem[]> {
    if (principal === null) return problems
    const { cache, summary } = this.#deps
    const { configuration } = await cache.read(before)
    const rights = this.#rightsIn(configuration, principal)
    const document = rights.isAdministrator ? null : await summary.read(after)
    if (document === null || 'problems' in document) return problems
    return shownProblems(problems, { document, configuration, rights })
  }

  async judge({ before, after }: GatedDocuments, origin: ChangeOrigin): Promise<Ruling> {
    if (!('principal' in origin)) return ALLOWED
    const { principal } = origin
    const { cache, summary } = this.#deps
    const older = await cache.read(before)
    const rights = this.#rightsIn(older.configuration, principal)
    if (rights.isAdministrator) return ALLOWED
    const newer = await cache.read(after)
    return judgeDelegation({
      username: principal.username,
      before: older,
      after: newer,
      changes: await summary.changes(before, after),
      rights: { before: rights, after: this.#rightsIn(newer.configuration, principal) },
      isUser: (name) => this.#rights?.isUser(name) ?? false,
    })
  }

  #rightsIn(configuration: Configuration, principal: Principal): Permissions {
    if (this.#rights === null) throw new Error('The gate does not know the rights of callers yet')
    return this.#rights.rightsIn(configuration, principal)
  }
}

/** The answer of the gate to a change that is only planned. */
export interface PlannedVerdict {
  readonly kind: Ruling['kind']
  /** Absent for a change that is allowed. */
  readonly reason?: string
  readonly needs: readonly Need[]
}

export function plannedVerdict(verdict: Ruling): PlannedVerdict {
  if (verdict.kind === 'allowed') return { kind: 'allowed', needs: [] }
  return { kind: verdict.kind, reason: verdict.sentence, needs: needsOf(verdict) }
}

type Refusal = Exclude<Ruling, { kind: 'allowed' }>

function needsOf(verdict: Refusal): readonly Need[] {
  const { rule, sentence: reason } = verdict
  return verdict.kind === 'needs' ? [{ rule, of: verdict.of, reason }] : []
}

function refusal(verdict: Refusal): ServiceError {
  const facts = { permission: 'administer', needs: needsOf(verdict) }
  return new ServiceError('not-permitted', verdict.sentence, facts)
}
