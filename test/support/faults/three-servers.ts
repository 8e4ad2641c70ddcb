import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { SmallDisk } from '../disk/small-disk.ts'
import { KEY, ProtocolAgent } from '../agents/protocol-agent.ts'
import { git } from '../git/git.ts'
import { freePort } from '../programs/free-port.ts'
import { PostgresCluster } from '../programs/postgres-cluster.ts'
import { Program } from '../programs/program.ts'
import { TcpProxy } from '../programs/tcp-proxy.ts'
import { placesIn } from '../service/backups.ts'
import {
  AGENT,
  BUILDERS,
  Callers,
  type Change,
  FIRST_VALUE,
  firstDocument,
  PASSWORD,
} from './callers.ts'
import { SupervisedServer } from './supervised-server.ts'

const CLOCK = fileURLToPath(new URL('shifted-clock.cjs', import.meta.url))
const OWN_LINES = fileURLToPath(new URL('own-lines.cjs', import.meta.url))
const NAMES = ['one', 'two', 'three'] as const
const MEGABYTES = 96

/** One of three servers, with its lines to the database and from each of the other servers. */
export interface Member {
  readonly server: SupervisedServer
  /**
   * The address that it advertises. Nobody listens there: each other server reaches it by a proxy
   * of its own instead.
   */
  readonly advertised: string
  readonly toDatabase: TcpProxy
  readonly fromOthers: readonly TcpProxy[]
}

/**
 * In milliseconds: until each of some servers decided about the next save, and one was acknowledged; and
 * until a run that was started at each of them was over.
 */
export interface NextChanges {
  readonly nextSave: number
  readonly nextBuild: number
}

/** The consequences of a fault, by its name, for changes. */
export interface Loss extends NextChanges {
  readonly name: string
}

/** Three servers of one database, with a proxy between each two of them, and their callers. */
export class ThreeServers implements AsyncDisposable {
  readonly callers: Callers
  readonly members: readonly Member[]
  readonly cluster: PostgresCluster
  /** Where the tables lie; null where none may be mounted. */
  readonly disk: SmallDisk | null
  readonly #clock: string
  readonly #folder: string
  readonly #losses: Promise<Loss>[] = []
  readonly #agents: Program[] = []

  private constructor(made: {
    members: readonly Member[]
    cluster: PostgresCluster
    disk: SmallDisk | null
    folder: string
    clock: string
  }) {
    this.members = made.members
    this.cluster = made.cluster
    this.disk = made.disk
    this.#folder = made.folder
    this.#clock = made.clock
    this.callers = new Callers(made.members.map(({ server }) => server.url))
  }

  static async start(folder: string, { isDiskSmall = false } = {}): Promise<ThreeServers> {
    const cluster = await PostgresCluster.start()
    const disk = isDiskSmall ? new SmallDisk(MEGABYTES) : null
    if (disk?.isMounted) {
      // PostgreSQL has an account of its own, and has to get there.
      chmodSync(dirname(disk.path), 0o755)
      cluster.useTablespace(disk.path)
    }
    const database = cluster.freshSchema()
    const clock = join(folder, 'clock')
    writeFileSync(clock, '0')
    const places: Place[] = []
    for (const name of NAMES) places.push(await placeOf(name, join(folder, name)))
    const members: Member[] = []
    for (const place of places) {
      const [first] = members
      if (first !== undefined) shareFiles(join(folder, 'one'), place.folder)
      const jumping = place.name === 'two' ? clock : null
      members.push(await startMember({ database, place, places, clock: jumping }))
      if (first === undefined) await members[0]?.server.served()
    }
    await Promise.all(members.map(({ server }) => server.served()))
    const scene = new ThreeServers({
      members,
      cluster,
      disk: disk?.isMounted ? disk : null,
      folder,
      clock,
    })
    await scene.#begin()
    return scene
  }

  get urls(): readonly string[] {
    return this.members.map(({ server }) => server.url)
  }

  /** Says that a server is lost from now on, so that the next changes at the others are waited for. */
  lose(lost: Member, name: string): void {
    const others = this.urls.filter((url) => url !== lost.server.url)
    this.#losses.push(this.nextChanges(others).then((next) => ({ name, ...next })))
  }

  /** The time that the next changes at some servers take from now on. */
  async nextChanges(urls = this.urls): Promise<NextChanges> {
    const changes: Change[] = ['save', 'build']
    const next = await Promise.all(changes.map((what) => this.callers.until(what, urls)))
    const [nextSave = 0, nextBuild = 0] = next
    return { nextSave, nextBuild }
  }

