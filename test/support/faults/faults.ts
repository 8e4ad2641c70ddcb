import { setTimeout as wait } from 'node:timers/promises'
import type { Member, ThreeServers } from './three-servers.ts'

/** Something that happens to the servers, and is over when it returns. */
export interface Fault {
  readonly name: string
  /** Whether a server is lost by it, so that the next save and the next build are waited for. */
  readonly losesServer: boolean
  run(scene: ThreeServers): Promise<void>
}

/** In milliseconds: longer than the lease of the duties lasts. */
const LONGER_THAN_THE_LEASE = 8_000
const SHORT = 3_000
const A_DAY = 86_400_000

export const KILL: Fault = lost('a server is killed', async (_, { server }) => server.kill())
export const KILL_HOLDER: Fault = lost('the server with the duties is killed', async (scene) => {
  const { server } = await scene.holder()
  server.kill()
})
export const STOP_AND_WAKE: Fault = lost(
  'it is stopped for longer than its lease',
  async (scene) => {
    const goOn = (await scene.holder()).server.freeze()
    await wait(LONGER_THAN_THE_LEASE)
    goOn()
  },
)
export const HALF_OPEN: Fault = lost('its database takes its calls and never answers', (scene) =>
  during(LONGER_THAN_THE_LEASE, scene, ({ toDatabase }) => toDatabase.deafen()),
)
export const RESTART_DATABASE: Fault = {
  name: 'the database is started again',
  losesServer: false,
  async run({ cluster }) {
    await cluster.stop()
    await wait(Math.random() * 1_000)
    await cluster.startAgain()
  },
}

/** Each kind of fault; the first five are those of the short form. */
export const FAULTS: readonly Fault[] = [
  KILL_HOLDER,
  STOP_AND_WAKE,
  HALF_OPEN,
  RESTART_DATABASE,
  KILL,
  lost('two take-overs in a row', async (scene) => {
    const first = await scene.holder()
    first.server.kill()
    let second = first
    while (second === first) second = await scene.holder()
    second.server.kill()
  }),
  lost('a server is stopped for a moment', async (_, { server }) => {
    const goOn = server.freeze()
    await wait(Math.random() * SHORT)
    goOn()
  }),
  lost('a server is cut off from the database', async (_, { toDatabase }) => {
    toDatabase.cutOff()
    await wait(SHORT)
    toDatabase.heal()
  }),
  silent('the others are cut off from the server with the duties', (scene) =>
    during(SHORT, scene, ({ fromOthers }) => fromOthers.cutOff()),
  ),
  silent('the others hear nothing from the server with the duties', (scene) =>
    during(SHORT, scene, ({ fromOthers }) => fromOthers.deafen()),
  ),
  silent('the database answers late', async (scene) => {
    for (const { toDatabase } of scene.members) toDatabase.slowDown(20 + Math.random() * 100)
    await wait(SHORT)
    for (const { toDatabase } of scene.members) toDatabase.heal()
  }),
  silent('a clock jumps', async (scene) => {
    scene.setClock((Math.random() * 2 - 1) * A_DAY)
    await wait(SHORT)
    scene.setClock(0)
  }),
  silent('the database is full', async ({ disk }) => {
    disk?.fill(0)
    await wait(SHORT)
    disk?.empty()
  }),
]

function silent(name: string, run: Fault['run']): Fault {
  return { name, losesServer: false, run }
}

function lost(name: string, run: (scene: ThreeServers, any: Member) => Promise<void>): Fault {
  return { name, losesServer: true, run: (scene) => run(scene, anyOf(scene)) }
}

function anyOf({ members }: ThreeServers): Member {
  const any = members[Math.floor(Math.random() * members.length)]
  if (any === undefined) throw new Error('there are no servers')
  return any
}

/** Does something to a line of the server with the duties for some time. */
async function during(
  milliseconds: number,
  scene: ThreeServers,
  begin: (holder: Member) => void,
): Promise<void> {
  const holder = await scene.holder()
  begin(holder)
  await wait(milliseconds)
  for (const line of [holder.toDatabase, holder.fromOthers]) line.heal()
}
