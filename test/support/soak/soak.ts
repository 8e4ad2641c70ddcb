import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { SerialQueue } from '../../../src/lib/serial-queue.ts'
import { git } from '../git/git.ts'
import { BuildingAgent } from './building-agent.ts'
import { editUntilGone, saveUntilGone } from './editors.ts'
import { floodUntilGone } from './floods.ts'
import { knockUntilGone } from './intruders.ts'
import { Ledger } from './ledger.ts'
import { operateUntilGone } from './operators.ts'
import { readUntilGone } from './readers.ts'
import { checkRemains, checkServed } from './soak-checks.ts'
import { soakDocument } from './soak-document.ts'
import { SoakedServer } from './soaked-server.ts'

/** The lifetime of a server after its check, in milliseconds. */
const MIN_LIFETIME_MS = 200
const MAX_LIFETIME_MS = 4_000

export interface SoakOptions {
  readonly folder: string
  /** Asked before each life of the server. */
  readonly goesOn: (kills: number) => boolean
  /** Asked when a life has lasted its time, with how often each thing was acknowledged in all lives: it lasts until this holds. */
  readonly mayEnd?: (kills: number, acknowledged: ReadonlyMap<string, number>) => boolean
  readonly agents?: number
  /** Whether floods of what is refused come beside all this. */
  readonly isFlooded?: boolean
  readonly tell?: (line: string) => void
}

export interface SoakOutcome {
  readonly kills: number
  /** How often each thing was acknowledged. */
  readonly acknowledged: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

/**
 * Lets everybody use a real server at once, kills it at a random moment, looks at what it has left,
 * and starts it again, over and over. Whatever was ever acknowledged has to be there each time.
 */
export async function soak(options: SoakOptions): Promise<SoakOutcome> {
  const { folder, goesOn, mayEnd = () => true, isFlooded = false, tell = () => {} } = options
  const ledger = new Ledger()
  const agents = Array.from({ length: options.agents ?? 3 }, (_, n) => new BuildingAgent(`a${n}`))
  await begin(folder, ledger)
  let kills = 0
  let fresh: string[] = []
  for (; goesOn(kills); kills += 1) {
    const server = await SoakedServer.start(folder, ledger)
    await checkServed(server, fresh)
    const known = ledger.digests.size
    await live(server, { agents, isFlooded, mayEnd: () => mayEnd(kills, ledger.counts) })
    await checkRemains(folder, ledger)
    fresh = [...ledger.digests].slice(known)
    tell(`${kills + 1} kills, ${ledger.total()} acknowledged, ${ledger.problems.length} problems`)
  }
  const last = await SoakedServer.start(folder, ledger)
  await checkServed(last, [...ledger.digests])
  await last.stop()
  await checkRemains(folder, ledger)
  return { kills, acknowledged: Object.fromEntries(ledger.counts), problems: ledger.problems }
}

/** A configuration whose pipelines build from a repository beside it. */
async function begin(folder: string, ledger: Ledger): Promise<void> {
  const origin = join(folder, 'origin')
  mkdirSync(origin)
  git(origin, 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(origin, 'hello.txt'), 'hello\n')
  git(origin, 'add', '.')
  git(origin, 'commit', '--quiet', '--message', 'Begin')
  const server = await SoakedServer.start(folder, ledger)
  const headers = { 'if-match': '*' }
  const body = soakDocument(origin)
  await server.call('/api/admin/config.xml', [200], { method: 'PUT', headers, body })
  await server.stop()
}

interface Life {
  readonly agents: readonly BuildingAgent[]
  readonly isFlooded: boolean
  readonly mayEnd: () => boolean
}

async function live(server: SoakedServer, { agents, isFlooded, mayEnd }: Life): Promise<void> {
  const { ledger } = server
  const before = ledger.total()
  const turns = new SerialQueue()
  const uuids = agents.map(({ uuid }) => uuid)
  const users = [
    ...saveUntilGone(server),
    ...editUntilGone(server, turns),
    ...readUntilGone(server),
    ...knockUntilGone(server),
    ...(isFlooded ? floodUntilGone(server) : []),
    ...operateUntilGone(server, uuids, turns),
    ...agents.map((agent) => server.untilGone(() => agent.step(server, turns))),
  ]
  await wait(MIN_LIFETIME_MS + Math.random() * (MAX_LIFETIME_MS - MIN_LIFETIME_MS))
  while (ledger.total() === before || !mayEnd()) await wait(5)
  await Promise.all([server.kill(), ...users])
}