  /** The losses so far, once they are made up for. */
  losses(): Promise<Loss[]> {
    return Promise.all(this.#losses)
  }

  /** Makes the clock of one of the servers wrong by this many milliseconds. */
  setClock(milliseconds: number): void {
    writeFileSync(this.#clock, `${Math.round(milliseconds)}`)
  }

  /** The leader. Asks until there is one. */
  async leader(): Promise<Member> {
    for (;;) {
      for (const { server } of this.members) {
        const name = await this.#leaderBy(server.url)
        const found = this.members.find(({ advertised }) => name === new URL(advertised).href)
        if (found !== undefined) return found
      }
      await wait(100)
    }
  }

  async #leaderBy(url: string): Promise<string | null> {
    try {
      const { text } = await this.callers.ask('/health', {}, url)
      const health: { servers?: { holder?: string | null } } = JSON.parse(text)
      return health.servers?.holder ? new URL(health.servers.holder).href : null
    } catch {
      return null
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { process } of this.#agents) process.kill('SIGTERM')
    await Promise.all(this.#agents.map((agent) => agent.ended()))
    await Promise.all(this.members.map(({ server }) => server[Symbol.asyncDispose]()))
    for (const { toDatabase, fromOthers } of this.members) {
      for (const line of [toDatabase, ...fromOthers]) await line[Symbol.asyncDispose]()
    }
    await this.cluster[Symbol.asyncDispose]()
    this.disk?.[Symbol.dispose]()
  }

  /** A first value, something to build from, an agent that builds nothing, and agents that do. */
  async #begin(): Promise<void> {
    const origin = join(this.#folder, 'origin')
    mkdirSync(origin)
    git(origin, 'init', '--quiet', '--initial-branch=main')
    writeFileSync(join(origin, 'hello.txt'), 'hello\n')
    git(origin, 'add', '.')
    git(origin, 'commit', '--quiet', '--message', 'Begin')
    const headers = { 'if-match': '*', 'x-cairn-message': FIRST_VALUE }
    const [url = ''] = this.urls
    const put = { method: 'PUT', headers, body: firstDocument(origin) }
    const saved = await this.callers.ask('/api/admin/config.xml', put, url)
    if (saved.status !== 200) throw new Error(`the first save: ${saved.status} ${saved.text}`)
    const fetchFirst = (path: string, init: RequestInit = {}) => fetch(`${url}${path}`, init)
    await ProtocolAgent.join({ fetch: fetchFirst }, AGENT)
    const enabled = await this.callers.ask(`/api/agents/${AGENT}/enable`, { method: 'POST' }, url)
    if (enabled.status !== 200) throw new Error(`the agent: ${enabled.status} ${enabled.text}`)
    this.#agents.push(...this.urls.map((first) => this.#startAgent(first)))
  }

  /** An agent that knows each server, and begins with one of them. */
  #startAgent(first: string): Program {
    const servers = [first, ...this.urls.filter((url) => url !== first)]
    const folder = join(this.#folder, `agent-${new URL(first).port}`)
    return new Program([
      'agent',
      ...servers.flatMap((url) => ['--server', url]),
      '--work-dir',
      folder,
      '--auto-register-key',
      KEY,
      '--environments',
      BUILDERS,
    ])
  }
}

/** Copies the files that all servers of a database need. */
function shareFiles(from: string, to: string): void {
  for (const file of ['secret.keys', 'artifacts/.cairn-database']) {
    cpSync(join(from, 'state', file), join(to, 'state', file))
  }
}

interface Place {
  readonly name: string
  readonly folder: string
  readonly port: number
  readonly advertisedPort: number
  /** Its lines from each of the others, by their names. */
  readonly lines: ReadonlyMap<string, TcpProxy>
}

async function placeOf(name: string, folder: string): Promise<Place> {
  const [port, advertisedPort] = [await freePort(), await freePort()]
  const lines = new Map<string, TcpProxy>()
  for (const other of NAMES) if (other !== name) lines.set(other, await TcpProxy.to(port))
  return { name, folder, port, advertisedPort, lines }
}

/** By the port that others are told, the port of the line that this server has to there. */
function ownLines(name: string, places: readonly Place[]): Record<number, number> {
  return Object.fromEntries(
    places.flatMap(({ advertisedPort, lines }) => {
      const line = lines.get(name)
      return line === undefined ? [] : [[advertisedPort, line.port]]
    }),
  )
}

async function startMember({
  database,
  place: { name, folder, port, advertisedPort, lines },
  places,
  clock,
}: {
  database: string
  place: Place
  places: readonly Place[]
  /** The file that its clock follows; null for a clock that is never wrong. */
  clock: string | null
}): Promise<Member> {
  const toDatabase = await TcpProxy.open(database)
  const advertised = `http://127.0.0.1:${advertisedPort}`
  const modules = clock === null ? [OWN_LINES] : [OWN_LINES, CLOCK]
  const env = {
    NODE_OPTIONS: modules.map((each) => `--require ${each}`).join(' '),
    OWN_LINES: JSON.stringify(ownLines(name, places)),
    ...(clock === null ? {} : { SHIFTED_CLOCK: clock }),
  }
  const flags = [
    ...placesIn(folder),
    '--state',
    toDatabase.through(database),
    '--advertise',
    advertised,
    '--admin-password',
    PASSWORD,
    '--auto-register-key',
    KEY,
    '--local-materials',
    join(folder, '..'),
    '--material-interval',
    '24h',
  ]
  const server = new SupervisedServer({ name, port, flags, env })
  return { server, advertised, toDatabase, fromOthers: [...lines.values()] }
}
