import type { DocumentKind } from '../core/document-kind.ts'
import { inWords } from '../core/problem.ts'
import { listCounter } from './documents.ts'
import { type Driver, type SqlQuery, numberOf, textColumn } from './sql.ts'
import { scanCounters, scanDocuments } from './scan.ts'

const LIST_ENDS = `SELECT key, COUNT(*) AS n, MIN(ord) AS first, MAX(ord) AS last
  FROM list GROUP BY key ORDER BY key`

/** Reads the whole store and returns all errors in it. */
export async function checkStore(
  driver: Driver,
  kinds: readonly DocumentKind<unknown>[],
): Promise<string[]> {
  const damage = await driver.integrity()
  if (damage.length > 0) return [...damage]
  await using snapshot = await driver.snapshot()
  return [
    ...(await listProblems(snapshot.query)),
    ...(await documentProblems(snapshot.query, kinds)),
  ]
}

async function listProblems(query: SqlQuery): Promise<string[]> {
  const lengths = new Map<string, number>()
  for await (const row of scanCounters(query))
    lengths.set(textColumn(row, 'key'), numberOf(row, 'n'))
  const problems: string[] = []
  for (const row of await query(LIST_ENDS)) {
    const [list, length] = [textColumn(row, 'key'), numberOf(row, 'n')]
    const dense = numberOf(row, 'first') === 1 && numberOf(row, 'last') === length
    if (!dense) problems.push(`the list "${list}" has gaps`)
    const counted = lengths.get(listCounter(list)) ?? 0
    if (counted !== length) problems.push(`the list "${list}" counts ${counted} and has ${length}`)
    lengths.delete(listCounter(list))
  }
  const lost = [...lengths].filter(([key, n]) => n > 0 && key.startsWith(listCounter('')))
  return [...problems, ...lost.map(([key, n]) => `the "${key}" counts ${n} and has none`)]
}

async function documentProblems(
  query: SqlQuery,
  kinds: readonly DocumentKind<unknown>[],
): Promise<string[]> {
  const byName = new Map(kinds.map((kind) => [kind.name, kind]))
  const problems: string[] = []
  for await (const row of scanDocuments(query)) {
    const [name, key, json] = [
      textColumn(row, 'kind'),
      textColumn(row, 'key'),
      textColumn(row, 'json'),
    ]
    const problem = documentProblem(byName.get(name), json)
    if (problem !== null) problems.push(`the ${name} "${key}" ${problem}`)
  }
  return problems
}

function documentProblem(kind: DocumentKind<unknown> | undefined, json: string): string | null {
  if (!kind) return 'is of no known kind'
  try {
    const result = kind.schema.safeParse(JSON.parse(json), { error: inWords })
    return result.success ? null : (result.error.issues[0]?.message ?? 'has another form')
  } catch (error) {
    if (error instanceof SyntaxError) return 'is not JSON'
    throw error
  }
}
