import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { GitMaterial } from '../document/model/materials.ts'
import { formatOfName } from '../git/object-format.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { isObjectName, MAX_OBJECT_NAME_LENGTH } from '../core/object-name.ts'
import { protocolsFor, settingsFor } from '../core/git-settings.ts'
import {
  type MaterialSource,
  MAX_CHANGES,
  SourceFailed,
  type RevisionSpan,
  type SourceModification,
} from './modification.ts'
import { secretsOf, type SourcePlace, addressOf } from './source-place.ts'

const ABBREVIATED = new RegExp(`^[0-9a-f]{4,${MAX_OBJECT_NAME_LENGTH}}$`)

/** Polls the server for the newest revision; keeps a mirror only if changes have to be listed. */
export function gitSource(material: GitMaterial, place: SourcePlace): MaterialSource {
  const { tools, folder } = place
  const address = addressOf('git', material.url)
  const username = material.username ?? address.username
  const password = place.password ?? address.password
  const ref = `refs/heads/${material.branch === '' ? 'master' : material.branch}`
  const call = {
    command: 'git',
    cwd: folder,
    environment: {
      ...environmentIn(folder),
      GIT_ALLOW_PROTOCOL: protocolsFor(address.url),
      ...settingsFor({ url: address.url, username, password }),
    },
    secrets: secretsOf({ username, password }, address.username !== null),
  }
  const git = (...args: readonly string[]) => tools.run({ ...call, args })

  async function newest(): Promise<string> {
    const lines = (await git('ls-remote', '--quiet', '--', address.url, ref)).split('\n')
    const found = lines.map((line) => line.split('\t')).find(([, name]) => name === ref)
    if (found?.[0] !== undefined && isObjectName(found[0])) return found[0]
    throw new SourceFailed(`git: there is no branch ${material.branch}`)
  }

  async function has(revision: string): Promise<boolean> {
    const args = ['cat-file', '-e', `${revision}^{commit}`]
    return isObjectName(revision) && tools.succeeds({ ...call, args })
  }

  /** Git makes the folders of objects last: a mirror that was begun by a killed git has none. */
  const isBegun = () => existsSync(join(folder, 'objects', 'info'))

  /** Git fetches only between repositories of the same object format. */
  async function begin(): Promise<void> {
    const format = formatOfName(await newest()).name
    const left = await readdir(folder)
    await Promise.all(left.map((name) => rm(join(folder, name), { recursive: true })))
    await git('init', '--quiet', '--bare', `--object-format=${format}`, '.')
  }

  async function update(): Promise<void> {
    if (!isBegun()) await begin()
    await removeLocks(folder)
    // By default git would still run maintenance after it has answered.
    const tidyNow = ['-c', 'gc.autoDetach=false', '-c', 'maintenance.autoDetach=false']
    const options = ['--quiet', '--no-tags', '--force', '--no-recurse-submodules']
    const args = [...tidyNow, 'fetch', ...options, '--', address.url, `+${ref}:${ref}`]
    await tools.run({ ...call, args, isLong: true })
  }

  async function changes({ after, upTo }: RevisionSpan) {
    if (!isBegun() || !(await has(upTo))) await update()
    if ((after !== null && !(await has(after))) || !(await has(upTo))) return null
    const form = '--format=%x00%H%x00%an <%ae>%x00%at%x00%B'
    const files = ['-z', '-c', '--name-only', '--no-renames']
    const most = after === null ? 1 : MAX_CHANGES + 1
    const options = ['--no-color', '--encoding=UTF-8', `--max-count=${most}`]
    const span = after === null ? upTo : `${after}..${upTo}`
    const log = parseGitLog(await git('log', ...files, ...options, form, span, '--'))
    return log.length > MAX_CHANGES ? null : log
  }

  /** Agents fetch only the branch, so a commit outside it does not belong to this material. */
  async function find(revision: string) {
    const short = revision.toLowerCase()
    if (!ABBREVIATED.test(short)) return null
    await update()
    const commit = `${short}^{commit}`
    if (!(await tools.succeeds({ ...call, args: ['cat-file', '-e', commit] }))) return null
    const found = (await git('rev-parse', '--verify', '--quiet', commit)).trim()
    const args = ['merge-base', '--is-ancestor', found, ref]
    const isOfBranch = found.startsWith(short) && (await tools.succeeds({ ...call, args }))
    return isOfBranch ? found : null
  }

  return { newest, changes, find }
}

function environmentIn(folder: string): Record<string, string> {
  return {
    GIT_DIR: folder,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: 'false',
    GIT_OPTIONAL_LOCKS: '0',
    LC_ALL: 'C.UTF-8',
  }
}

/** Only this process writes to the mirror: locks are left over from a killed git. */
async function removeLocks(folder: string): Promise<void> {
  const refs = await orNullWhenAbsent(readdir(join(folder, 'refs'), { recursive: true }))
  const names = [...(await readdir(folder)), ...(refs ?? []).map((name) => join('refs', name))]
  const locks = names.filter((name) => name.endsWith('.lock'))
  await Promise.all(locks.map((name) => rm(join(folder, name), { force: true })))
}

const SECOND_MS = 1_000

/**
 * Reads `git log -z --name-only` with the format NUL, hash, NUL, author, NUL, time, NUL, message.
 * Neither names nor messages contain NUL and no name is empty, so that nothing in them is misread.
 */
function parseGitLog(text: string): SourceModification[] {
  const tokens = text.split('\0')
  const modifications: SourceModification[] = []
  let at = 0
  for (;;) {
    while (tokens[at] === '') at += 1
    const [revision, username, time, comment] = tokens.slice(at, at + 4)
    if (revision === undefined || comment === undefined) return modifications
    const end = tokens.indexOf('', at + 4)
    const names = tokens.slice(at + 4, end < 0 ? tokens.length : end)
    modifications.push({
      revision,
      username: username ?? '',
      time: Number(time) * SECOND_MS,
      comment: comment.trim(),
      // The line feed separates the names from the message.
      files: names.map((name, n) => (n === 0 ? name.replace(/^\n/, '') : name)),
    })
    at += 4 + names.length
  }
}
