import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join, posix } from 'node:path'
import { addressFault, type SourceAddress, splitAddress } from '../../core/source-address.ts'
import type {
  AssignedSourceMaterial,
  AssignedHgMaterial,
  AssignedSvnMaterial,
  AssignedP4Material,
  AssignedTfsMaterial,
  AssignedGitMaterial,
} from '../../wire/agent/material.ts'
import { reasonForConsole } from '../host/console-reason.ts'
import { orNullIfMissing } from '../host/sandbox-path.ts'
import { type RunTool, type ToolPlace, type SourceTool, ToolFailed } from './source-tool.ts'
import { hgSettings } from '../../core/hg-settings.ts'
import { existsSync } from 'node:fs'
import { settingsFor } from '../../core/git-settings.ts'
import { nestedCopies } from './nested-copies.ts'
import { hasOwnSubmodulesOnly, restoreSettings, steeringOf } from './git-steering.ts'

export interface CheckoutPlace {
  /** The agent: others may have a folder of the same path on their machines. */
  readonly agent: string
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
  { agent, folder, notes, userSettings }: CheckoutPlace,
  { run, note, renew, signal }: CheckoutTools,
): Promise<void> {
  const fault = addressFault(material.type, material.url)
  if (fault !== null) throw new ToolFailed(fault)
  const address = splitAddress(material.url)
  if (address === null) throw new ToolFailed('The address of the repository is not a URL')
  const { url } = address
  const name = digestOf(folder)
  const workspace = `cairn-${digestOf(`${agent}${folder}`)}`
  const place = { folder, workspace, address, userSettings }
  const source = sourceOf(material, place)
  const copyNote = join(notes, name)
  const settings = await settingsOfCopy(folder, copyNote, source)
  if (settings !== null) {
    note(`Updating ${folder} to revision ${material.revision} of ${url}`)
    const update = updateCopy(source, settings, run)
    if (await succeeds(update, { folder, note, signal })) return writeNote(copyNote, source)
  }
  note(`Checking out revision ${material.revision} of ${url} to ${folder}`)
  await rm(copyNote, { force: true })
  await renew(folder)
  await source.fresh(run)
  await mkdir(notes, { recursive: true, mode: 0o700 })
  await writeNote(copyNote, source)
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 24)
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
  { folder, note, signal }: Pick<CheckoutTools, 'note' | 'signal'> & { folder: string },
): Promise<boolean> {
  try {
    await update
    return true
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof ToolFailed || isOfSystem(error))) throw error
    note(`It cannot be updated: ${reasonForConsole(folder, error)}`)
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
  if (material.type === 'hg') return hgCheckout(material, place)
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

/**
 * The user's aliases and defaults must not change the commands, nor may settings that a job left in
 * a folder: extensions and hooks are code.
 */
const ENVIRONMENT = { HGPLAIN: '1', HGRCSKIPREPO: '1' }

function hgCheckout(
  { revision }: AssignedHgMaterial,
  { folder, address }: Pick<ToolPlace, 'folder'> & { readonly address: SourceAddress },
): SourceTool {
  const { url } = address
  const settings = hgSettings(address)
  const environment = { ...ENVIRONMENT, ...settings?.environment }

  function hg(run: RunTool, args: readonly string[]): Promise<void> {
    return run({ ...(settings?.command(args) ?? { command: 'hg', args }), environment })
  }

  /** Removes what the revision does not have, in subrepositories as well; returns their paths. */
  async function purge(run: RunTool, copy: string): Promise<ReadonlySet<string>> {
    const where = ['--cwd', `./${copy}`]
    await hg(run, [...where, '--config', 'extensions.purge=', 'purge', '--quiet'])
    const own = new Set<string>()
    for (const path of await subrepositoriesOf(join(folder, copy))) {
      const inner = posix.join(copy, path)
      own.add(inner)
      for (const further of await purge(run, inner)) own.add(further)
    }
    return own
  }

  return {
    identity: `hg ${url}`,
    fresh: (run) => hg(run, ['clone', '--quiet', '--updaterev', revision, '--', url, '.']),
    async update(run) {
      await hg(run, ['pull', '--quiet', '--', url])
      await hg(run, ['update', '--quiet', '--clean', '--rev', revision])
      const own = await purge(run, '.')
      const copies = await nestedCopies(folder, '.hg')
      if (copies.some((copy) => !own.has(copy))) throw new ToolFailed('It holds other repositories')
    },
  }
}

/** The paths of the subrepositories that the revision of a copy names, whose lines have a revision before each. */
async function subrepositoriesOf(copy: string): Promise<readonly string[]> {
  const text = await orNullIfMissing(readFile(join(copy, '.hgsubstate'), 'utf8'))
  const lines = (text ?? '').split('\n').filter((line) => line.includes(' '))
  return lines.map((line) => line.slice(line.indexOf(' ') + 1))
}

interface SvnPlace {
  readonly folder: string
  readonly address: SourceAddress
  /** Where the client looks for the settings of its user; null for where it does by itself. */
  readonly userSettings: string | null
}

