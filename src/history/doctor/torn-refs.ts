import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { replaceFile } from '../../storage/durable-fs.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { filesBelow } from './files-below.ts'
import {
  type RepairFinding,
  gitOn,
  lost,
  repairable,
  type RepairContext,
} from './repair-context.ts'

const WHOLE = /^(?:ref: refs\/\S+|[0-9a-f]{40})\s*$/
const BRANCH = 'refs/heads/'

/** Refs that a power cut left empty or cut short, told from the log of the ref what they were. */
export async function findTornRefs(patient: RepairContext): Promise<RepairFinding[]> {
  const head = await tornHead(patient)
  const files = (await filesBelow(join(patient.gitDir, 'refs'))).filter(
    (path) => !path.endsWith('.lock') && !basename(path).startsWith('.draft-'),
  )
  const findings: RepairFinding[] = []
  for (const path of files) {
    if (!(await isTorn(path))) continue
    findings.push(await mendRef(patient, relative(patient.gitDir, path)))
  }
  return [...head, ...findings]
}

async function tornHead(patient: RepairContext): Promise<RepairFinding[]> {
  const path = join(patient.gitDir, 'HEAD')
  if (!(await isTorn(path))) return []
  const heads = join(patient.gitDir, 'refs', 'heads')
  const loose = (await orNullWhenAbsent(readdir(heads))) ?? []
  const branches = [...new Set([...loose, ...(await packedBranches(patient))])].filter(
    (name) => !name.startsWith('.draft-') && !name.endsWith('.lock'),
  )
  const [branch] = branches
  const what = 'HEAD names neither a branch nor a commit'
  if (branch === undefined || branches.length > 1) {
    const advice = 'write "ref: refs/heads/NAME" into .git/HEAD, with the name of the branch'
    return [lost(what, `${advice} (there are ${branches.length})`)]
  }
  const remedy = `moved aside, and set to the only branch, ${branch}`
  const finding = await repairable(patient, { what, remedy }, async (aside) => {
    if ((await orNullWhenAbsent(readFile(path))) !== null) await aside.move(path)
    await replaceFile(path, `ref: ${BRANCH}${branch}\n`)
  })
  return [finding]
}

async function packedBranches({ gitDir }: RepairContext): Promise<string[]> {
  const text = (await orNullWhenAbsent(readFile(join(gitDir, 'packed-refs'), 'utf8'))) ?? ''
  const refs = text.split('\n').map((line) => line.slice(41))
  return refs.filter((ref) => ref.startsWith(BRANCH)).map((ref) => ref.slice(BRANCH.length))
}

/** HEAD may be missing; another ref that is missing is simply not there. */
async function isTorn(path: string): Promise<boolean> {
  const text = await orNullWhenAbsent(readFile(path, 'utf8'))
  return text === null || !WHOLE.test(text)
}

async function mendRef(patient: RepairContext, ref: string): Promise<RepairFinding> {
  const what = `${ref} names no commit`
  const commit = await lastLogged(patient, ref)
  if (commit === null) {
    return lost(
      what,
      `its log names none either: git update-ref ${ref} COMMIT, after moving it away`,
    )
  }
  const path = join(patient.gitDir, ref)
  const remedy = `moved aside, and set to ${commit}, the last commit in its log`
  return repairable(patient, { what, remedy }, async (aside) => {
    await aside.move(path)
    await replaceFile(path, `${commit}\n`)
  })
}

/** Only the last move: an earlier one would take acknowledged revisions back. */
async function lastLogged(patient: RepairContext, ref: string): Promise<string | null> {
  const text = await orNullWhenAbsent(readFile(join(patient.gitDir, 'logs', ref), 'utf8'))
  const lines = text?.split('\n').filter((line) => /^[0-9a-f]{40} [0-9a-f]{40} /.test(line))
  const commit = lines?.at(-1)?.slice(41, 81) ?? null
  if (commit === null) return null
  const { isDone } = await gitOn(patient, 'cat-file', '-e', `${commit}^{commit}`)
  return isDone ? commit : null
}
