// Loaded into a server before its program: tells whoever started it what held its main thread.
import { openSync, readSync } from 'node:fs'
import { Session } from 'node:inspector/promises'
import { isMainThread } from 'node:worker_threads'

/** How often the loop is asked for its turn, and the stack is taken, in milliseconds. */
const [TICK, SAMPLING] = [2, 1]
/** So many of the longest blocks are told. */
const TOLD = 5

if (isMainThread && process.send) {
  let sampler = null
  const ordered = {
    begin: async () => {
      sampler = await beginSampling()
      return null
    },
    end: () => sampler.end(),
  }
  process.on('message', (order) => {
    void ordered[order]().then((outcome) => process.send(outcome))
  })
  process.channel?.unref()
}

async function beginSampling() {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: SAMPLING * 1_000 })
  await session.post('Profiler.start')
  const turns = turnsOfLoop()
  return {
    end: async () => {
      turns.stop()
      const { profile } = await session.post('Profiler.stop')
      session.disconnect()
      return turns.longest().map((turn) => ({ ...turn, ...stackIn(profile, turn) }))
    },
  }
}

/** Notes how long each turn of the loop held the thread, without the time in which others had its core. */
function turnsOfLoop() {
  const schedule = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const buffer = Buffer.alloc(128)
  const look = () => {
    const text = buffer.latin1Slice(0, readSync(schedule, buffer, 0, buffer.length, 0))
    const [used, waited] = text.split(' ').map((nanoseconds) => Number(nanoseconds) / 1e6)
    return { at: Number(process.hrtime.bigint()) / 1e6, used, waited }
  }
  let turns = []
  let last = look()
  const timer = setInterval(() => {
    const now = look()
    const [wall, waited] = [now.at - last.at, now.waited - last.waited]
    turns.push({
      from: last.at,
      to: now.at,
      held: wall - waited - TICK,
      used: now.used - last.used,
    })
    if (turns.length > 1_000) turns = longestOf(turns)
    last = now
  }, TICK)
  timer.unref()
  return { stop: () => clearInterval(timer), longest: () => longestOf(turns) }
}

function longestOf(turns) {
  const by = (time) => turns.toSorted((one, other) => other[time] - one[time]).slice(0, TOLD)
  return [...new Set([...by('held'), ...by('used')])]
}

/** Where most of a turn was spent: from its longest callback down as long as half of it lies in one call, the innermost frame first. */
function stackIn({ nodes, samples, timeDeltas, startTime }, { from, to }) {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const callers = new Map()
  for (const { id, children = [] } of nodes) for (const child of children) callers.set(child, id)
  const counts = new Map()
  const countOf = (id) => counts.get(id) ?? 0
  let at = startTime
  samples.forEach((sample, n) => {
    at += timeDeltas[n]
    if (at < from * 1_000 || at > to * 1_000) return
    for (let id = sample; id !== undefined; id = callers.get(id)) counts.set(id, countOf(id) + 1)
  })
  const stack = []
  const [root] = nodes
  for (let node = root; ;) {
    const [next] = (node.children ?? []).toSorted((one, other) => countOf(other) - countOf(one))
    const least = node === root ? 1 : Math.max(1, countOf(node.id) / 2)
    if (next === undefined || countOf(next) < least) {
      return { frames: stack, share: countOf(node.id) / Math.max(1, countOf(root.id)) }
    }
    node = byId.get(next)
    stack.unshift(node.callFrame)
  }
}
