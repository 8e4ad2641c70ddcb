import { existsSync } from 'node:fs'
import fs from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { SecretBox } from '../../document/secrets/secret-box.ts'
import type { Clock } from '../../lib/clock.ts'
import { type ServiceError, unavailable } from '../../core/errors.ts'
import type { ObjectFormatName } from '../../core/object-name.ts'
import type { Log } from '../../lib/log.ts'
import type { Revision } from '../../core/revision.ts'
import { importHistory, type ImportReport } from '../../history/import/import-history.ts'
import type { ImportOptions } from '../../history/import/import-options.ts'
import { readHead } from '../../git/refs.ts'
import { plural } from '../../lib/plural.ts'
import { assertMayBegin } from '../first-start.ts'
import { assertKeysThere } from '../lost-files.ts'
import { openSecretKeys } from '../../security/secret-keys.ts'
import { ChangeSummary } from '../../document/changes/change-summary.ts'
import { ConfigServices, EDITION } from '../../configuration/config-services.ts'
import { DocumentCache } from '../../configuration/current/document-cache.ts'
import { DocumentThread } from '../../configuration/current/document-thread.ts'
import { type WillNotRun, willNotRunIn } from '../../builds/configured/unsupported.ts'
import { UnsupportedParts } from '../../document/unsupported/unsupported-parts.ts'
import { runCooperatively } from '../../lib/cooperative.ts'
import { assertSeparate } from '../separate-folders.ts'
import { type AgentsReport, listOldAgents, type OldAgent } from './old-agents.ts'
import { SourceRepository } from './source-repository.ts'

export interface ImportRequest {
  /** The path or URL of the other repository. */
  readonly from: string
  /** Its branch; null for the one that is checked out there. */
  readonly branch: string | null
  readonly sourceFile: string
  /** Milliseconds since the UNIX epoch. */
  readonly since: number | null
  /** The agents of the other server, to list in the configuration; null for none. */
  readonly agents: readonly OldAgent[] | null
}

export interface ImportPlaces {
  readonly repository: string
  readonly fileName: string
  /** How a repository that is created names its objects. */
  readonly objectFormat: ObjectFormatName
  readonly stateDir: string
  readonly keysFile: string
}

export interface ImportSurroundings {
  readonly clock: Clock
  readonly log: Log
  readonly version: string
  readonly programPath: string | undefined
  readonly environment: Readonly<Record<string, string>>
  readonly onProgress: ImportOptions['onProgress']
}

export interface Imported extends ImportReport, Settled {
  readonly branch: string
}

/** The current configuration after an import. */
interface Settled {
  readonly current: Revision
  readonly agents: AgentsReport | null
  /** The parts of it that nobody here acts on. */
  readonly willNotRun: readonly WillNotRun[]
}

const AUTHOR = 'Import'

/**
 * Imports the history of another repository into that of a stopped service, and updates the live
 * file and the index.
 *
 * @throws {ServiceError} `unavailable` while a service runs on it, where the other cannot be read,
 * or where repository and state do not lie beside each other.
 */
export async function importRepository(
  request: ImportRequest,
  places: ImportPlaces,
  surroundings: ImportSurroundings,
): Promise<Imported> {
  const { repository, fileName, objectFormat, stateDir, keysFile } = places
  const { environment } = surroundings
  await assertSeparate({ repository, stateDir })
  const { programPath } = surroundings
  await assertMayBegin({ repository, fileName, programPath }, surroundings.version)
  await fs.mkdir(stateDir, { recursive: true, mode: 0o700 })
  await assertKeysThere({ repository, fileName, keysFile, programPath })
  const box = new SecretBox(await openSecretKeys(keysFile))
  await using thread = new DocumentThread(box)
  // Equal secrets are sealed equally, so that commits differ only in real changes.
  const cache = new DocumentCache(thread, { isRepeatable: true })
  if (await hasBegun(places)) await settle(places, surroundings, { box, agents: null })
  await using source = new SourceRepository(request, environment)
  const summary = new ChangeSummary(cache)
  const report = await importHistory({
    repository,
    fileName,
    objectFormat,
    ...request,
    ...surroundings,
    inspect: (document) => cache.inspect(document),
    summarise: async (...documents) => (await summary.describe(...documents)).subject,
    serverEdition: EDITION,
    fetch: (folder) => source.fetchInto(folder),
    name: JSON.stringify([source.url, request.branch, request.sourceFile, request.since]),
  })
  if (report.head === null) throw nothingIn(request, report)
  const { agents } = request
  return {
    ...report,
    branch: source.branch,
    ...(await settle(places, surroundings, { box, agents })),
  }
}

/** Whether there is a configuration already; a killed import may have left a repository without one. */
async function hasBegun({ repository, fileName }: ImportPlaces): Promise<boolean> {
  const gitDir = join(repository, '.git')
  if (existsSync(join(repository, fileName))) return true
  return existsSync(join(gitDir, 'HEAD')) && (await readHead({ fs, gitDir })).commit !== null
}

/** Leaves an empty repository without a first configuration. */
function nothingIn(
  { sourceFile }: ImportRequest,
  { absent, older, invalid, tooLarge }: ImportReport,
): ServiceError<'unavailable'> {
  const reason =
    `No commit has a valid ${sourceFile}: ${absent} ${plural(absent, 'is', 'are')} without it, ` +
    `in ${invalid.length} it is not valid, in ${tooLarge.length} too large, ${older} ${plural(older, 'is', 'are')} older than asked for`
  return unavailable(reason)
}

/** Opens the history as a service does at its start, lists the agents, and closes it. */
async function settle(
  { repository, fileName, objectFormat }: ImportPlaces,
  surroundings: ImportSurroundings,
  { box, agents: old }: { readonly box: SecretBox; readonly agents: readonly OldAgent[] | null },
): Promise<Settled> {
  const places = { repository: resolve(repository), fileName, objectFormat, pollInterval: 60_000 }
  await using config = await ConfigServices.open({
    ...places,
    ...surroundings,
    box,
    pushCheck: null,
  })
  const agents = old === null ? null : await listAgents(config, old)
  const parts = new UnsupportedParts((sealed) => box.open(sealed))
  const willNotRun = await runCooperatively(willNotRunIn(config.configuration.read(), parts))
  return { current: config.history.current(), agents, willNotRun }
}

async function listAgents(
  { editor }: ConfigServices,
  old: readonly OldAgent[],
): Promise<AgentsReport> {
  const reports: AgentsReport[] = []
  await editor.edit({ door: 'adoption', author: AUTHOR }, (document) => {
    const { text, report } = listOldAgents(document, old)
    reports.push(report)
    return text
  })
  const [report = NO_AGENTS] = reports.slice(-1)
  return report
}

const NO_AGENTS: AgentsReport = { taken: [], left: [], ignored: [] }
