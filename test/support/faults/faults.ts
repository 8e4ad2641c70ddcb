import { setTimeout as wait } from 'node:timers/promises'
import { anyOf } from './callers.ts'
import type { Member, ThreeServers } from './three-servers.ts'

/** A fault of the servers, which is over when it returns. */
export interface Fault {
  readonly name: string
  run(scene: ThreeServers): Promise<void>
}

/** In milliseconds: longer than the lease lasts. */
const LONGER_THAN_LEASE_MS = 8_000
const SHORT_MS = 3_000
const MOMENT_MS = 1_500
const DAY_MS = 86_400_000

export const KILL = lost('a server is killed', anyMember, async ({ server }) => server.kill())
export const KILL_HOLDER = lost(
  'the leader is killed',
  (scene) => scene.leader(),
  async ({ server }) => server.kill(),
)
export const STOP_AND_WAKE = lost(
  'the leader is stopped for longer than its lease',
  (scene) => scene.leader(),
  ({ server }) => during(LONGER_THAN_LEASE_MS, server.freeze()),
)
export const HALF_OPEN = lost(
  'the database of the leader takes its calls and never answers',
  (scene) => scene.leader(),
  ({ toDatabase }) => {
    toDatabase.deafen()
    return during(LONGER_THAN_LEASE_MS, () => toDatabase.heal())
  },
)
export const RESTART_DATABASE: Fault = {
  name: 'the database is started again',
  async run({ cluster }) {
    await cluster.stop()
    await wait(Math.random() * 1_000)
    await cluster.startAgain()
  },
}

export const TWO_TAKE_OVERS: Fault = {
  name: 'two take-overs in a row',
  async run(scene) {
    await KILL_HOLDER.run(scene)
    await scene.losses()
    await KILL_HOLDER.run(scene)
  },
}
export const ONE_CUT_OFF: Fault = {
  name: 'one of the others is cut off from the leader',
  async run(scene) {
    const line = anyOf((await scene.leader()).fromOthers)
    line.cutOff()
    await during(SHORT_MS, () => line.heal())
  },
}
export const LATE_DATABASE: Fault = {
  name: 'the database answers late',
  async run({ members }) {
    for (const { toDatabase } of members) toDatabase.slowDown(20 + Math.random() * 100)
    await during(MOMENT_MS, () => members.forEach(({ toDatabase }) => toDatabase.heal()))
  },
}
export const CLOCK_JUMP: Fault = {
  name: 'a clock jumps',
  async run(scene) {
    scene.setClock((Math.random() * 2 - 1) * DAY_MS)
    await during(MOMENT_MS, () => scene.setClock(0))
  },
}
export const FULL_DATABASE: Fault = {
  name: 'the database is full',
  async run({ disk }) {
    disk?.fill(0)
    await during(MOMENT_MS, () => disk?.empty())
  },
}

/** Each kind of fault. */
export const FAULTS: readonly Fault[] = [
  KILL_HOLDER,
  STOP_AND_WAKE,
  HALF_OPEN,
  RESTART_DATABASE,
  KILL,
  TWO_TAKE_OVERS,
  lost('a server is stopped for a moment', anyMember, ({ server }) =>
    during(Math.random() * SHORT_MS, server.freeze()),
  ),
  lost('a server is cut off from the database', anyMember, ({ toDatabase }) => {
    toDatabase.cutOff()
    return during(SHORT_MS, () => toDatabase.heal())
  }),
  ONE_CUT_OFF,
  {
    name: 'the others are cut off from the leader',
    async run(scene) {
      const { fromOthers } = await scene.leader()
      for (const line of fromOthers) line.cutOff()
      await during(SHORT_MS, () => fromOthers.forEach((line) => line.heal()))
    },
  },
  {
    name: 'the others hear nothing from the leader',
    async run(scene) {
      const { fromOthers } = await scene.leader()
      for (const line of fromOthers) line.deafen()
      await during(LONGER_THAN_LEASE_MS, () => fromOthers.forEach((line) => line.heal()))
    },
  },
  LATE_DATABASE,
  CLOCK_JUMP,
  FULL_DATABASE,
]

/** A fault that takes a server from the others. */
function lost(
  name: string,
  choose: (scene: ThreeServers) => Member | Promise<Member>,
  run: (member: Member) => Promise<void>,
): Fault {
  return {
    name,
    async run(scene) {
      const member = await choose(scene)
      const over = run(member)
      scene.lose(member, name)
      await over
    },
  }
}

function anyMember({ members }: ThreeServers): Member {
  return anyOf(members)
}

/** Lets something last for so long. */
async function during(milliseconds: number, end: () => void): Promise<void> {
  await wait(milliseconds)
  end()
}
