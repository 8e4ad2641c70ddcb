import { lstat } from 'node:fs/promises'
import { join } from 'node:path'
import type { AssignedSourceMaterial } from '../../wire/agent/material.ts'
import { checkOut } from '../checkout/checkout.ts'
import { type ToolCommand, ToolFailed } from '../checkout/source-tool.ts'
import { isInside, orNullIfMissing, resolveInside } from '../host/sandbox-path.ts'
import { runAsUser } from './run-as-user.ts'
import type { JobContext } from './job-context.ts'

/**
 * The clients share a job user's home with the jobs, which may have left settings there. The svn
 * client has no variable for it.
 */
const NO_SETTINGS_OF_HOME = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  HGRCPATH: '',
  P4ENVIRO: '/dev/null',
  P4ALIASES: '/dev/null',
  // The name of a file that p4 looks for in the checkout and above it.
  P4CONFIG: '',
}

/**
 * The parent folder may belong to another user, so the folder itself stays. A job may have removed
 * permissions of folders inside.
 */
const RENEW =
  '[ -d "$1" ] || rm -f -- "$1"; mkdir -p -- "$1" && chmod -R u+rwX -- "$1" && find "$1" -mindepth 1 -delete'

const REMOVE = 'rm -f -- "$1"'

/** Creates the working folder and checks out the materials of the assignment. */
export async function prepareFolder(
  context: JobContext,
  inherited: Readonly<Record<string, string>>,
): Promise<void> {
  const { assignment, folder, folders, console } = context
  if (assignment.cleanWorkingDir) {
    console.note(`Cleaning the working folder ${folder}`)
    await folders.clean()
  }
  await folders.open()
  if (!assignment.fetchMaterials) return
  console.note('Start to update materials')
  for (const material of assignment.materials) {
    if (material.type !== 'pipeline') await checkOutMaterial(context, inherited, material)
  }
}

/**
 * Removes links and files on the way to the folder of a material, which jobs have put in the place of folders: another
 * folder could be behind a link.
 */
async function clearWay(context: JobContext, dest: string): Promise<void> {
  let way = context.folder
  for (const name of dest.split('/')) {
    way = join(way, name)
    if (!isInside(context.folder, way)) return
    const found = await orNullIfMissing(lstat(way))
    if (found !== null && !found.isDirectory()) await runAsUser(context, [REMOVE, way])
  }
}

async function checkOutMaterial(
  context: JobContext,
  inherited: Readonly<Record<string, string>>,
  material: AssignedSourceMaterial,
): Promise<void> {
  const { agent, folder, folders, console, processes, signal, user } = context
  const renew = (path: string) => runAsUser(context, [RENEW, path])
  await clearWay(context, material.dest ?? '')
  const target = await resolveInside(folder, material.dest)
  const base = { ...inherited, ...(user === null ? {} : NO_SETTINGS_OF_HOME) }

  async function run(tool: ToolCommand): Promise<void> {
    signal.throwIfAborted()
    const { command, args, input = '' } = tool
    const environment = { ...base, ...tool.environment }
    const line = { command, args, cwd: target, environment, input }
    const { exitCode, reason } = await processes.run(line, console.output)
    console.endCommand()
    signal.throwIfAborted()
    if (exitCode === 0 || tool.optional === true) return
    const why = reason ?? `exit code ${exitCode}`
    throw new ToolFailed(`${command} ${args.join(' ')} failed: ${why}`)
  }

  const tools = { run, renew, note: (text: string) => console.note(text), signal }
  const { notes, userSettings } = folders
  await checkOut(material, { agent, folder: target, notes, userSettings }, tools)
}
