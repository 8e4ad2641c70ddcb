import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { addressFault, type SourceAddress, splitAddress } from '../../core/source-address.ts'
import type { AssignedSourceMaterial } from '../../wire/agent/material.ts'
import { orNullIfMissing } from '../host/sandbox-path.ts'
import { gitCheckout } from './git-checkout.ts'
import { hgCheckout } from './hg-checkout.ts'
import { p4Checkout } from './p4-checkout.ts'
import { type RunTool, type ToolPlace, type SourceTool, ToolFailed } from './source-tool.ts'
import { svnCheckout } from './svn-checkout.ts'
import { tfsCheckout } from './tfs-checkout.ts'

export interface CheckoutPlace {
  readonly folder: string
  /** The agent's records about its folders; outside the working folder. */
  readonly notes: string
  /** A folder without settings, for clients that must not use the user's own; null otherwise. */
  readonly userSettings: string | null
}

export interface CheckoutTools {
  readonly run: RunTool
  readonly note: (text: string) => void
  /** Creates a folder, or empties it. */
  readonly renew: (folder: string) => Promise<void>
  readonly signal: AbortSignal
}

/**
 * Checks a material out into its folder at its revision. A copy of the same source is updated. Any
 * other folder, one that cannot be updated, and one whose client was reconfigured by a job are
 * created anew.
 */
export async function checkOut(
  material: AssignedSourceMaterial,
  { folder, notes, userSettings }: CheckoutPlace,
  { run, note, renew, signal }: CheckoutTools,
): Promise<void> {
  const fault = addressFault(material.type, material.url)
  if (fault !== null) throw new ToolFailed(fault)
  const address = splitAddress(material.url)
  if (address === null) throw new ToolFailed('The address of the repository is not a URL')
  const { url } = address
  const name = createHash('sha256').update(folder).digest('hex').slice(0, 24)
  const place = { folder, workspace: `cairn-${name}`, address, userSettings }
  const source = sourceOf(material, place)
  const copyNote = join(notes, name)
  const settings = await settingsOfCopy(folder, copyNote, source)
  if (settings !== null) {
    note(`Updating ${folder} to revision ${material.revision} of ${url}`)
    const update = updateCopy(source, settings, run)
    if (await succeeds(update, note, signal)) return writeNote(copyNote, source)
  }
  note(`Checking out revision ${material.revision} of ${url} to ${folder}`)
  await rm(copyNote, { force: true })
  await renew(folder)
  await source.fresh(run)
  await mkdir(notes, { recursive: true, mode: 0o700 })
  await writeNote(copyNote, source)
}

/** Discards the settings that jobs have changed. */
async function updateCopy(source: SourceTool, settings: string, run: RunTool): Promise<void> {
  const found = await source.steering?.()
  if (found?.settings !== settings) await source.restore?.(run, settings)
  await source.update(run)
}

async function writeNote(copyNote: string, source: SourceTool): Promise<void> {
  const { head, settings } = await describeCopy(source)
  await writeFile(copyNote, `${head}${settings}`, { mode: 0o600 })
}

/** The source of the folder, a digest of the files that configure its client, and its settings. */
async function describeCopy(source: SourceTool): Promise<{ head: string; settings: string }> {
  const steering = await source.steering?.()
  const { digest, settings } = steering ?? { digest: '', settings: '' }
  return { head: `${source.identity}\n${digest}\n`, settings }
}

/** Whether it succeeded; when the job ends, no other way is tried. */
async function succeeds(
  update: Promise<void>,
  note: (text: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    await update
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ToolFailed || isOfSystem(error))) throw error
    note(`It cannot be updated: ${error.message}`)
    return false
  }
}

/**
 * The settings that the agent recorded for the folder; null when the folder is not that copy any
 * more.
 */
async function settingsOfCopy(
  folder: string,
  copyNote: string,
  source: SourceTool,
): Promise<string | null> {
  const noted = await orNullIfMissing(readFile(copyNote, 'utf8'))
  if (noted === null) return null
  try {
    const files = await orNullIfMissing(readdir(folder))
    if (files === null || files.length === 0) return null
    const { head } = await describeCopy(source)
    return noted.startsWith(head) ? noted.slice(head.length) : null
  } catch (error) {
    if (isOfSystem(error)) return null
    throw error
  }
}

/**
 * A job may leave folders that the agent cannot read: without permissions, or too deep for a path.
 */
function isOfSystem(error: unknown): error is Error {
  return error instanceof Error && 'syscall' in error
}

function sourceOf(
  material: AssignedSourceMaterial,
  place: ToolPlace & Pick<CheckoutPlace, 'userSettings'> & { readonly address: SourceAddress },
): SourceTool {
  if (material.type === 'git') return gitCheckout(material, place)
  if (material.type === 'svn') return svnCheckout(material, place)
  if (material.type === 'hg') return hgCheckout(material, place.address)
  if (material.type === 'p4') return p4Checkout(material, place)
  return tfsCheckout(material, place)
}

/**
 * Removes working folders of an earlier version that used addresses with credentials in them, which
 * were stored there and in its records. The next jobs check out again.
 */
export async function removeCopiesWithCredentials(places: {
  readonly folders: string
  readonly notes: string
}): Promise<void> {
  for (const name of (await orNullIfMissing(readdir(places.notes))) ?? []) {
    const notes = join(places.notes, name)
    const files = await readdir(notes)
    const identities = await Promise.all(files.map((file) => readFile(join(notes, file), 'utf8')))
    if (!identities.some((identity) => /^(?:git|hg|svn) https?:\/\/[^/ ]*@/i.test(identity)))
      continue
    await rm(join(places.folders, name), { recursive: true, force: true, maxRetries: 9 })
    await rm(notes, { recursive: true, force: true, maxRetries: 9 })
  }
}
