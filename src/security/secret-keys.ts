import { randomBytes } from 'node:crypto'
import nodeFs, { chmod, link, mkdir, readFile, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { unavailable } from '../core/errors.ts'
import { describeFault } from '../core/faults.ts'
import { draftName } from '../storage/file-draft.ts'
import { replaceFile } from '../storage/durable-fs.ts'
import { realPath } from '../storage/folders.ts'
import { fsErrorCode, orNullWhenAbsent } from '../storage/fs-error.ts'
import { syncFolder } from '../storage/sync-folder.ts'

/** Keys of 32 bytes, newest first. */
export type SecretKeys = readonly Uint8Array[]

const KEY_BYTES = 32
const WAY_OUT =
  'put back the file that sealed the secrets, or move it away and begin anew without it: cairn serve --begin-anew'
const OWNER_ONLY = 0o600
const OTHERS = 0o007
const HEADING = `# The keys of the secrets in the configuration, newest first, one in each line.
# Keep a copy in a safe place: without a key, what it sealed is lost. Old keys open old revisions.
`

/**
 * Reads the key file, or creates it with a new key. Afterwards only its owner, and a group that the
 * operator allows, can read it. Two processes that create it at the same time agree on one key.
 */
export async function openSecretKeys(file: string): Promise<SecretKeys> {
  const known = await readSecretKeys(file)
  if (known) return known
  await createFile(file, render([newKey()]))
  const made = await readSecretKeys(file)
  if (!made) throw new Error(`the key file ${file} was removed while it was created`)
  return made
}

/** Writes the file again with keys that were read from it, unless something is in its place. */
export function putBackSecretKeys(file: string, keys: SecretKeys): Promise<void> {
  return createFile(file, render(keys))
}

/** Adds a new key in front; the others still decrypt what they encrypted. A link stays one. */
export async function addSecretKey(file: string): Promise<SecretKeys> {
  const keys = [newKey(), ...(await openSecretKeys(file))]
  await replaceFile(await realPath(file), render(keys), { newMode: OWNER_ONLY })
  return keys
}

/**
 * The keys of the file; null where there is none.
 *
 * @throws {ServiceError} `unavailable` for a file that holds something else.
 */
export async function readSecretKeys(file: string): Promise<SecretKeys | null> {
  const text = await orNullWhenAbsent(readFile(file, 'utf8')).catch((cause: unknown) => {
    throw unavailable(`${file} cannot be read: ${describeFault(cause)}`, cause)
  })
  if (text === null) return null
  const lines = text.split('\n').map((line) => line.trim())
  const keys = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => Buffer.from(line, 'base64'))
  if (keys.length > 0 && keys.every((key) => key.length === KEY_BYTES)) {
    await protect(file)
    return keys
  }
  const what = `${file} does not hold keys of ${KEY_BYTES} bytes in base64, one in each line`
  throw unavailable(`${what}: ${WAY_OUT}`)
}

/** A file that an orchestrator mounts may lie where nothing can be changed. */
async function protect(file: string): Promise<void> {
  if (((await stat(file)).mode & OTHERS) === 0) return
  try {
    await chmod(file, OWNER_ONLY)
  } catch (error) {
    if (fsErrorCode(error) !== 'EROFS') throw error
  }
}

/** Writes the whole file under another name first; the link fails if another process was faster. */
async function createFile(path: string, text: string): Promise<void> {
  const file = await realPath(path)
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = join(dirname(file), draftName())
  await replaceFile(draft, text, { mode: OWNER_ONLY })
  try {
    await link(draft, file)
  } catch (error) {
    if (fsErrorCode(error) !== 'EEXIST') throw error
  } finally {
    await rm(draft)
  }
  await syncFolder(nodeFs, dirname(file))
}

function newKey(): Buffer {
  return randomBytes(KEY_BYTES)
}

function render(keys: SecretKeys): string {
  return `${HEADING}${keys.map((key) => `${Buffer.from(key).toString('base64')}\n`).join('')}`
}
