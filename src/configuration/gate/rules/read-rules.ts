import { hash } from 'node:crypto'
import { type Document, isMap, isNode, isScalar } from 'yaml'
import { z } from 'zod'
import type { Problem } from '../../../core/problem.ts'
import { hint } from '../../../document/structure/nearest-name.ts'
import { compileRule } from './compile-rule.ts'
import type { GateRule, RuleSet } from './rule.ts'
import { RulesFile, rulesJsonSchema } from './rules-schema.ts'
import { readYaml, type RulesYaml, TOO_MANY_ALIASES } from './rules-yaml.ts'

/** A file of rules, or all that is wrong with it. */
export type RulesReading =
  | {
      readonly ok: true
      readonly file: RulesFile
      readonly rules: RuleSet
      readonly places: RulePlaces
    }
  | { readonly ok: false; readonly problems: readonly Problem[] }

/** Where something of the file is, by its path. */
export interface RulePlaces {
  problemAt(path: readonly PropertyKey[], message: string): Problem
  /** The same for a key itself. */
  problemAtKey(path: readonly PropertyKey[], message: string): Problem
}

export const MAX_RULES_BYTES = 262_144
/** A key for expressions, if rules ever have any. */
const RESERVED = 'when_cel'
const MAX_ALIASES = 100
/** Faults of one kind, or in one place, that are named. */
const MAX_ISSUES = 100
/** The name of the rule that is there without a file. */
const BUILT_IN = 'delegation'

/** Reads a file of rules: its YAML, its form, and the meaning of each rule on its own. */
export function readRules(bytes: Uint8Array): RulesReading {
  if (bytes.length > MAX_RULES_BYTES) {
    const message = `The file has ${bytes.length} bytes; at most ${MAX_RULES_BYTES} are accepted`
    return { ok: false, problems: [{ message }] }
  }
  const text = new TextDecoder('utf-8', { fatal: false }).decode(bytes)
  const yaml = readYaml(text)
  if (!('document' in yaml)) return { ok: false, problems: yaml }
  const places = placesIn(yaml)
  const value = valueOf(yaml.document)
  if (value === undefined) return { ok: false, problems: [TOO_MANY_ALIASES] }
  const written = RulesFile.safeParse(value, { reportInput: true })
  if (!written.success) {
    const issues = written.error.issues.slice(0, MAX_ISSUES)
    const problems = issues.flatMap((issue) => problemsOf(issue, [], places))
    return { ok: false, problems: problems.slice(0, MAX_ISSUES) }
  }
  return compileFile(written.data, { places, version: hash('sha256', bytes) })
}

/** Undefined where aliases would make it much longer than it is written. */
function valueOf(document: Document.Parsed): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES })
  } catch (error) {
    if (error instanceof ReferenceError) return undefined
    throw error
  }
}

function compileFile(
  file: RulesFile,
  { places, version }: { readonly places: RulePlaces; readonly version: string },
): RulesReading {
  const problems: Problem[] = []
  const rules: GateRule[] = []
  const names = new Set<string>()
  for (const [n, written] of file.rules.entries()) {
    const report = (path: readonly PropertyKey[], message: string) =>
      problems.push(places.problemAt(['rules', n, ...path], message))
    if (names.has(written.name.toLowerCase())) {
      report(['name'], `There are two rules named ${written.name}`)
    }
    if (written.name.toLowerCase() === BUILT_IN) report(['name'], `The name ${BUILT_IN} is taken`)
    names.add(written.name.toLowerCase())
    rules.push(compileRule(written, report))
  }
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, file, rules: { version, rules }, places }
}

function placesIn({ document, lines }: RulesYaml): RulePlaces {
  const problemBy =
    (offsetOf: (document: Document.Parsed, path: readonly PropertyKey[]) => number) =>
    (path: readonly PropertyKey[], message: string): Problem => {
      const { line, col } = lines.linePos(offsetOf(document, path))
      return { message, path: renderPath(path), line, column: col }
    }
  return { problemAt: problemBy(offsetOfValue), problemAtKey: problemBy(offsetOfKey) }
}

/** The place of a scalar, or of the key of another value, or of the nearest thing around that is there. */
function offsetOfValue(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  if (isScalar(node)) return node.range?.[0] ?? 0
  return offsetOfKey(document, path)
}

function offsetOfKey(document: Document.Parsed, path: readonly PropertyKey[]): number {
  const [above, last] = [path.slice(0, -1), path.at(-1)]
  const parent = above.length === 0 ? document.contents : document.getIn(above, true)
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && key.value === last)
    : undefined
  if (isScalar(pair?.key)) return pair.key.range?.[0] ?? 0
  const node = path.length === 0 ? document.contents : document.getIn(path, true)
  if (isNode(node)) return node.range?.[0] ?? 0
  return path.length === 0 ? 0 : offsetOfValue(document, above)
}

function renderPath(path: readonly PropertyKey[]): string {
  return path
    .map((step, n) =>
      typeof step === 'number' ? `[${step + 1}]` : `${n > 0 ? '.' : ''}${String(step)}`,
    )
    .join('')
}

type Issue = z.core.$ZodIssue

/** An issue in the words of the file, with the nearest valid name where there is one. */
function problemsOf(
  issue: Issue,
  above: readonly PropertyKey[],
  places: RulePlaces,
): readonly Problem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .slice(0, MAX_ISSUES)
      .map((key) => places.problemAtKey([...path, key], unknownKey(key, path)))
  }
  const last = path.at(-1)
  if (issue.input === undefined && typeof last === 'string' && issue.code !== 'invalid_union') {
    return [places.problemAt(path, `The key ${last} is missing`)]
  }
  if (issue.code === 'invalid_value') {
    const known = issue.values.map(String)
    const typed = typeof issue.input === 'string' ? issue.input : ''
    const message = `${typed === '' ? 'This' : `"${typed}"`} is none of ${known.join(', ')}`
    return [places.problemAt(path, message + hint(typed, known))]
  }
  if (issue.code === 'invalid_union') {
    return nearestBranch(issue.errors).flatMap((each) => problemsOf(each, path, places))
  }
  return [places.problemAt(path, issue.message)]
}

/** The form that was most likely meant: the one with the fewest faults at its beginning. */
function nearestBranch(branches: readonly (readonly Issue[])[]): readonly Issue[] {
  const weight = (issues: readonly Issue[]) =>
    issues.filter(({ path }) => path.length === 0).length * 100 + issues.length
  return branches.toSorted((one, other) => weight(one) - weight(other))[0] ?? []
}

function unknownKey(key: string, path: readonly PropertyKey[]): string {
  if (key === RESERVED) return `${RESERVED} is reserved: rules have no expressions`
  return `There is no key ${key} here${hint(key, keysAt(path))}`
}

const JsonSchema = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
})

/** The keys that the schema has at a path, of all forms that it allows there. */
function keysAt(path: readonly PropertyKey[]): readonly string[] {
  let schemas: readonly unknown[] = [rulesJsonSchema()]
  for (const step of path) {
    schemas = schemas.flatMap(formsOf).flatMap(({ properties = {}, items }) => {
      const next = typeof step === 'number' ? items : properties[String(step)]
      return next === undefined ? [] : [next]
    })
  }
  return [
    ...new Set(schemas.flatMap(formsOf).flatMap(({ properties = {} }) => Object.keys(properties))),
  ]
}

function formsOf(schema: unknown): readonly z.infer<typeof JsonSchema>[] {
  const parsed = JsonSchema.safeParse(schema)
  if (!parsed.success) return []
  return [parsed.data, ...(parsed.data.anyOf ?? []).flatMap(formsOf)]
}