function svnCheckout(
  material: AssignedSvnMaterial,
  { folder, address, userSettings }: SvnPlace,
): SourceTool {
  const { revision } = material
  const { url } = address
  const username = material.username ?? address.username
  const password = material.password ?? address.password
  const user = username === null ? [] : ['--username', username]
  const secret = password === null || password === '' ? [] : ['--password-from-stdin']
  const connection = ['--no-auth-cache', ...user, ...secret]
  const place = userSettings === null ? [] : ['--config-dir', userSettings]
  // The revision is also appended to the URL, so that an `@` in the URL is not parsed as one.
  const source = ['--revision', revision, ...connection, `${url}@${revision}`, '.']

  function svn(run: RunTool, command: string, ...args: readonly string[]): Promise<void> {
    const input = password ?? ''
    return run({ command: 'svn', args: [command, '--non-interactive', ...place, ...args], input })
  }

  return {
    identity: `svn ${url}`,
    fresh: (run) => svn(run, 'checkout', '--quiet', ...source),
    async update(run) {
      await svn(run, 'cleanup', '--include-externals')
      await svn(run, 'cleanup', '--quiet', '--remove-unversioned')
      // Each external is a copy of its own, which a revert of the one around it leaves as it is.
      const copies = (await nestedCopies(folder, '.svn')).map((copy) => `./${copy}@`)
      await svn(run, 'revert', '--quiet', '--recursive', '.', ...copies)
      await svn(run, 'cleanup', '--quiet', '--remove-unversioned', '--include-externals')
      // An update would go to wherever a job has led the copy. A switch takes all of it back to the
      // address, and refuses a copy of another repository.
      await svn(run, 'switch', '--quiet', ...source)
    },
  }
}

function p4Checkout(material: AssignedP4Material, place: ToolPlace): SourceTool {
  const { url, username, password, useTickets, revision } = material
  const { workspace } = place
  const user = username === null || username === '' ? [] : ['-u', username]
  const secret = password ?? ''
  const environment = secret === '' || useTickets ? {} : { P4PASSWD: secret }
  const files = `//${workspace}/...@${revision}`

  function p4(run: RunTool, args: readonly string[], input = ''): Promise<void> {
    const connection = ['-p', url, ...user, '-c', workspace]
    return run({ command: 'p4', args: [...connection, ...args], environment, input })
  }

  async function connect(run: RunTool): Promise<void> {
    if (useTickets && secret !== '') await p4(run, ['login'], `${secret}\n`)
    await p4(run, ['client', '-i'], renderClient(material, place))
  }

  return {
    identity: `p4 ${url} ${username ?? ''} ${workspace} ${material.view}`,
    async fresh(run) {
      await connect(run)
      await p4(run, ['sync', '-q', '-f', files])
    },
    async update(run) {
      await connect(run)
      await p4(run, ['sync', '-q', files])
    },
  }
}

/** The client of this folder, which replaces the view's own client name. */
function renderClient({ view }: AssignedP4Material, { folder, workspace }: ToolPlace): string {
  const mappings = view
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .map((line) => line.replace(/(\s"?\/\/)[^/]+\//, (_, start: string) => `${start}${workspace}/`))
  return [
    `Client: ${workspace}`,
    `Root: ${folder}`,
    'Options: noallwrite clobber nocompress unlocked nomodtime rmdir',
    'LineEnd: local',
    'View:',
    ...mappings.map((mapping) => `\t${mapping}`),
    '',
  ].join('\n')
}

function tfsCheckout(material: AssignedTfsMaterial, place: ToolPlace): SourceTool {
  const { url, username, domain, password, projectPath, revision } = material
  const user = domain === null || domain === '' ? username : `${domain}\\${username}`
  if (!projectPath.startsWith('$/')) throw new ToolFailed('tf: a project path begins with $/')
  const server = [`-collection:${url}`, `-login:${user},${password ?? ''}`, '-noprompt']

  function tf(run: RunTool, args: readonly string[], optional = false): Promise<void> {
    return run({ command: 'tf', args: [...args, ...server], optional })
  }

  function get(run: RunTool, ...options: string[]): Promise<void> {
    return tf(run, ['get', place.folder, '-recursive', `-version:C${revision}`, ...options])
  }

  return {
    identity: `tfs ${url} ${user} ${place.workspace} ${projectPath}`,
    async fresh(run) {
      const { workspace, folder } = place
      await tf(run, ['workspace', '-delete', workspace], true)
      await tf(run, ['workspace', '-new', workspace])
      await tf(run, ['workfold', '-map', projectPath, folder, `-workspace:${workspace}`])
      await get(run, '-force')
    },
    update: (run) => get(run),
  }
}

function gitCheckout(
  { branch, revision }: AssignedGitMaterial,
  { folder, address }: ToolPlace & { readonly address: SourceAddress },
): SourceTool {
  const { url } = address
  const environment = {
    // No user is there to enter a password.
    GIT_TERMINAL_PROMPT: '0',
    // Jobs may leave hooks and a file system monitor in a folder, which are code: git must not run
    // them.
    ...settingsFor(address),
  }

  function git(run: RunTool, args: readonly string[]): Promise<void> {
    return run({ command: 'git', args, environment })
  }

  async function putInPlace(run: RunTool): Promise<void> {
    await git(run, ['checkout', '--quiet', '--force', '-B', branch, revision])
    await git(run, ['clean', '-dff', '--quiet'])
    if (!existsSync(join(folder, '.gitmodules'))) return
    if (!(await hasOwnSubmodulesOnly(folder))) throw new ToolFailed('It holds other repositories')
    await git(run, ['submodule', 'sync', '--quiet', '--recursive'])
    await git(run, ['submodule', 'update', '--quiet', '--init', '--recursive', '--force'])
    await git(run, ['submodule', '--quiet', 'foreach', '--recursive', 'git clean -dff --quiet'])
  }

  return {
    identity: `git ${url} ${branch}`,
    steering: () => steeringOf(folder),
    restore: restoreSettings,
    async fresh(run) {
      await git(run, ['clone', '--quiet', '--no-checkout', `--branch=${branch}`, '--', url, '.'])
      await putInPlace(run)
    },
    async update(run) {
      await git(run, ['fetch', '--quiet', '--prune', '--tags', '--force', 'origin'])
      await putInPlace(run)
    },
  }
}
