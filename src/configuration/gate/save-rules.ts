import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Revision } from '../../core/revision.ts'
import type { History } from '../../history/history.ts'
import { type Access, assertMay } from '../access/permission.ts'
import type { DocumentCache } from '../current/document-cache.ts'
import type { Gate } from './gate.ts'
import { overrideTrailers } from './override.ts'
import { assertMayChange } from './refusal.ts'
import { RULES_ENTITY } from './rules/match.ts'
import { RULES_FILE } from './rules-source.ts'
import { assertSound, changeOfRules, knownNamesIn, rulesVersionOf } from './sound-rules.ts'

export interface RulesDeps {
  readonly access: Access
  readonly history: History
  readonly cache: DocumentCache
  readonly gate: Gate
}

/** The file of rules as it stands. */
export interface StoredRules {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The version that an approval names, and an edit begins from. */
  readonly version: string
}

export interface RulesRequest {
  readonly bytes: Uint8Array<ArrayBuffer>
  /** The versions that the edit may have begun from; `none` for a first file, `any` for a file that is there. */
  readonly basedOn: readonly string[] | 'none' | 'any'
  /** The reason in the words of the caller; may be empty. */
  readonly message: string
}

/** @throws {ServiceError} `not-permitted`; `file-not-found` where there are no rules. */
export async function readRulesFile(
  { access, history }: RulesDeps,
  principal: Principal,
): Promise<StoredRules> {
  assertMay(access, principal, { action: 'administer' })
  const file = await history.findBeside(history.current().commit, RULES_FILE)
  const bytes = (await file?.read()) ?? null
  if (bytes !== null) return { bytes, version: rulesVersionOf(bytes) }
  const message = `The repository has no file ${RULES_FILE}`
  throw new ServiceError('file-not-found', message, { path: RULES_FILE })
}

/**
 * Saves the rules as a commit of their own. The change is judged by the rules before it; its names and
 * examples have to hold now.
 *
 * @throws {ServiceError} `not-permitted`, `config-invalid`, `config-stale`.
 */
export async function saveRules(
  { access, history, cache, gate }: RulesDeps,
  principal: Principal,
  { bytes, basedOn, message }: RulesRequest,
): Promise<{ readonly version: string; readonly revision: Revision | null }> {
  assertMayChange(() => assertMay(access, principal, { action: 'administer' }), RULES_ENTITY)
  const revision = await history.changeBeside({
    name: RULES_FILE,
    author: principal.username,
    compute: async (file, { head, document }) => {
      const before = (await file?.read()) ?? null
      assertFresh(before, basedOn)
      if (before !== null && Buffer.compare(before, bytes) === 0) return null
      const { configuration } = await cache.read(document)
      assertSound(bytes, knownNamesIn(configuration, gate.peopleIn({ configuration })))
      const findBeside = (name: string) => history.findBeside(head, name)
      const origin = { door: 'put', principal } as const
      const change = changeOfRules(before, bytes)
      const asked = { origin, message, findBeside }
      const verdict = await gate.assertOtherPasses(change, document, asked)
      const subject = before === null ? 'Add rules' : 'Change the rules'
      return { bytes, subject, message, trailers: overrideTrailers(origin, verdict) }
    },
  })
  return { version: rulesVersionOf(bytes), revision }
}

function assertFresh(before: Uint8Array | null, basedOn: RulesRequest['basedOn']): void {
  const current = before === null ? '' : rulesVersionOf(before)
  if (isFresh(current, basedOn)) return
  const message =
    before === null ? 'There are no rules yet' : 'The rules have changed since the edit began'
  throw new ServiceError('config-stale', message, { current, problems: [] })
}

function isFresh(current: string, basedOn: RulesRequest['basedOn']): boolean {
  if (current === '' || basedOn === 'none') return current === '' && basedOn === 'none'
  return basedOn === 'any' || basedOn.includes(current)
}
