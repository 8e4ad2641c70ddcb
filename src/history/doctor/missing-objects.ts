import nodeFs, { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { OBJECT_NAME } from '../../core/object-name.ts'
import { looseObjects, writeLooseObjects } from '../../git/objects/loose-objects.ts'
import { openObjectReader } from '../../git/readers/open-object-reader.ts'
import { type NamedObject, objectName, type RawObject } from '../../git/objects/raw-object.ts'
import { formatOfName } from '../../git/object-format.ts'
import { missingPromised } from '../../git/promised-objects.ts'
import { sharedFs } from '../../git/shared-repository.ts'
import { tryGit } from '../../git/run-git.ts'
import { addPacks } from '../log/log-packs.ts'
import { type RepairFinding, gitOn, lost, type RepairContext } from './repair-context.ts'

const TYPES = ['blob', 'tree', 'commit', 'tag'] as const
const MISSING = new RegExp(
  `(?:missing (?:blob|tree|commit|tag)|invalid sha1 pointer) (${OBJECT_NAME})`,
  'g',
)
const ADVICE =
  'get it from another clone (--from REPOSITORY), or restore a backup and give that as --from'

/**
 * Finds objects that the history needs and the repository lacks. They are written again from the
 * log in a database, the files beside the live file, git's index, and other repositories.
 */
export async function findMissingObjects(context: RepairContext): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  for (;;) {
    const missing = await listMissing(context)
    if (missing.length === 0) return findings
    const found = context.quarantine === null ? [] : await recover(context, missing)
    findings.push(...found)
    // A recovered object may refer to others that are missing too.
    if (found.length === 0) return [...findings, ...missing.map((oid) => missed(context, oid))]
  }
}

function missed({ quarantine }: RepairContext, oid: string): RepairFinding {
  const what = `The object ${oid} is missing`
  if (quarantine !== null) return lost(what, ADVICE)
  return { what, state: 'repairable', remedy: `written again if it is found; otherwise ${ADVICE}` }
}

async function listMissing(context: RepairContext): Promise<string[]> {
  const { output, errors } = await gitOn(
    context,
    'fsck',
    '--full',
    '--no-dangling',
    '--no-progress',
    '--no-reflogs',
  )
  const text = `${output.toString('utf8')}\n${errors}`
  const promised = await missingPromised(context.git, context.gitDir)
  return [...new Set([...[...text.matchAll(MISSING)].map(([, oid = '']) => oid), ...promised])]
}

async function recover(
  context: RepairContext,
  missing: readonly string[],
): Promise<RepairFinding[]> {
  const findings: RepairFinding[] = []
  await fetchLog(context)
  // Git's index may still list the tree of the newest commit.
  await gitOn(context, 'write-tree')
  const files = await blobsBeside(context)
  for (const oid of missing) {
    const source = await recoverOne(context, oid, files)
    if (source === null) continue
    const what = `The object ${oid} was missing`
    findings.push({ what, state: 'repaired', remedy: `written again from ${source}` })
  }
  return findings
}

/** The database has everything except unpublished objects. */
async function fetchLog({ log, git, gitDir, programPath }: RepairContext): Promise<void> {
  if (log === null) return
  await using reader = await openObjectReader({ fs: nodeFs, gitDir, path: programPath })
  await addPacks({ git, gitDir, reader }, log.packsAfter(0))
}

async function recoverOne(
  context: RepairContext,
  oid: string,
  files: readonly RawObject[],
): Promise<string | null> {
  const { gitDir, sources } = context
  if ((await gitOn(context, 'cat-file', '-e', oid)).isDone) {
    return context.log === null ? 'the index of git' : 'the database'
  }
  const file = files.find((object) => objectName(object, formatOfName(oid)) === oid)
  if (file) await write(gitDir, { ...file, oid })
  if (file) return 'a file in the work tree'
  for (const donor of sources) {
    const object = await readFrom(context, donor, oid)
    if (object) await write(gitDir, { ...object, oid })
    if (object) return donor
  }
  return null
}

async function write(gitDir: string, object: NamedObject): Promise<void> {
  const fs = await sharedFs(nodeFs, gitDir)
  await writeLooseObjects({ fs, gitDir }, await looseObjects([object]))
}

/** Every file in the top folder of the work tree: the live file, and invalid ones that were moved away. */
async function blobsBeside({ repository }: RepairContext): Promise<RawObject[]> {
  const entries = await readdir(repository, { withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return Promise.all(
    files.map(async ({ name }) => ({
      type: 'blob' as const,
      content: new Uint8Array(await readFile(join(repository, name))),
    })),
  )
}

async function readFrom(
  { git }: RepairContext,
  donor: string,
  oid: string,
): Promise<RawObject | null> {
  const { output } = await tryGit(git, donor, ['cat-file', '-t', oid])
  const type = TYPES.find((name) => name === output.toString('utf8').trim())
  if (type === undefined) return null
  const read = await tryGit(git, donor, ['cat-file', type, oid])
  const object: RawObject = { type, content: new Uint8Array(read.output) }
  return read.isDone && objectName(object, formatOfName(oid)) === oid ? object : null
}
