import { hash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { ChangeGround, FileBeside } from '../../history/revision/prepared-change.ts'
import { describeProblems } from '../../history/revision/problems.ts'
import { compileRule } from './rules/compile-rule.ts'
import { readRules } from './rules/read-rules.ts'
import { NO_RULES, type RuleSet } from './rules/rule.ts'

/** The file of rules, beside the document and versioned with it. */
export const RULES_FILE = 'cairn-rules.yaml'

/** Versions of the file that stay in memory. */
const MAX_VERSIONS = 8

/** Reads the rules that hold at a commit; a version of the file is read once. */
export class RulesSource {
  readonly #versions = new LRUCache<string, RuleSet>({ max: MAX_VERSIONS })

  async find(findBeside: ChangeGround['findBeside']): Promise<RuleSet> {
    const file = await findBeside(RULES_FILE)
    if (file === null) return NO_RULES
    const known = this.#versions.get(file.oid)
    if (known) return known
    const rules = await readFile(file)
    this.#versions.set(file.oid, rules)
    return rules
  }
}

async function readFile(file: FileBeside): Promise<RuleSet> {
  const bytes = (await file.read()) ?? new Uint8Array()
  const reading = readRules(bytes)
  return reading.ok
    ? reading.rules
    : stopAll(hash('sha256', bytes), describeProblems(reading.problems))
}

/** Rules that cannot be read, as a native commit may bring them, let nothing pass but their correction. */
function stopAll(version: string, reason: string): RuleSet {
  const message = `The rules cannot be read: ${reason}`
  const rule = compileRule({ name: RULES_FILE, effect: 'deny', message }, () => {})
  return { version, rules: [rule] }
}
