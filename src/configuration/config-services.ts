import { firstDocument } from '../document/first-document.ts'
import { XML_LIMITS } from '../document/xml/xml-limits.ts'
import type { SecretBox } from '../document/secrets/secret-box.ts'
import type { ObjectFormatName } from '../core/object-name.ts'
import type { Clock } from '../lib/clock.ts'
import { runCooperatively } from '../lib/cooperative.ts'
import type { Log } from '../lib/log.ts'
import { DiffPool } from '../diff/diff-pool.ts'
import { followRenames } from '../document/merge/follow-renames.ts'
import type { ArchivePlaces } from '../history/archive/served-archives.ts'
import { History } from '../history/history.ts'
import type { RevisionLog } from '../history/log/revision-log.ts'
import type { Examine, Preparation, Prepare } from '../history/revision/prepared-change.ts'
import { ChangeSummary } from '../document/changes/change-summary.ts'
import { ConfigEditor } from './save/config-editor.ts'
import { ConfigurationWriter } from './save/configuration-writer.ts'
import { type MergeDocuments, mergeEdits } from './save/merge-edits.ts'
import { mergeMembers } from '../document/merge/merge-members.ts'
import { CurrentConfiguration } from './current/current-configuration.ts'
import { DocumentCache } from './current/document-cache.ts'
import { DocumentThread } from './current/document-thread.ts'
import { KeptFacts, type KeptFactsOptions } from './current/kept-facts.ts'
import { ReadableDocuments } from './current/readable-documents.ts'
import { ServerIdentity } from './current/server-identity.ts'
import { Gate, type GateDeps } from './gate/gate.ts'
import type { Recovery } from './gate/recovery.ts'
import { overrideTrailers } from './gate/override.ts'

/** The edition that every revision records, as the original wrote it. */
export const EDITION = 'OpenSource'

export interface ConfigServicesOptions {
  readonly repository: string
  readonly fileName: string
  readonly pollInterval: number
  /** How a repository that is created names its objects; `sha1` when absent. */
  readonly objectFormat?: ObjectFormatName
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly pushCheck: readonly string[] | null
  readonly programPath: string | undefined
  /** Where moves of the branch become final, for several servers. */
  readonly revisionLog?: RevisionLog | null
  /** Archives whose revisions are shown; none when absent. */
  readonly archives?: ArchivePlaces
  /** Seals the secrets of documents. */
  readonly box: SecretBox
  readonly assertSavesAllowed?: GateDeps['assertSavesAllowed']
  /** Null where administrators are held by rules, as when absent. */
  readonly recovery?: Recovery | null
  /** Where it is kept what was found of the document in force, and by which program; nowhere as when null. */
  readonly kept?: Pick<KeptFactsOptions, 'file' | 'program'> | null
}

/** The configuration repository with the services that read and change it. */
export class ConfigServices implements AsyncDisposable {
  readonly history: History
  readonly cache: DocumentCache
  readonly configuration: CurrentConfiguration
  /** Makes every change that is requested of the service. */
  readonly writer: ConfigurationWriter
  readonly editor: ConfigEditor
  readonly summary: ChangeSummary
  readonly identity: ServerIdentity
  readonly readable: ReadableDocuments
  /** Every change passes it. */
  readonly gate: Gate
  readonly #thread: DocumentThread
  readonly #facts: KeptFacts | null
  readonly #pool: DiffPool

  private constructor(parts: {
    thread: DocumentThread
    facts: KeptFacts | null
    history: History
    writer: ConfigurationWriter
    cache: DocumentCache
    configuration: CurrentConfiguration
    summary: ChangeSummary
    identity: ServerIdentity
    readable: ReadableDocuments
    gate: Gate
  }) {
    this.history = parts.history
    this.writer = parts.writer
    this.cache = parts.cache
    this.configuration = parts.configuration
    this.editor = new ConfigEditor(parts)
    this.summary = parts.summary
    this.identity = parts.identity
    this.readable = parts.readable
    this.gate = parts.gate
    this.#thread = parts.thread
    this.#facts = parts.facts
    this.#pool = new DiffPool()
  }

