import { mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { reasonOf } from '../../core/errors.ts'
import type { Log } from '../../lib/log.ts'
import type { ProcessMark } from '../../processes/process-mark.ts'

const MEMBERS = 'cgroup.procs'
const KILL = 'cgroup.kill'

/**
 * A control group of the kernel (cgroup v2). A process that starts in it stays in it with all its
 * descendants, even if they change their environment, process group and parent.
 */
export class ControlGroup {
  readonly folder: string
  /** The folder of the agent's own group. */
  readonly #own: string

  constructor(folder: string, own: string) {
    this.folder = folder
    this.#own = own
  }

  /** A group inside this one, made when something is started in it. */
  child(name: string): ControlGroup {
    return new ControlGroup(join(this.folder, name), this.#own)
  }

  /**
   * Starts a process in the group. The agent itself is in it meanwhile, because a process begins in
   * the group of its parent: one that is moved later could have started others before.
   */
  start<T>(startProcess: () => T): T {
    mkdirSync(this.folder, { recursive: true })
    moveAgent(this.folder)
    try {
      return startProcess()
    } finally {
      moveAgent(this.#own)
    }
  }

  /** The processes of the group and of groups inside it. */
  listMembers(): number[] {
    return foldersBelow(this.folder).flatMap((folder) => {
      const text = unlessUnusable(() => readFileSync(join(folder, MEMBERS), 'utf8')) ?? ''
      return text.split('\n').flatMap((line) => (Number(line) > 0 ? [Number(line)] : []))
    })
  }

  /** Kills all processes in one call, so that none can escape by forking; kernels before 5.14 have none. */
  kill(): void {
    if (this.listMembers().includes(process.pid)) return
    unlessUnusable(() => writeFileSync(join(this.folder, KILL), '1', { flag: 'r+' }))
  }

  /** Removes the group if it has no processes. */
  remove(): void {
    for (const folder of foldersBelow(this.folder)) unlessUnusable(() => rmdirSync(folder))
  }
}

const NO_GROUPS =
  'Jobs have no control groups: what gives up its environment and process group may outlive its job'

/**
 * Finds a place for the parent group of all jobs of this run of the agent; null when the system
 * does not let the agent create one.
 */
export function openControlGroup(mark: ProcessMark, log: Log): ControlGroup | null {
  const own = findOwnGroup()
  const group = own === null ? null : new ControlGroup(join(own, groupName(mark.instance)), own)
  try {
    if (group === null) throw new Error('no cgroup2 file system has the group of the agent')
    group.child('trial').start(() => undefined)
    return group
  } catch (error) {
    log({ level: 'info', message: NO_GROUPS, facts: { reason: reasonOf(error) } })
    return null
  } finally {
    group?.remove()
  }
}

/** The groups that earlier runs of the agent left, wherever these ran. */
export function findLeftGroups(mark: ProcessMark): ControlGroup[] {
  const mount = findMount()
  if (mount === null) return []
  const folders = foldersBelow(mount.folder).filter((folder) => {
    const name = folder.slice(folder.lastIndexOf('/') + 1)
    return name.startsWith(groupName(mark.agent)) && name !== groupName(mark.instance)
  })
  return folders.map((folder) => new ControlGroup(folder, mount.folder))
}

function groupName(mark: string): string {
  return `cairn-${mark.replaceAll('/', '.')}`
}

function moveAgent(folder: string): void {
  writeFileSync(join(folder, MEMBERS), String(process.pid), { flag: 'r+' })
}

function findOwnGroup(): string | null {
  const mount = findMount()
  const [, path] = /^0::(\/.*)$/m.exec(readProc('self/cgroup')) ?? []
  if (mount === null || path === undefined) return null
  const inside = relative(mount.root, path)
  return inside.startsWith('..') ? null : join(mount.folder, inside)
}

/** Where groups are, and which of them is the root there. */
function findMount(): { readonly folder: string; readonly root: string } | null {
  for (const line of readProc('self/mountinfo').split('\n')) {
    const [, root, folder] = /^\d+ \d+ \S+ (\S+) (\S+) .* - cgroup2 /.exec(line) ?? []
    if (root !== undefined && folder !== undefined)
      return { root: decodeOctal(root), folder: decodeOctal(folder) }
  }
  return null
}

/** The kernel writes blanks as octal numbers. */
function decodeOctal(text: string): string {
  return text.replaceAll(/\\([0-7]{3})/g, (_, octal: string) =>
    String.fromCharCode(parseInt(octal, 8)),
  )
}

function readProc(name: string): string {
  return unlessUnusable(() => readFileSync(`/proc/${name}`, 'utf8')) ?? ''
}

/** The group and those inside it, the innermost first. */
function foldersBelow(folder: string): string[] {
  const entries = unlessUnusable(() => readdirSync(folder, { withFileTypes: true })) ?? []
  const inner = entries.filter((entry) => entry.isDirectory())
  return [...inner.flatMap(({ name }) => foldersBelow(join(folder, name))), folder]
}

/** A group has ended, has processes again, is threaded (and lists none), or is not the agent's. */
const UNUSABLE: ReadonlySet<string> = new Set(
  'ENOENT ENODEV EBUSY EOPNOTSUPP EACCES EPERM EROFS'.split(' '),
)

function unlessUnusable<T>(look: () => T): T | null {
  try {
    return look()
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNUSABLE.has(String(error.code))) return null
    throw error
  }
}
