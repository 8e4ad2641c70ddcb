import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { ConfigDocument } from '../../document/document.ts'
import { assertMay } from '../access/permission.ts'
import { wholeEntityIn } from './describe-change.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import { type AskedPeople, peopleAskedBy } from './rules/check-rules.ts'
import { matchedEntities } from './rules/match.ts'
import type { TouchedEntity } from './rules/question.ts'
import type { GateRule } from './rules/rule.ts'
import { describeRule } from './rules/describe-rule.ts'
import type { WrittenRule } from './rules/rules-schema.ts'
import { readRules } from './rules/read-rules.ts'
import { readRulesFile, type RulesDeps } from './save-rules.ts'
import { knownNamesIn, problemsOfRules } from './sound-rules.ts'

export interface ShownRulesDeps extends RulesDeps {
  readonly configuration: CurrentConfiguration
}

/** A rule in words, with the people whose approvals it would count now. */
export interface ShownRule {
  readonly name: string
  readonly sentences: readonly string[]
  readonly message: string | null
  readonly written: WrittenRule
  readonly asked: readonly AskedPeople[]
}

/** The file of rules as people read it. */
export interface ShownRules {
  /** Empty where there is no file. */
  readonly text: string
  /** The version of the file that is saved; null where there is none. */
  readonly version: string | null
  /** Empty where the file cannot be read. */
  readonly rules: readonly ShownRule[]
  readonly problems: readonly Problem[]
  /** Whether nobody but the users of this service can log in, so that those who are asked are known. */
  readonly knowsEveryone: boolean
  /** The entity whose rules alone are shown; null for all rules. */
  readonly entity: string | null
}

/**
 * Shows all rules, or those that a change of one entity may meet, such as `pipeline/shop`. With a draft,
 * those are the rules of a text that is not saved.
 *
 * @throws {ServiceError} `not-permitted`; `entity-not-found` for an entity that is not there.
 */
export async function showRules(
  deps: ShownRulesDeps,
  principal: Principal,
  {
    entity = null,
    draft = null,
  }: { readonly entity?: string | null; readonly draft?: Uint8Array | null } = {},
): Promise<ShownRules> {
  const { access, gate } = deps
  assertMay(access, principal, { action: 'administer' })
  const document = deps.configuration.read()
  const touched = entity === null ? null : touchedEntity(document, entity)
  const { configuration } = document
  const people = gate.peopleIn({ configuration })
  const known = knownNamesIn(configuration, people)
  const knowsEveryone = people.isComplete
  const stored = await findRulesFile(deps, principal)
  const about = { knowsEveryone, entity: touched?.entity ?? null }
  const bytes = draft ?? stored?.bytes
  const version = stored?.version ?? null
  if (bytes === undefined) return { text: '', version, rules: [], problems: [], ...about }
  const reading = readRules(bytes)
  const rules = reading.ok
    ? reading.rules.rules.flatMap((rule, n): readonly ShownRule[] => {
        const written = reading.file.rules[n]
        if (written === undefined || !mayMeet(rule, touched)) return []
        const { name, message = null } = written
        const asked = peopleAskedBy(rule, known)
        return [{ name, sentences: describeRule(written), message, written, asked }]
      })
    : []
  const problems = problemsOfRules(reading, known)
  return { text: new TextDecoder().decode(bytes), version, rules, problems, ...about }
}

function touchedEntity(document: ConfigDocument, entity: string): TouchedEntity {
  const touched = wholeEntityIn(document, entity)
  if (touched !== null) return touched
  const [kind = '', ...name] = entity.split('/')
  const message = `The configuration has no ${kind} ${name.join('/')}`
  throw new ServiceError('entity-not-found', message, { kind, name: name.join('/') })
}

function mayMeet(rule: GateRule, entity: TouchedEntity | null): boolean {
  if (entity === null) return true
  return matchedEntities(rule.match, { rule, entities: [entity] }).length > 0
}

async function findRulesFile(deps: RulesDeps, principal: Principal) {
  try {
    return await readRulesFile(deps, principal)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'file-not-found') return null
    throw error
  }
}
