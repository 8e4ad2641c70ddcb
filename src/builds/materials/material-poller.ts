import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import {
  materialFingerprint,
  type VersionControlMaterial,
} from '../../document/materials/identity.ts'
import { Emitter } from '../../lib/emitter.ts'
import { openAddress } from '../../document/secrets/address-secret.ts'
import { findSecretReferences } from '../../document/secrets/secret-reference.ts'
import { plural } from '../../lib/plural.ts'
import { SecretMissing } from '../../security/secret-files.ts'
import type { SecretUse } from '../../document/unsupported/secret-rules.ts'
import type { ConfigurationSecrets, FilledText } from '../assignment/configuration-secrets.ts'
import { secretsIn } from '../assignment/secrets.ts'
import type { Log } from '../../lib/log.ts'
import { withoutCredentials } from '../../core/hidden-credentials.ts'
import type { Problem } from '../../core/problem.ts'
import { isLocalAddress } from '../../core/source-address.ts'
import { SerialQueue } from '../../lib/serial-queue.ts'
import type { LocalMaterials } from '../../sources/local-materials.ts'
import { MaterialWatch } from './material-watch.ts'
import { removeOthers } from '../../storage/folders.ts'
import {
  type MaterialSource,
  type SourceModification,
  SourceFailed,
  type RevisionSpan,
} from '../../sources/modification.ts'
import { assertAllowed, openSource } from '../../sources/open-source.ts'
import { Tools } from '../../sources/tools.ts'
import { Semaphore } from '../../lib/semaphore.ts'
import { type WatchedMaterial, watchKey } from './watched-materials.ts'

export interface MaterialPollerOptions {
  /** The folder of the mirrors. */
  readonly folder: string
  /** Milliseconds between two polls of a material. */
  readonly interval: number
  /** Milliseconds before the first poll of one. */
  readonly first: number
  /** The environment variables for the clients of version controls. */
  readonly environment: Readonly<Record<string, string>>
  /** The folders of this machine that may be materials. */
  readonly local: LocalMaterials
  readonly secrets: Pick<ConfigurationSecrets, 'open' | 'fill' | 'usesOf'>
  readonly log: Log
  /** Milliseconds after which a client is killed. */
  readonly timeout?: number
}

interface Watched {
  readonly watched: WatchedMaterial
  /** The identity of the watch: a new password requires a new watch. */
  readonly key: string
  readonly watch: MaterialWatch
}

