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
export type ConfigServices = Awaited<ReturnType<typeof openConfigServices>>
export const ConfigServices = { open: openConfigServices }

async function openConfigServices(options: ConfigServicesOptions) {
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
  const pool = new DiffPool()
  return {
    history,
    cache,
    configuration,
    /** Makes every change that is requested of the service. */
    writer,
    editor: new ConfigEditor({ writer, configuration }),
    summary,
    identity,
    readable,
    /** Every change passes it. */
    gate,
    diff: async (before: Uint8Array, after: Uint8Array): Promise<Uint8Array<ArrayBuffer>> =>
      new Uint8Array(await pool.unified(before, after)),
    /** The edit script behind a diff. */
    script: pool.script.bind(pool),
    merge: mergeBy(summary),
    [Symbol.asyncDispose]: async () => {
      configuration[Symbol.dispose]()
      await facts?.[Symbol.asyncDispose]()
      await writer[Symbol.asyncDispose]()
      await pool.close()
      await history[Symbol.asyncDispose]()
      await thread[Symbol.asyncDispose]()
    },
  }
}

/**
 * Merges two edits of a document, of which the renames in theirs that the history knows are given; null where one of
 * the three is not readable XML.
 */
function mergeBy(summary: ChangeSummary): MergeDocuments {
  return async (documents, known) => {
    const text = await runCooperatively(mergeMembers(documents))
    if (text !== null) return { text, conflicts: [] }
    const base = await summary.read(documents.base)
    const ours = await summary.read(documents.ours)
    const theirs = await summary.read(documents.theirs)
    if ('problems' in base || 'problems' in ours || 'problems' in theirs) return null
    const renames = { known: { ours: [], theirs: known } }
    const edits = await runCooperatively(followRenames({ base, ours, theirs }, renames))
    return runCooperatively(mergeEdits(edits))
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
