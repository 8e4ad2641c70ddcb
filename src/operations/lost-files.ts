import nodeFs, { lstat, readdir } from 'node:fs/promises'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ServiceError, unavailable } from '../core/errors.ts'
import { openObjectReader } from '../git/readers/open-object-reader.ts'
import { readHead } from '../git/refs.ts'
import { isThere, orNullWhenAbsent } from '../storage/fs-error.ts'
import { hasReserve } from '../storage/reserve.ts'
import type { ServicePlaces } from './service-places.ts'

export interface ServiceFiles extends ServicePlaces {
  /** The `PATH` on which git is looked up. */
  readonly programPath: string | undefined
}

/** The files that have the current document. */
type DocumentFiles = Pick<ServiceFiles, 'repository' | 'fileName' | 'programPath'>

/** Matches a secret that this service sealed: its nonce has 12 bytes, the original's has 16. */
const SEALED = /AES:[A-Za-z0-9+/]{16}:[A-Za-z0-9+/]{22}/
const MAX_LENGTH = 64
const WAY_OUT =
  'Put it back, from a backup if need be, or begin anew without it: cairn serve --begin-anew'

/**
 * Refuses a later start when a file is missing: a first start creates missing files, and a new one
 * would hide the loss. A folder with a reserve has been used by a service; files that an operator
 * prepares before the first start are no sign of that.
 *
 * @throws {ServiceError} `unavailable`, with the way out.
 */
export async function assertNothingLost(files: ServiceFiles): Promise<void> {
  await assertKeysThere(files)
  const { repository, stateDir, artifactsDir } = files
  const state = join(stateDir, 'state.sqlite')
  const hasState = await isThere(state)
  if (!hasState && (await hasArtifacts(artifactsDir)))
    throw lost(`${state} is missing, and there are consoles and artifacts of the builds in it`)
  if (!(await hasReserve(stateDir))) return
  if (!hasState) throw lost(`${state} is missing, and a service has run in its folder`)
  if (await isThere(join(repository, '.git'))) return
  throw lost(`${repository} has no history, and ${stateDir} has the state of a service`)
}

/**
 * Refuses a later start of a single server without its users: a new user `admin` would take the place
 * of all.
 *
 * @throws {ServiceError} `unavailable`, with the way out.
 */
export async function assertUsersKept({
  stateDir,
  usersFile,
}: Pick<ServiceFiles, 'stateDir' | 'usersFile'>): Promise<void> {
  if ((await isThere(usersFile)) || !(await hasReserve(stateDir))) return
  throw lost(`${usersFile} is missing, and ${stateDir} has the state of a service with users`)
}

/**
 * Refuses the first start on an empty database beside the state of a single server.
 *
 * @throws {ServiceError} `unavailable`, with the way out.
 */
export async function assertStateMoved({
  stateDir,
  artifactsDir,
}: Pick<ServiceFiles, 'stateDir' | 'artifactsDir'>): Promise<void> {
  const state = join(stateDir, 'state.sqlite')
  if (!(await isThere(state)) && !(await hasArtifacts(artifactsDir))) return
  const reason = `The database is empty, and ${stateDir} has the state of a service: move it with cairn state load, or begin anew without it: cairn serve --begin-anew`
  throw unavailable(reason)
}

/**
 * Refuses a start on which the keys are missing.
 *
 * @throws {ServiceError} `unavailable`, with the way out.
 */
export async function assertKeysThere(
  files: DocumentFiles & Pick<ServiceFiles, 'keysFile'>,
): Promise<void> {
  const keys = files.keysFile
  if ((await isThere(keys)) || !(await hasSealedSecrets(files))) return
  throw lost(`${keys} is missing, and the configuration has secrets that only its keys open`)
}

/**
 * Refuses the start of a server whose users differ from those of the other servers.
 *
 * @throws {ServiceError} `unavailable`, with the way out.
 */
export async function assertUsersThere(usersFile: string): Promise<void> {
  if (await isThere(usersFile)) return
  const reason = `${usersFile} is missing: every server needs the same users, copy it from one that has it, or leave --users-file out to have them in the database`
  throw unavailable(reason)
}

/**
 * Refuses to change a service where there is none: what is missing would be made.
 *
 * @throws {ServiceError} `unavailable`, with the flag that names another place.
 */
export async function assertServiceThere(
  files: DocumentFiles & Pick<ServicePlaces, 'stateDir' | 'keysFile'>,
): Promise<void> {
  const { repository, stateDir, keysFile } = files
  if (!(await isThere(join(repository, '.git'))))
    throw unavailable(
      `${repository} is not a git repository: name that of a service with --config-repo`,
    )
  if (!(await isThere(stateDir)))
    throw unavailable(`${stateDir} is missing: name the state folder of a service with --state-dir`)
  if (!(await isThere(keysFile)))
    throw unavailable(
      `${keysFile} is missing: name the state folder of a service with --state-dir, or its keys with --secret-keys`,
    )
  const document = await openDocument(files)
  if (document === null)
    throw unavailable(`${repository} has no ${files.fileName}: the name of the file may be wrong`)
  document.destroy()
}

async function hasArtifacts(artifactsDir: string): Promise<boolean> {
  const names = (await orNullWhenAbsent(readdir(artifactsDir))) ?? []
  return names.some((name) => !name.startsWith('.'))
}

async function hasSealedSecrets(files: DocumentFiles): Promise<boolean> {
  const document = await openDocument(files)
  if (document === null) return false
  let before = ''
  for await (const chunk of document) {
    const text = before + String(chunk)
    if (SEALED.test(text)) return true
    before = text.slice(-MAX_LENGTH)
  }
  return false
}

/** The live file or, without one, the document of the newest commit; null without any. */
async function openDocument(files: DocumentFiles): Promise<Readable | null> {
  const { repository, fileName } = files
  const live = join(repository, ...fileName.split('/'))
  if ((await orNullWhenAbsent(lstat(live)))?.isFile() === true)
    return createReadStream(live, { encoding: 'latin1' })
  const store = { fs: nodeFs, gitDir: join(repository, '.git') }
  if (!(await isThere(join(store.gitDir, 'HEAD')))) return null
  const { commit } = await readHead(store)
  if (commit === null) return null
  await using reader = await openObjectReader({ ...store, path: files.programPath })
  const document = await reader.findFile(commit, fileName)
  return document === null ? null : Readable.from([Buffer.from(document).toString('latin1')])
}

/** A link is, when what it leads to is. */
function lost(what: string): ServiceError<'unavailable'> {
  return unavailable(`${what}. ${WAY_OUT}`)
}
