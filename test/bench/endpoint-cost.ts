import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MeasuredServer, type Sent } from './servers.ts'

/** One request, or several alike. */
export interface Endpoint {
  /** As it stands in the table. */
  readonly call: string
  readonly requests: readonly (Sent & { readonly path: string })[]
  /**
   * An action runs once for each path, one after the other; a read is repeated until it is measured
   * well.
   */
  readonly isAction?: boolean
}

/** CPU is counted in ticks of 10 ms: this many milliseconds are measured well. */
const ENOUGH_MS = 200
const FIRST = 20
const MAX_TIMES = 4_000

/** CPU milliseconds of the server for one call. */
export async function costOfEndpoint(
  server: MeasuredServer,
  { requests, isAction = false }: Endpoint,
  quick: boolean,
): Promise<number> {
  const send = (request: Endpoint['requests'][number]) => server.send(request.path, request)
  if (isAction) return server.costOfEach(requests, send, 1)
  await server.costOfEach(requests.slice(0, FIRST), send)
  for (let times = FIRST; ; times *= 4) {
    const items = Array.from({ length: times }, (_, n) => requests[n % requests.length] ?? NONE)
    const cost = await server.costOfEach(items, send)
    if (quick || cost * times >= ENOUGH_MS || times >= MAX_TIMES) return cost
  }
}

/** The cost of each of these answers on a bare app, in their order. */
export async function costsOnBareApp(
  answers: readonly Buffer[],
  { folder, quick }: { readonly folder: string; readonly quick: boolean },
): Promise<number[]> {
  const files = answers.map((answer, n) => {
    const file = join(folder, `answer-${n}`)
    writeFileSync(file, answer)
    return file
  })
  await using bare = await MeasuredServer.bareApp(files)
  const costs: number[] = []
  for (const n of files.keys()) {
    costs.push(await costOfEndpoint(bare, { call: '', requests: [{ path: `/${n}` }] }, quick))
  }
  return costs
}

const NONE = { path: '/' }
