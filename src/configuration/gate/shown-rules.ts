import { ServiceError } from '../../core/errors.ts'
import type { Principal } from '../../core/principal.ts'
import type { Problem } from '../../core/problem.ts'
import type { CurrentConfiguration } from '../current/current-configuration.ts'
import { type AskedPeople, peopleAskedBy } from './rules/check-rules.ts'
import { describeRule } from './rules/describe-rule.ts'
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
  readonly asked: readonly AskedPeople[]
}

/** The file of rules as people read it. */
export interface ShownRules {
  /** Empty where there is no file. */
  readonly text: string
  readonly version: string | null
  /** Empty where the file cannot be read. */
  readonly rules: readonly ShownRule[]
  readonly problems: readonly Problem[]
  /** Whether nobody but the users of this service can log in, so that those who are asked are known. */
  readonly knowsEveryone: boolean
}

/** @throws {ServiceError} `not-permitted`. */
export async function showRules(deps: ShownRulesDeps, principal: Principal): Promise<ShownRules> {
  const { gate } = deps
  const { configuration } = deps.configuration.read()
  const people = gate.peopleIn({ configuration })
  const known = knownNamesIn(configuration, people)
  const knowsEveryone = people.isComplete
  const stored = await findRulesFile(deps, principal)
  if (stored === null) return { text: '', version: null, rules: [], problems: [], knowsEveryone }
  const { bytes, version } = stored
  const reading = readRules(bytes)
  const rules = reading.ok
    ? reading.rules.rules.flatMap((rule, n): readonly ShownRule[] => {
        const written = reading.file.rules[n]
        if (written === undefined) return []
        const { name, message = null } = written
        const asked = peopleAskedBy(rule, known)
        return [{ name, sentences: describeRule(written), message, asked }]
      })
    : []
  const problems = problemsOfRules(reading, known)
  return { text: new TextDecoder().decode(bytes), version, rules, problems, knowsEveryone }
}

async function findRulesFile(deps: RulesDeps, principal: Principal) {
  try {
    return await readRulesFile(deps, principal)
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'file-not-found') return null
    throw error
  }
}
