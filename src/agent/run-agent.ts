import { randomUUID, createHash } from 'node:crypto'
import { mkdir, realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { plural } from '../lib/plural.ts'
import { removeCopiesWithCredentials } from './checkout/checkout.ts'
import { Contact } from './contact.ts'
import { Identity } from './host/identity.ts'
import { Machine } from './host/machine.ts'
import { inheritedVariables } from './job/job-environment.ts'
import { shutFolders } from './job/pipeline-folders.ts'
import { markOf, type ProcessMark } from '../processes/process-mark.ts'
import { type ControlGroup, findLeftGroups, openControlGroup } from './process/control-group.ts'
import { endProcesses } from './process/end-processes.ts'
import { Reaper } from '../processes/reaper.ts'
import { assertUsable, type JobUser } from './process/job-user.ts'
import { AgentClient } from './server/agent-client.ts'
import { Backoff } from '../lib/retry.ts'
import { pause } from '../lib/pause.ts'
import { Worker } from './worker.ts'
import type { Log } from '../lib/log.ts'
import { CONTACT_INTERVAL_MS } from '../wire/agent/contact.ts'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { unavailable } from '../core/errors.ts'

/** The timing of the agent; tests make it short. */
interface AgentTiming {
  /** The longest time from one contact to the next; the server may ask for a shorter one. */
  readonly contactMs: number
  /** The shortest and the longest pause between attempts to reach the server. */
  readonly backoff: { readonly fromMs: number; readonly toMs: number }
  /** The time for which console output is collected before it is sent. */
  readonly flushMs: number
  /** The time between SIGTERM and SIGKILL. */
  readonly graceMs: number
  /**
   * The time for which a stopping agent tries to reach the server, after its processes have ended.
   */
  readonly shutdownMs: number
}

const AGENT_TIMING: AgentTiming = {
  contactMs: CONTACT_INTERVAL_MS,
  backoff: { fromMs: 500, toMs: 15_000 },
  flushMs: 500,
  graceMs: 2_500,
  shutdownMs: 5_000,
}

/** With several servers another one answers at once, or takes over within seconds. */
const MAX_PAUSE_BETWEEN_SERVERS_MS = 1_000

export interface AgentOptions {
  /** The address of the server with its application path; of several servers, each is tried. */
  readonly servers: readonly [string, ...string[]]
  readonly workDir: string
  readonly autoRegisterKey: string | null
  readonly resources: readonly string[]
  readonly environments: readonly string[]
  /** Replaces the machine's own name. */
  readonly hostname: string | null
  readonly version: string
  /** The environment that the processes of jobs inherit, without the agent's own settings. */
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The user that runs the processes of jobs; null for the agent's own user. */
  readonly jobUser: JobUser | null
  readonly log: Log
  readonly timing?: AgentTiming
}

/**
 * Runs one build agent until it is stopped: then its job is ended with all its processes, and the
 * server is notified. The agent waits for a server that is unreachable.
 *
 * @throws when the work folder cannot be used, or another agent works in it.
 */
export async function runAgent(options: AgentOptions, stop: AbortSignal): Promise<void> {
  await mkdir(options.workDir, { recursive: true, mode: 0o700 })
  const workDir = await realpath(options.workDir)
  const { jobUser } = options
  const locks = [await lockFolder(workDir)]
  try {
    if (jobUser !== null) {
      locks.push(await lockUser(jobUser))
      await shutFolders(workDir)
      await assertUsable(jobUser, workDir)
    }
    await runIn(workDir, options, stop)
  } finally {
    for (const lock of locks) lock[Symbol.dispose]()
  }
}

async function runIn(workDir: string, options: AgentOptions, stop: AbortSignal): Promise<void> {
  const identity = await Identity.open(workDir)
  const instance = randomUUID()
  const mark = markOf({ uuid: identity.uuid, folder: workDir, instance })
  await endLeftovers(mark, options)
  await removeCopiesWithCredentials({
    folders: join(workDir, 'pipelines'),
    notes: join(workDir, 'checkouts'),
  })
  const controlGroup = openControlGroup(mark, options.log)
  const folder = controlGroup?.folder ?? null
  const reaper = new Reaper(mark.instance, { user: options.jobUser, controlGroup: folder })
  options.log({ level: 'info', message: `Agent ${identity.uuid} works in ${workDir}` })
  try {
    await serve(options, { workDir, identity, instance, mark, controlGroup, stop })
  } finally {
    reaper[Symbol.dispose]()
    controlGroup?.remove()
  }
  options.log({ level: 'info', message: 'Agent stopped' })
}

interface AgentRun {
  readonly workDir: string
  readonly identity: Identity
  readonly instance: string
  readonly mark: ProcessMark
  readonly controlGroup: ControlGroup | null
  readonly stop: AbortSignal
}

async function serve(options: AgentOptions, run: AgentRun): Promise<void> {
  const { servers, log, jobUser } = options
  const timing = timingFor(servers, options.timing ?? AGENT_TIMING)
  const { identity, instance, stop } = run
  const findToken = (): string | null => identity.token
  const client = new AgentClient({ servers, uuid: identity.uuid, findToken })
  const shutdownDeadline = new AbortController()
  const worker = new Worker({
    ...run,
    ...timing,
    client,
    server: servers[0],
    log,
    jobUser,
    clock: Date.now,
    inherited: inheritedVariables(options.environment),
    shutdownDeadline: shutdownDeadline.signal,
  })
  const machine = new Machine({ ...options, server: servers[0], sandbox: run.workDir, instance })
  const autoRegister = autoRegistration(options)
  const contact = new Contact({ client, identity, machine, work: worker, autoRegister, log })
  const startDeadline = (): void => {
    setTimeout(() => shutdownDeadline.abort(), timing.graceMs + timing.shutdownMs).unref()
  }
  stop.addEventListener('abort', startDeadline, { once: true })
  await Promise.all([keepContact(contact, timing, stop), worker.work(stop)])
  await contact.unregister(shutdownDeadline.signal)
}

/** The timing of an agent with this number of servers. */
function timingFor(servers: readonly string[], timing: AgentTiming): AgentTiming {
  if (servers.length === 1) return timing
  const { fromMs, toMs } = timing.backoff
  return { ...timing, backoff: { fromMs, toMs: Math.min(toMs, MAX_PAUSE_BETWEEN_SERVERS_MS) } }
}

async function keepContact(
  contact: Contact,
  { contactMs, backoff }: Pick<typeof AGENT_TIMING, 'contactMs' | 'backoff'>,
  stop: AbortSignal,
): Promise<void> {
  const pauses = new Backoff(backoff)
  while (!stop.aborted) {
    const taken = await contact.make(stop)
    if (taken) pauses.reset()
    const next = Math.min(contactMs, contact.intervalMs ?? contactMs)
    await pause(taken ? next : pauses.next(), stop)
  }
}

function autoRegistration({ autoRegisterKey, resources, environments }: AgentOptions) {
  return autoRegisterKey === null
    ? null
    : { key: autoRegisterKey, resources: [...resources], environments: [...environments] }
}

/** Ends the processes, including the reaper, of an agent that was killed in this folder. */
async function endLeftovers(
  mark: ProcessMark,
  { log, jobUser, timing = AGENT_TIMING }: AgentOptions,
) {
  const isMarked = (text: string): boolean =>
    text.includes(mark.agent) && !text.includes(mark.instance)
  const controlGroups = findLeftGroups(mark)
  const belonging = { isMarked, groups: new Set<number>(), user: jobUser, controlGroups }
  const left = await endProcesses(belonging, timing.graceMs)
  for (const group of controlGroups) group.remove()
  if (left === 0) return
  const message = `${left} ${plural(left, 'process', 'processes')} of an earlier run could not be ended`
  log({ level: 'warning', message })
}

/**
 * Prevents a second agent from using a folder.
 *
 * @throws {ServiceError} when an agent already uses the folder.
 */
export function lockFolder(folder: string): Promise<Disposable> {
  const digest = createHash('sha256').update(folder).digest('hex')
  return lockName(`cairn-agent-${digest}`, `Another agent works in ${folder}`)
}

/**
 * Reserves the user of an agent's jobs for this agent: all processes of that user are killed with a
 * job.
 *
 * @throws {ServiceError} when the jobs of another agent run as that user.
 */
function lockUser({ name, uid }: JobUser): Promise<Disposable> {
  return lockName(`cairn-job-user-${uid}`, `Another agent runs its jobs as the user ${name}`)
}

/** The lock is a name that the kernel releases when the process ends in any way. */
async function lockName(name: string, refusal: string): Promise<Disposable> {
  const server = createServer((socket) => socket.destroy())
  server.listen(`\0${name}`)
  try {
    await once(server, 'listening')
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EADDRINUSE')) throw error
    throw unavailable(refusal, error)
  }
  server.unref()
  return { [Symbol.dispose]: () => server.close() }
}
