import { hash } from 'node:crypto'
import { ServiceError } from '../../core/errors.ts'
import type { Configuration } from '../../document/model/model.ts'
import { describeProblems } from '../../history/revision/problems.ts'
import { findFalseNames, type KnownNames } from './rules/check-rules.ts'
import { checkExamples } from './rules/examples.ts'
import { RULES_ENTITY } from './rules/match.ts'
import type { GateChange, People } from './rules/question.ts'
import { readRules, type RulesReading } from './rules/read-rules.ts'

/** The faults of a file of rules, by the names that are known now. */
export function problemsOfRules(reading: RulesReading, known: KnownNames) {
  if (!reading.ok) return reading.problems
  return [...findFalseNames(reading, known), ...checkExamples(reading)]
}

/** The names of a configuration, and the people, that rules may speak of. */
export function knownNamesIn({ server, groups }: Configuration, people: People): KnownNames {
  return {
    roles: (server?.security?.roles ?? []).map(({ name }) => name),
    groups: groups.map(({ name }) => name),
    people,
  }
}

/** A change of the rules as they see it themselves. */
export function changeOfRules(before: Uint8Array | null, after: Uint8Array | null): GateChange {
  const kind = before === null ? 'added' : after === null ? 'removed' : 'changed'
  const rules = {
    entity: RULES_ENTITY,
    names: [RULES_ENTITY],
    kinds: [kind],
    groups: [],
    environments: [],
    places: [{ steps: [], sort: 'content', isWhole: true }],
    before: before && rulesVersionOf(before),
    after: after && rulesVersionOf(after),
  } as const
  return { entities: [rules] }
}

/** The version of a file of rules, which an approval names. */
export function rulesVersionOf(bytes: Uint8Array): string {
  return hash('sha256', bytes)
}

/** @throws {ServiceError} `config-invalid`, with the place of each fault. */
export function assertSound(bytes: Uint8Array, known: KnownNames): void {
  const problems = problemsOfRules(readRules(bytes), known)
  if (problems.length === 0) return
  const message = `The rules are not valid: ${describeProblems(problems)}`
  throw new ServiceError('config-invalid', message, { problems })
}
