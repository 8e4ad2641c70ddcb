import nodeFs, { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { OBJECT_NAME } from '../../core/object-name.ts'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { filesBelow } from '../../storage/folders.ts'
import type { FsPromises } from '../../storage/fs-promises.ts'
import { readReflog } from '../../git/reflog.ts'
import { sharedFs } from '../../git/shared-repository.ts'
import {
  type RepairFinding,
  gitOn,
  lost,
  repairable,
  type RepairContext,
} from './repair-context.ts'

const WHOLE = new RegExp(`^(?:ref: refs/\\S+|${OBJECT_NAME})\\s*$`)
const BRANCH = 'refs/heads/'

/** Finds refs that a power cut left empty or truncated, and restores them from their reflogs. */
export async function findTornRefs(context: RepairContext): Promise<RepairFinding[]> {
  const head = await tornHead(context)
  const files = (await filesBelow(join(context.gitDir, 'refs'))).filter(
    (path) => !path.endsWith('.lock') && !basename(path).startsWith('.draft-'),
  )
  const findings: RepairFinding[] = []
  for (const path of files) {
    if (!(await isTorn(path))) continue
    findings.push(await repairRef(context, relative(context.gitDir, path)))
  }
  return [...head, ...findings]
}

async function tornHead(context: RepairContext): Promise<RepairFinding[]> {
  const path = join(context.gitDir, 'HEAD')
  if (!(await isTorn(path))) return []
  const heads = join(context.gitDir, 'refs', 'heads')
  const loose = (await orNullWhenAbsent(readdir(heads))) ?? []
  const branches = [...new Set([...loose, ...(await packedBranches(context))])].filter(
    (name) => !name.startsWith('.draft-') && !name.endsWith('.lock'),
  )
  const [branch] = branches
  const what = 'HEAD names neither a branch nor a commit'
  if (branch === undefined || branches.length > 1) {
    const advice = 'write "ref: refs/heads/NAME" into .git/HEAD, with the name of the branch'
    return [lost(what, `${advice} (there are ${branches.length})`)]
  }
  const remedy = `moved aside, and set to the only branch, ${branch}`
  const finding = await repairable(context, { what, remedy }, async (quarantine) => {
    if ((await orNullWhenAbsent(readFile(path))) !== null) await quarantine.move(path)
    await replaceFile(path, `ref: ${BRANCH}${branch}\n`, { fs: await fsOf(context) })
  })
  return [finding]
}

function fsOf({ gitDir }: RepairContext): Promise<FsPromises> {
  return sharedFs(nodeFs, gitDir)
}

async function packedBranches({ gitDir }: RepairContext): Promise<string[]> {
  const text = (await orNullWhenAbsent(readFile(join(gitDir, 'packed-refs'), 'utf8'))) ?? ''
  const refs = text.split('\n').map((line) => line.slice(line.indexOf(' ') + 1))
  return refs.filter((ref) => ref.startsWith(BRANCH)).map((ref) => ref.slice(BRANCH.length))
}

/** Only HEAD has to exist. Any other missing file is not a ref. */
async function isTorn(path: string): Promise<boolean> {
  const text = await orNullWhenAbsent(readFile(path, 'utf8'))
  return text === null || !WHOLE.test(text)
}

async function repairRef(context: RepairContext, ref: string): Promise<RepairFinding> {
  const what = `${ref} names no commit`
  const commit = await lastLogged(context, ref)
  if (commit === null) {
    return lost(
      what,
      `its log names none either: git update-ref ${ref} COMMIT, after moving it away`,
    )
  }
  const path = join(context.gitDir, ref)
  const remedy = `moved aside, and set to ${commit}, the last commit in its log`
  return repairable(context, { what, remedy }, async (quarantine) => {
    await quarantine.move(path)
    await replaceFile(path, `${commit}\n`, { fs: await fsOf(context) })
  })
}

/** Reads the last entry only: an earlier one would take acknowledged revisions back. */
async function lastLogged(context: RepairContext, ref: string): Promise<string | null> {
  const entries = await readReflog({ fs: nodeFs, gitDir: context.gitDir }, ref)
  const commit = entries.at(-1)?.to
  if (commit === undefined) return null
  const object = ref.startsWith(BRANCH) ? `${commit}^{commit}` : commit
  const { isDone } = await gitOn(context, 'cat-file', '-e', object)
  return isDone ? commit : null
}
