import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ServiceError } from '../core/errors.ts'
import { draftName } from './draft-name.ts'
import { fsErrorCode, orNullWhenAbsent } from './fs-error.ts'
import { ProcessIdentity, identifyThisProcess, isRunning } from './process-identity.ts'

/** One process at a time owns what the lock file stands for. */
export interface ProcessLock extends AsyncDisposable {
  readonly file: string
}

/**
 * Takes the lock file, also from a process that has died, and gives it back on dispose.
 * The folder has to exist.
 *
 * @throws {ServiceError} `unavailable` while another process holds it.
 */
export async function openProcessLock(file: string): Promise<ProcessLock> {
  const me = await identifyThisProcess()
  const holder = await take(file, me)
  if (holder !== null) throw heldError(file, holder)
  return { file, [Symbol.asyncDispose]: () => giveBack(file, me) }
}

/**
 * Returns null when the lock is ours, or who holds it.
 *
 * A dead holder's lock is replaced only by whoever holds the claim on that one
 * lock, which is a lock like any other. An identity never comes back, so who
 * comes late with the claim finds another identity in the file and starts over.
 */
async function take(file: string, me: ProcessIdentity): Promise<ProcessIdentity | null> {
  for (;;) {
    if (await publish(file, me)) return null
    const found = await readHolder(file)
    if (found.state === 'gone') continue
    if (found.holder !== null && (await isRunning(found.holder))) return found.holder
    const claim = `${file}.${found.holder?.id ?? 'torn'}`
    const claimant = await take(claim, me)
    if (claimant !== null) return claimant
    if (await replaceDead(file, { claim, dead: found.holder, me })) return null
  }
}

interface Takeover {
  readonly claim: string
  readonly dead: ProcessIdentity | null
  readonly me: ProcessIdentity
}

async function replaceDead(file: string, { claim, dead, me }: Takeover): Promise<boolean> {
  try {
    const now = await readHolder(file)
    if (now.state === 'gone' || now.holder?.id !== dead?.id) return false
    await overwrite(file, me)
    return true
  } finally {
    await rm(claim, { force: true })
  }
}

/** Makes the lock with its content in one step, so that nobody ever reads half of it. */
async function publish(file: string, me: ProcessIdentity): Promise<boolean> {
  const draft = await writeIdentity(file, me)
  try {
    await link(draft, file)
    return true
  } catch (error) {
    if (fsErrorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(draft, { force: true })
  }
}

async function overwrite(file: string, me: ProcessIdentity): Promise<void> {
  await rename(await writeIdentity(file, me), file)
}

async function writeIdentity(file: string, me: ProcessIdentity): Promise<string> {
  const draft = join(dirname(file), draftName())
  await writeFile(draft, `${JSON.stringify(me)}\n`, { flag: 'wx', flush: true })
  return draft
}

type Found =
  | { readonly state: 'gone' }
  | { readonly state: 'present'; readonly holder: ProcessIdentity | null }

/** A lock whose text cannot be understood was cut short with the power, and so has no holder. */
async function readHolder(file: string): Promise<Found> {
  const text = await orNullWhenAbsent(readFile(file, 'utf8'))
  if (text === null) return { state: 'gone' }
  return { state: 'present', holder: parseIdentity(text) }
}

function parseIdentity(text: string): ProcessIdentity | null {
  try {
    return ProcessIdentity.safeParse(JSON.parse(text)).data ?? null
  } catch (error) {
    if (error instanceof SyntaxError) return null
    throw error
  }
}

async function giveBack(file: string, me: ProcessIdentity): Promise<void> {
  const found = await readHolder(file)
  if (found.state === 'present' && found.holder?.id === me.id) await rm(file, { force: true })
}

function heldError(file: string, { pid, host }: ProcessIdentity): ServiceError<'unavailable'> {
  const reason = `${dirname(file)} is in use by process ${pid} on ${host}, which holds ${file}`
  return new ServiceError('unavailable', reason, { reason })
}
