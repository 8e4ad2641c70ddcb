import { chmod, chown, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { ended, startProcess } from '../../processes/piped-process.ts'
import { orNullIfMissing } from '../host/sandbox-path.ts'
import type { JobUser } from '../process/job-user.ts'

/** The agent's own folders, which contain the folders of the pipelines. */
const WORK = 'pipelines'
const HOMES = 'homes'
const NOTES = 'checkouts'
/** Never made: only the agent may make folders there. */
const NO_SETTINGS = 'no-settings'

/** The job user can enter it, but not list it. */
const PASSABLE = 0o711
const PRIVATE = 0o700

/**
 * An agent's folders of one pipeline. With a job user the folders belong to that user while a job
 * of the pipeline runs, and to the agent at any other time, so that no job can access another
 * pipeline's folders.
 */
export class PipelineFolders {
  readonly folder: string
  /** The home folder of its jobs, if they run as their own user: settings there are code. */
  readonly home: string | null
  /** The agent's records about the folder. */
  readonly notes: string
  /** Where clients find no settings of the job user; null for settings of the agent's user. */
  readonly userSettings: string | null
  readonly #user: JobUser | null

  constructor(workDir: string, pipeline: string, user: JobUser | null) {
    this.folder = join(workDir, WORK, pipeline)
    this.home = user === null ? null : join(workDir, HOMES, pipeline)
    this.notes = join(workDir, NOTES, pipeline)
    this.userSettings = user === null ? null : join(workDir, NO_SETTINGS)
    this.#user = user
  }

  /** Creates missing folders, and gives them to the job's user. */
  async open(): Promise<void> {
    const user = this.#user
    await mkdir(this.folder, { recursive: true })
    if (user === null) return giveRights(this.folder)
    await this.#removeForeign(user)
    for (const folder of this.#given()) {
      await mkdir(folder, { recursive: true, mode: PRIVATE })
      await chmod(folder, PRIVATE)
      await chown(folder, user.uid, user.gid)
    }
  }

  /** Takes them back at the end of the job, when none of its processes is left. */
  async close(): Promise<void> {
    if (this.#user !== null) for (const folder of this.#given()) await takeBack(folder)
  }

  async clean(): Promise<void> {
    for (const folder of [...this.#given(), this.notes]) await removeFolder(folder)
  }

  /**
   * Files left by another user's jobs are not writable for this one: the folder is created again.
   */
  async #removeForeign({ uid }: JobUser): Promise<void> {
    const file = join(this.notes, 'user')
    if ((await orNullIfMissing(readFile(file, 'utf8'))) === String(uid)) return
    await this.clean()
    await mkdir(this.notes, { recursive: true, mode: PRIVATE })
    await writeFile(file, String(uid), { mode: 0o600 })
  }

  #given(): string[] {
    return [this.folder, ...(this.home === null ? [] : [this.home])]
  }
}

/**
 * Lets the job user enter the folders of pipelines, and takes back folders that a killed agent left
 * open.
 */
export async function shutFolders(workDir: string): Promise<void> {
  await chmod(workDir, PASSABLE)
  await mkdir(join(workDir, NOTES), { recursive: true })
  await chmod(join(workDir, NOTES), PRIVATE)
  for (const name of [WORK, HOMES]) {
    const parent = join(workDir, name)
    await mkdir(parent, { recursive: true })
    await chmod(parent, PASSABLE)
    for (const folder of await readdir(parent)) await takeBack(join(parent, folder))
  }
}

async function takeBack(folder: string): Promise<void> {
  await orNullIfMissing(chown(folder, process.getuid?.() ?? 0, process.getgid?.() ?? 0))
  await orNullIfMissing(chmod(folder, PRIVATE))
}

/** A job may have taken them from itself. */
async function giveRights(folder: string): Promise<void> {
  const { mode } = await stat(folder)
  if ((mode & PRIVATE) !== PRIVATE) await chmod(folder, (mode & 0o777) | PRIVATE)
}

/** Unlike Node, these programs remove folders without rights, and ones too deep for a path. */
const REMOVE =
  'rm -rf -- "$1" 2>/dev/null || { chmod -R u+rwX -- "$1" 2>/dev/null; rm -rf -- "$1"; }'

async function removeFolder(folder: string): Promise<void> {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
  const child = startProcess('/bin/sh', ['-c', REMOVE, 'sh', folder], { env, cwd: '/' })
  child.stdout.resume()
  const [end, why] = await Promise.all([ended(child), text(child.stderr)])
  if (end !== 'exit code 0') throw new Error(`${folder} cannot be removed: ${why.trim()}`)
}