/** The limits of concurrent polls, of polls of failing materials, and of queries for changes. */
const AT_ONCE = 4
const TIMEOUT_MS = 60_000
const HIDDEN = '…'
/** Matches a URL, `user@host:path` and `host:port`. */
const HOST = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^@/]*@)?([^/:]+)/i
const URL_IN_TEXT = /\b[a-z][a-z0-9+.-]{0,30}:\/\/[^\s'"]+/gi

/** A material that cannot be read, and the pipelines that use it. */
export interface MaterialProblem {
  readonly fingerprint: string
  readonly subject: string
  /** The subject without the pipelines. */
  readonly briefly: string
  /** Without the address. */
  readonly errors: readonly Problem[]
  /** For administrators, with the address. */
  readonly errorsInFull: readonly Problem[]
  readonly pipelines: readonly string[]
}

interface ReasonedProblem {
  readonly reason: string
  readonly problem: MaterialProblem
}

/**
 * Polls every repository of the configuration for its newest revision; once each, however many
 * pipelines use it.
 */
export class MaterialPoller implements AsyncDisposable {
  readonly #options: MaterialPollerOptions
  readonly #tools: Tools
  readonly #polls = new Semaphore(AT_ONCE)
  readonly #failingPolls = new Semaphore(AT_ONCE)
  readonly #queries = new Semaphore(AT_ONCE)
  readonly #tidying = new SerialQueue()
  readonly #polled = new Emitter<[fingerprint: string]>()
  /** Every page shows the problems, and there may be tens of thousands. */
  readonly #problems = new WeakMap<WatchedMaterial, ReasonedProblem>()
  #watches = new Map<string, Watched>()
  /** The fingerprints of what is polled for one run now. */
  readonly #once = new Map<MaterialWatch, string>()

  constructor(options: MaterialPollerOptions) {
    this.#options = options
    const { environment, timeout = TIMEOUT_MS } = options
    this.#tools = new Tools({ environment, timeout })
  }

  /**
   * Calls the listener after every successful automatic poll. Returns a function that unsubscribes
   * it.
   */
  onPolled(listener: (fingerprint: string) => void): () => void {
    return this.#polled.on(listener)
  }

  /**
   * Replaces the set of watched materials in small steps: it is the old one until the last step.
   * Unchanged ones continue undisturbed.
   */
  *watch(materials: readonly WatchedMaterial[]): Generator<unknown, void> {
    const before = this.#watches
    const next = new Map<string, Watched>()
    for (const watched of materials) {
      yield next.set(watched.fingerprint, this.#watched(watched, before))
    }
    this.#watches = next
    const current = new Set([...this.#watches.values()].map(({ watch }) => watch))
    const gone = [...before.values()]
      .map(({ watch }) => watch)
      .filter((watch) => !current.has(watch))
    this.#end(gone)
  }

  /** Begins and ends watches of some materials, and leaves all others as they are. */
  replace(unused: readonly string[], materials: readonly WatchedMaterial[]): void {
    const ended = unused.flatMap((fingerprint) => this.#watches.get(fingerprint)?.watch ?? [])
    for (const fingerprint of unused) this.#watches.delete(fingerprint)
    for (const watched of materials) {
      const old = this.#watches.get(watched.fingerprint)
      const next = this.#watched(watched, this.#watches)
      if (old && old.watch !== next.watch) ended.push(old.watch)
      this.#watches.set(watched.fingerprint, next)
    }
    if (ended.length > 0) this.#end(ended)
  }

  /** Whether the last poll of a material failed. */
  isFailing(fingerprint: string): boolean {
    return (this.#watches.get(fingerprint)?.watch.failures ?? 0) > 0
  }

  /** The newest polled revision, or null before the first successful poll. */
  latest(fingerprint: string): string | null {
    return this.#watches.get(fingerprint)?.watch.latest ?? null
  }

  /**
   * The newest revision, from a poll that starts after the call.
   *
   * @throws {SourceFailed} when the repository cannot be read.
   */
  async poll(fingerprint: string): Promise<string> {
    return this.#failing(fingerprint, (watch) => watch.poll())
  }

  /**
   * The newest revision of a material that need not be watched, for one run by a former configuration.
   *
   * @throws {SourceFailed} when the repository cannot be read.
   */
  async pollOnce(material: VersionControlMaterial, pipeline: string): Promise<string> {
    const fingerprint = materialFingerprint(material)
    if (this.#watches.has(fingerprint)) return this.poll(fingerprint)
    const watched = { fingerprint, material, pipelines: [pipeline] }
    const watch = this.#open({ ...watched, material: { ...material, autoUpdate: false } })
    this.#once.set(watch, fingerprint)
    try {
      return await watch.poll()
    } catch (cause) {
      throw cause instanceof SourceFailed ? shownFailure(cause, material) : cause
    } finally {
      this.#once.delete(watch)
      watch[Symbol.dispose]()
      this.#tidyAfter([watch])
    }
  }

  /**
   * The changes of a span, newest first; null when they cannot be listed one by one.
   *
   * @throws {SourceFailed} when the repository cannot be read.
   */
  async changes(
    fingerprint: string,
    span: RevisionSpan,
  ): Promise<readonly SourceModification[] | null> {
    return this.#failing(fingerprint, (watch) => watch.changes(span))
  }

  /**
   * Resolves a revision as people write it to its full form; null when the repository does not have
   * it.
   *
   * @throws {SourceFailed} when the repository cannot be read.
   */
  async find(fingerprint: string, revision: string): Promise<string | null> {
    return this.#failing(fingerprint, (watch) => watch.find(revision))
  }

  /** Why a material on the disk of the server must not be read, or null for any other. */
  async whyForbidden(material: VersionControlMaterial): Promise<string | null> {
    try {
      const { opened } = await this.#opened(material, [])
      await assertAllowed(opened, this.#options.local)
      return null
    } catch (error) {
      if (!(error instanceof SourceFailed)) throw error
      return `a material cannot be read: ${error.unaddressed}`
    }
  }

  /** One problem for each material that cannot be read, with its pipelines. */
  problems(): MaterialProblem[] {
    return [...this.#watches.values()].flatMap(({ watched, watch: { reason } }) => {
      if (reason === null) return []
      const known = this.#problems.get(watched)
      if (known?.reason === reason) return [known.problem]
      const problem = problemOf(watched, reason)
      this.#problems.set(watched, { reason, problem })
      return [problem]
    })
  }

  /** Kills every running client, and waits for pending work. */
  async [Symbol.asyncDispose](): Promise<void> {
    const watches = [...this.#watches.values()].map(({ watch }) => watch)
    for (const watch of watches) watch[Symbol.dispose]()
    await this.#tools[Symbol.asyncDispose]()
    await Promise.all(watches.map((watch) => watch.ended()))
    await this.#tidying.close()
  }

  #end(watches: readonly MaterialWatch[]): void {
    for (const watch of watches) watch[Symbol.dispose]()
    this.#tidyAfter(watches)
  }

  #tidyAfter(gone: readonly MaterialWatch[]): void {
    this.#tidying
      .run(async () => {
        await Promise.all(gone.map((watch) => watch.ended()))
        await removeOthers(this.#options.folder, (name) => this.#isRead(name))
      })
      .catch((error: unknown) => {
        const message = 'An unused mirror could not be removed'
        this.#options.log({ level: 'warning', message, facts: { error: String(error) } })
      })
  }

  #isRead(fingerprint: string): boolean {
    return this.#watches.has(fingerprint) || [...this.#once.values()].includes(fingerprint)
  }

  /** Runs a query on a material; its error has the text that `problems` shows. */
  async #failing<Answer>(
    fingerprint: string,
    ask: (watch: MaterialWatch) => Promise<Answer>,
  ): Promise<Answer> {
    const found = this.#watches.get(fingerprint)
    if (!found) throw new SourceFailed('The material is no longer in the configuration')
    try {
      return await ask(found.watch)
    } catch (cause) {
      throw cause instanceof SourceFailed ? shownFailure(cause, found.watched.material) : cause
    }
  }

  /** A material with the watch that it had before, where that reads it in the same way. */
  #watched(watched: WatchedMaterial, before: ReadonlyMap<string, Watched>): Watched {
    const old = before.get(watched.fingerprint)
    const key = watchKey(watched.material)
    return { watched, key, watch: old?.key === key ? old.watch : this.#open(watched) }
  }

  #open(watched: WatchedMaterial): MaterialWatch {
    const { fingerprint, material } = watched
    return new MaterialWatch({
      source: () => this.#sourceOf(watched),
      polls: this.#polls,
      failingPolls: this.#failingPolls,
      queries: this.#queries,
      interval: material.autoUpdate ? this.#options.interval : null,
      first: this.#options.first,
      polled: (watch, error) => {
        if (error === null && material.autoUpdate) this.#polled.emit(fingerprint)
        else if (error !== null && watch.failures === 1) this.#report(fingerprint, error)
      },
    })
  }

  /**
   * Opened for each call, so that an unusable address or password is reported like every other
   * failure, and a secret that was replaced counts at once.
   */
  #sourceOf({ fingerprint, material, pipelines }: WatchedMaterial): MaterialSource {
    const folder = join(this.#options.folder, fingerprint)
    const { secrets, local } = this.#options
    const ask = async <Answer>(question: (source: MaterialSource) => Promise<Answer>) => {
      const { opened, password, values } = await this.#opened(material, secrets.usesOf(pipelines))
      await mkdir(folder, { recursive: true, mode: 0o700 })
      try {
        return await question(
          await openSource(opened, { tools: this.#tools, folder, password, local }),
        )
      } catch (error) {
        throw withoutValues(error, values)
      }
    }
    return {
      newest: () => ask((source) => source.newest()),
      changes: (span) => ask((source) => source.changes(span)),
      find: (revision) => ask((source) => source.find(revision)),
    }
  }

  /**
   * A material with its secrets in the open, and those of them that are kept elsewhere.
   *
   * @throws {SourceFailed} when one cannot be read, or a text refers to one where none is filled in.
   */
  async #opened(material: VersionControlMaterial, uses: readonly SecretUse[]) {
    assertFilledIn(material)
    const { secrets } = this.#options
    const values: string[] = []
    const fill = async (text: string | null, of: string, form?: FormOfSecret) => {
      if (text === null) return null
      const filled = await filledIn(() => secrets.fill(text, uses, form), of)
      values.push(...filled.values)
      return filled.text
    }
    const password = await fill(this.#sealedPassword(material), 'password')
    const username = await fill(material.username, 'user')
    if (material.kind === 'p4') return { opened: { ...material, username }, password, values }
    const url = openAddress(material.url, secrets.open)
    if (url === null) {
      throw new SourceFailed('Its address was encrypted with a key that this server does not have')
    }
    const address = (await fill(url, 'address', secretsIn(url))) ?? url
    return { opened: { ...material, username, url: address }, password, values }
  }

  #sealedPassword({ password, encryptedPassword }: VersionControlMaterial): string | null {
    if (encryptedPassword === null || encryptedPassword === '') return password
    const opened = this.#options.secrets.open(encryptedPassword)
    if (opened !== null) return opened
    throw new SourceFailed('Its password was encrypted with a key that this server does not have')
  }

  #report(fingerprint: string, error: unknown): void {
    const found = this.#watches.get(fingerprint)
    if (!found) return
    const { pipelines } = found.watched
    const foreseen = error instanceof SourceFailed
    const reason = foreseen ? error.message : error instanceof Error ? error.stack : String(error)
    const level = foreseen ? 'warning' : 'error'
    this.#options.log({ level, message: subjectOf(found.watched), facts: { pipelines, reason } })
  }
}

type FormOfSecret = (value: string, at: number) => string

/** @throws {SourceFailed} when a secret cannot be read. */
async function filledIn(fill: () => Promise<FilledText>, of: string): Promise<FilledText> {
  try {
    return await fill()
  } catch (error) {
    if (!(error instanceof SecretMissing)) throw error
    throw new SourceFailed(`Its ${of} ${error.message}`, { cause: error })
  }
}

/** The texts of a material in which secrets are filled in. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'url',
  'username',
  'password',
  'encryptedPassword',
])

/** @throws {SourceFailed} when a text that is no credential refers to a secret. */
function assertFilledIn(material: VersionControlMaterial): void {
  for (const [name, value] of Object.entries(material)) {
    const isOther = typeof value === 'string' && !CREDENTIALS.has(name)
    const [reference] = isOther ? findSecretReferences(value) : []
    if (reference === undefined) continue
    const secret = `the secret ${reference.key} of ${reference.config}`
    throw new SourceFailed(`Its ${name} refers to ${secret}, and no secret is filled in there`)
  }
}

/** The failure without the secrets that were filled in: an address may be one as a whole. */
function withoutValues(error: unknown, values: readonly string[]): unknown {
  if (!(error instanceof SourceFailed) || values.length === 0) return error
  const forms = values.flatMap((value) => [value, withoutCredentials(value)])
  const longestFirst = forms.toSorted((one, other) => other.length - one.length)
  const hide = (text: string) =>
    longestFirst.reduce((shown, each) => shown.replaceAll(each, HIDDEN), text)
  const { message, unaddressed } = error
  return new SourceFailed(hide(message), { unaddressed: hide(unaddressed) })
}

/**
 * The reason of a failure as shown to callers: without paths of this machine, and with addresses
 * only for administrators, because others may not read the configuration.
 */
function shownReason(reason: string, material: VersionControlMaterial) {
  const address = material.kind === 'p4' ? material.port : material.url
  // Tools write a folder with or without a trailing slash.
  const bare = address.replace(/\/$/, '')
  const hidden = (text: string) =>
    bare === '' ? text : text.replaceAll(`${bare}/`, HIDDEN).replaceAll(bare, HIDDEN)
  const isPath = material.kind !== 'p4' && isLocalAddress(address)
  const message = isPath ? hidden(reason) : reason
  const nameless = hidden(message.replaceAll(URL_IN_TEXT, HIDDEN))
  const [, host = ''] = HOST.exec(address) ?? []
  const unaddressed = host === '' ? nameless : nameless.replaceAll(host, HIDDEN)
  return { message, unaddressed }
}

function shownFailure(cause: SourceFailed, material: VersionControlMaterial): SourceFailed {
  const { message, unaddressed } = shownReason(cause.message, material)
  return new SourceFailed(message, { cause, unaddressed })
}

function problemOf(watched: WatchedMaterial, reason: string): MaterialProblem {
  const { material, fingerprint, pipelines } = watched
  const { message, unaddressed } = shownReason(reason, material)
  const [errors, errorsInFull] = [[{ message: unaddressed }], [{ message }]]
  const briefly = `The ${material.kind} material cannot be read`
  return { fingerprint, subject: subjectOf(watched), briefly, errors, errorsInFull, pipelines }
}

function subjectOf({ material, pipelines }: WatchedMaterial): string {
  const users = plural(pipelines.length, 'pipeline')
  return `The ${material.kind} material of the ${users} ${pipelines.join(', ')} cannot be read`
}
