import postgres from 'postgres'
import { until } from '../programs/until.ts'
import { run } from '../programs/start.ts'
import {
  type DatabaseProgram,
  type DatabaseServer,
  folderBeside,
  openOver,
  serveOver,
} from './database-server.ts'
import type { TestService } from './service.ts'
import { SOMEONE } from './someone-else.ts'

type Caller = Pick<DatabaseServer, 'fetch'>

/** Milliseconds. */
const TIMEOUT_MS = 30_000

/** Two servers of a new database in this process; the first one leads. */
export async function openTwo(database: string): Promise<readonly [TestService, TestService]> {
  const first = await openOver(database)
  return [first, await openOver(database, folderBeside(first))]
}

export async function openThree(
  database: string,
): Promise<readonly [TestService, TestService, TestService]> {
  const [first, second] = await openTwo(database)
  return [first, second, await openOver(database, folderBeside(first))]
}

/** The same as processes of their own. */
export async function serveTwo(
  database: string,
): Promise<readonly [DatabaseProgram, DatabaseProgram]> {
  const first = await serveOver(database)
  return [first, await serveOver(database, folderBeside(first))]
}

export async function serveThree(
  database: string,
): Promise<readonly [DatabaseProgram, DatabaseProgram, DatabaseProgram]> {
  const first = await serveOver(database)
  const [second, third] = await Promise.all([
    serveOver(database, folderBeside(first)),
    serveOver(database, folderBeside(first)),
  ])
  return [first, second, third]
}

/** Adds a user, whom each of the servers knows then. */
export async function addSomeoneTo(database: string, servers: readonly Caller[]): Promise<void> {
  const [name = '', password = ''] = SOMEONE.split(':')
  const input = `${password}\n`
  const { code, stderr } = await run(['user', 'add', name, '--state', database], { input })
  if (code !== 0) throw new Error(stderr)
  const isKnown = async (server: Caller) =>
    (await server.fetch('/api/agents', { as: SOMEONE })).status === 200
  for (const server of servers) await until(() => isKnown(server), TIMEOUT_MS)
}

/** The entry of the log that an answer knows. */
export function sequenceOf(answer: Response): string {
  return answer.headers.get('x-cairn-sequence') ?? ''
}

/** Reads as a caller does that knows an entry of the log. */
export async function textAt(server: Caller, path: string, sequence: string): Promise<string> {
  const answer = await server.fetch(path, { headers: { 'x-cairn-at-least': sequence } })
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`)
  return answer.text()
}

export async function currentOf(server: Caller): Promise<string> {
  return (await server.fetch('/api/admin/config.xml')).text()
}

/** Keeps the leader for this time, dead or alive; others can only wait for its end. */
export async function setLease(database: string, lasts: string): Promise<void> {
  const sql = postgres(database)
  await sql`UPDATE lease SET until = clock_timestamp() + ${lasts}::interval`
  await sql.end()
}

/** Takes the lead from the leader without telling it, and leaves it to the next server that asks. */
export async function takeLease(database: string): Promise<void> {
  const sql = postgres(database)
  await sql`UPDATE lease SET epoch = epoch + 1, until = clock_timestamp()`
  await sql.end()
}

/** Changes the state, which only the leader can. Returns the status of the answer. */
export async function pausePipeline(
  server: Caller,
  pipeline: string,
  pauseCause: string,
): Promise<number> {
  const body = new URLSearchParams({ pauseCause })
  const path = `/api/pipelines/${pipeline}/pause`
  return (await server.fetch(path, { method: 'POST', body })).status
}

/** Whether a pipeline is paused, and why. Asks again where a server still forwards to one that is lost. */
export async function pausedBy(server: Caller, pipeline: string): Promise<unknown> {
  let status: unknown = null
  await until(async () => {
    const answer = await server.fetch(`/api/pipelines/${pipeline}/status`)
    status = answer.status === 200 ? await answer.json() : null
    return status !== null
  }, TIMEOUT_MS)
  return status
}
