import nodeFs, { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isDraftName } from '../../storage/file-draft.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { listIncoming } from '../upkeep/abandoned-objects.ts'
import { filesBelow } from '../../storage/folders.ts'
import { findHolder } from './holders.ts'
import { type RepairFinding, repairable, type RepairContext, lost } from './repair-context.ts'

const OBJECT_DRAFT = /^(?:tmp_(?:obj|pack|idx|rev|bitmap|graph)_|\.tmp-)/

/** Finds drafts of writers that died. They do no harm, but use space. */
export async function findLeftovers(context: RepairContext): Promise<RepairFinding[]> {
  const incoming = await listIncoming({ fs: nodeFs, gitDir: context.gitDir })
  const drafts = [...(await ownDrafts(context)), ...(await objectDrafts(context, incoming))]
  const pushes = await abandoned(context, incoming)
  return Promise.all([
    ...drafts.map((path) => left(context, path, 'is the draft of a writer that died')),
    ...pushes.map((path) => left(context, path, 'is what a push left that was killed')),
  ])
}

function left(context: RepairContext, path: string, reason: string): Promise<RepairFinding> {
  const what = `${relative(context.repository, path)} ${reason}`
  return repairable(context, { what, remedy: 'moved aside' }, (quarantine) => quarantine.move(path))
}

/** A running git process may still need the objects of a push. */
async function abandoned(
  { repository }: RepairContext,
  incoming: readonly string[],
): Promise<string[]> {
  const holders = await Promise.all(incoming.map((path) => findHolder(path, repository)))
  return incoming.filter((_, n) => holders[n] === null)
}

async function ownDrafts({ repository, gitDir, fileName }: RepairContext): Promise<string[]> {
  const live = dirname(join(repository, fileName))
  const heads = join(gitDir, 'refs', 'heads')
  const folders = [...new Set([repository, live, gitDir, join(gitDir, 'cairn'), heads])]
  const found = await Promise.all(
    folders.map(async (folder) => {
      const names = (await orNullWhenAbsent(readdir(folder))) ?? []
      const drafts = names.filter((name) => isDraftName(name) || name.startsWith('.git.draft-'))
      return drafts.map((name) => join(folder, name))
    }),
  )
  return found.flat()
}

async function objectDrafts(
  { gitDir }: RepairContext,
  incoming: readonly string[],
): Promise<string[]> {
  const files = await filesBelow(join(gitDir, 'objects'))
  const drafts = files.filter((path) => OBJECT_DRAFT.test(basename(path)))
  return drafts.filter((path) => !incoming.some((folder) => path.startsWith(`${folder}/`)))
}

/** Finds locks of git commands that died. Other commands would wait for them forever. */
export async function findStaleLocks(context: RepairContext): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (const lock of await locksIn(context)) {
    const name = relative(context.repository, lock)
    const holder = await findHolder(lock, context.repository)
    if (holder === null) {
      const facts = { what: `${name} was left by a git command that died`, remedy: 'moved aside' }
      findings.push(await repairable(context, facts, (quarantine) => quarantine.move(lock)))
    } else {
      findings.push(lost(`${name} may be held by ${holder}`, 'let it end, then look again'))
    }
  }
  return findings
}

async function locksIn({ gitDir }: RepairContext): Promise<string[]> {
  const own = join(gitDir, 'cairn')
  const files = await filesBelow(gitDir)
  return files.filter((path) => path.endsWith('.lock') && !path.startsWith(`${own}/`))
}
