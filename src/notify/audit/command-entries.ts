import { randomUUID } from 'node:crypto'
import nodeFs from 'node:fs/promises'
import { join } from 'node:path'
import { parseJsonOrNull } from '../../lib/parse-json.ts'
import { AuditEntry, type NewAuditEntry } from '../../core/service/audit.ts'
import type { Clock } from '../../lib/clock.ts'
import { inBackground } from '../../lib/in-background.ts'
import type { Log } from '../../lib/log.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'

/** The address of a user who works on the machine itself. */
const COMMAND_LINE = 'command line'
const BEGUN = '.begun'
const ENDED = '.json'
const LATE = '.late'
/** The silence after which a command counts as cut off. */
const CUT_OFF_AFTER_MS = 60_000
/** The time by which it is certain whether an unanswered entry was stored. */
const KNOWN_AFTER_MS = 20_000
/** The interval of looking for entries. */
const POLL_INTERVAL_MS = 1_000
/** The number of late entries that are held in memory while the disk takes none. */
const MAX_HELD = 10_000

const Entry = AuditEntry.omit({ id: true })

/** An action of a command, and the user who runs it. */
export interface CommandAction {
  readonly user: string
  readonly action: string
  readonly target: string
}

/** The folder in which entries wait, of the server that has this state. */
export function commandEntriesIn(stateDir: string): string {
  return join(stateDir, 'audit', 'commands')
}

/**
 * Runs the work of a command, and leaves an entry for the audit log. The log belongs to the running
 * server, so the entry waits until a server takes it in.
 *
 * A draft of it is on disk before the work begins: a command that is cut off leaves an entry that
 * says so. Work that fails or is refused changed nothing and leaves none.
 *
 * @param targetOf names the target where only the result says it.
 */
export async function recordCommand<Result>(
  folder: string,
  action: CommandAction,
  work: () => Promise<Result>,
  targetOf: (result: Result) => string = () => action.target,
): Promise<Result> {
  const name = join(folder, `${String(Date.now()).padStart(14, '0')}-${randomUUID()}`)
  await nodeFs.mkdir(folder, { recursive: true })
  await write(name + BEGUN, { ...entryOf(action), outcome: 'failed', reason: 'cut-off' })
  try {
    const result = await work()
    await write(name + ENDED, { ...entryOf(action), target: targetOf(result) })
    return result
  } finally {
    await nodeFs.rm(name + BEGUN, { force: true })
  }
}

export interface CommandEntriesOptions {
  readonly folder: string
  /** Keeps an entry in the audit log. False when it does not take it now. */
  readonly keep: (entry: NewAuditEntry) => Promise<boolean>
  readonly clock: Clock
  readonly log: Log
}

/** Takes in the entries of commands that ran beside this server, or before it, and late ones. */
export class CommandEntries implements AsyncDisposable {
  readonly #options: CommandEntriesOptions
  readonly #timer: NodeJS.Timeout
  readonly #held: NewAuditEntry[] = []
  #taking: Promise<void> | null = null

  constructor(options: CommandEntriesOptions) {
    this.#options = options
    this.#timer = setInterval(() => this.#look(), POLL_INTERVAL_MS).unref()
    this.#look()
  }

  /**
   * Leaves an entry that the audit log did not take, until it does: in a file, or in memory while the
   * disk has no room for that.
   *
   * @throws the system's error when there are too many in memory.
   */
  async leave(entry: NewAuditEntry): Promise<void> {
    try {
      await writeLate(this.#options.folder, entry)
    } catch (error) {
      if (this.#held.length >= MAX_HELD) throw error
      this.#held.push(entry)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer)
    await this.#taking
    await this.#writeHeld()
    for (const entry of this.#held) {
      const message = 'An entry of the audit log is lost'
      this.#options.log({ level: 'error', message, facts: { entry } })
    }
  }

  #look(): void {
    if (this.#taking !== null) return
    const taken = this.#takeAll().finally(() => (this.#taking = null))
    this.#taking = taken.catch(() => {})
    inBackground(this.#options.log, 'The entries of commands could not be taken in', taken)
  }

  /** Writes what is in memory, as far as there is room. */
  async #writeHeld(): Promise<void> {
    try {
      for (let first = this.#held[0]; first !== undefined; first = this.#held[0]) {
        await writeLate(this.#options.folder, first)
        this.#held.shift()
      }
    } catch {
      // The next look tries again; why the log took no entry is in the health.
    }
  }

  /** An entry is removed once the audit log has it. */
  async #takeAll(): Promise<void> {
    await this.#writeHeld()
    const { folder, keep } = this.#options
    const names = (await orNullWhenAbsent(nodeFs.readdir(folder))) ?? []
    for (const name of names.toSorted()) {
      const file = join(folder, name)
      if (!(await this.#isDue(file))) continue
      const text = await orNullWhenAbsent(nodeFs.readFile(file, 'utf8'))
      if (text === null) continue
      if (!(await keep(this.#entryIn(text, name)))) return
      await nodeFs.rm(file, { force: true })
    }
  }

  async #isDue(file: string): Promise<boolean> {
    if (file.endsWith(ENDED)) return true
    const isLate = file.endsWith(LATE)
    const facts = isLate || file.endsWith(BEGUN) ? await orNullWhenAbsent(nodeFs.stat(file)) : null
    const after = isLate ? KNOWN_AFTER_MS : CUT_OFF_AFTER_MS
    return facts !== null && facts.mtimeMs < this.#options.clock() - after
  }

  #entryIn(text: string, name: string): NewAuditEntry {
    const read = Entry.safeParse(parseJsonOrNull(text))
    if (read.success) return read.data
    const about = { user: '', action: 'damaged-entry', target: name }
    return { ...entryOf(about), outcome: 'failed' }
  }
}

async function writeLate(folder: string, entry: NewAuditEntry): Promise<void> {
  await nodeFs.mkdir(folder, { recursive: true, mode: 0o700 })
  const name = `${String(entry.time).padStart(14, '0')}-${randomUUID()}${LATE}`
  await write(join(folder, name), entry)
}

function entryOf(action: CommandAction): NewAuditEntry {
  return { time: Date.now(), ...action, address: COMMAND_LINE, outcome: 'done' }
}

function write(file: string, entry: NewAuditEntry): Promise<void> {
  return replaceFile(file, JSON.stringify(entry), { mode: 0o644 })
}