  static async open(options: ConfigServicesOptions): Promise<ConfigServices> {
    const thread = new DocumentThread(options.box)
    const facts = options.kept ? new KeptFacts({ ...options.kept, log: options.log }) : null
    const cache = new DocumentCache(thread, { isRepeatable: false }, facts)
    const summary = new ChangeSummary(cache)
    const identity = new ServerIdentity()
    const readable = new ReadableDocuments({ thread, cache })
    const gate = new Gate({ ...options, cache, summary })
    const examine = examineBy({ cache, identity, summary })
    const prepare = prepareBy(examine, gate)
    const history = await History.open({
      ...options,
      largestDocument: XML_LIMITS.maxBytes,
      inspect: (document) => cache.inspect(document),
      prepare,
      judgePush: (push, origin) => gate.assertPushPasses(push, origin),
      judgeNative: (commits, origin) => gate.assertNativePasses(commits, origin),
      sealForReaders: readable.seal,
      markPlainSecrets: readable.markPlain,
      firstDocument,
      serverEdition: EDITION,
      serverVersion: options.version,
      report: options.log,
    })
    gate.readBy((name) => history.findBeside(history.current().commit, name))
    const configuration = await CurrentConfiguration.open({ history, cache, log: options.log })
    configuration.subscribe((document) => {
      identity.follow(document, { isFirst: history.size() === 1 })
      facts?.keep(document)
    })
    const { seal: sealForReaders } = readable
    const writer = new ConfigurationWriter({ history, examine, prepare, sealForReaders })
    return new ConfigServices({
      thread,
      facts,
      history,
      writer,
      cache,
      configuration,
      summary,
      identity,
      readable,
      gate,
    })
  }

  readonly diff = async (before: Uint8Array, after: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
    new Uint8Array(await this.#pool.unified(before, after))

  /** The edit script behind a diff. */
  readonly script: DiffPool['script'] = (before, after, options) =>
    this.#pool.script(before, after, options)

  /**
   * Merges two edits of a document, of which the renames in theirs that the history knows are given; null where one of
   * the three is not readable XML.
   */
  readonly merge: MergeDocuments = async (documents, known) => {
    const text = await runCooperatively(mergeMembers(documents))
    if (text !== null) return { text, conflicts: [] }
    const base = await this.summary.read(documents.base)
    const ours = await this.summary.read(documents.ours)
    const theirs = await this.summary.read(documents.theirs)
    if ('problems' in base || 'problems' in ours || 'problems' in theirs) return null
    const renames = { known: { ours: [], theirs: known } }
    const edits = await runCooperatively(followRenames({ base, ours, theirs }, renames))
    return runCooperatively(mergeEdits(edits))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.configuration[Symbol.dispose]()
    await this.#facts?.[Symbol.asyncDispose]()
    await this.writer[Symbol.asyncDispose]()
    await this.#pool.close()
    await this.history[Symbol.asyncDispose]()
    await this.#thread[Symbol.asyncDispose]()
  }
}

interface Judges {
  readonly cache: DocumentCache
  readonly identity: ServerIdentity
  readonly summary: ChangeSummary
}

/** Examines a document as the next revision: validates it, seals its secrets and summarises the changes. */
function examineBy({ cache, identity, summary }: Judges): Examine {
  return async (next, before): Promise<Preparation> => {
    const inspection = await cache.inspect(next)
    if (!inspection.ok) return inspection
    const { document } = inspection
    const problems = identity.check(await cache.read(document))
    if (problems.length > 0) return { ok: false, problems }
    return { ...inspection, ...(await summary.describe(before, document)) }
  }
}

/** Every change that is to be committed comes through here. The document that begins a history changes nothing. */
function prepareBy(examine: Examine, gate: Gate): Prepare {
  return async (next, before, origin, ground) => {
    if (before !== null) await gate.assertOpen(origin)
    const examined = await examine(next, before)
    if (before === null) return examined
    if (!examined.ok) {
      const principal = 'principal' in origin ? origin.principal : null
      const refused = { before, after: next }
      return {
        ok: false,
        problems: await gate.problemsFor(examined.problems, refused, principal),
      }
    }
    const documents = { before, after: examined.document }
    const verdict = await gate.assertPasses(documents, { origin, ...ground })
    const trailers = overrideTrailers(origin, verdict)
    return trailers.length === 0 ? examined : { ...examined, trailers }
  }
}
