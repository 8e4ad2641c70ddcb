import { readdir, readFile } from 'node:fs/promises'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { inflate } from 'node:zlib'
import { isObjectName } from '../../core/object-name.ts'
import { formatOfName } from '../../git/object-format.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { type RepairFinding, repairable, type RepairContext } from './repair-context.ts'

const inflated = promisify(inflate)

/** Finds loose objects whose content does not match their name: truncated by a power cut, or changed. */
export async function findBrokenObjects(context: RepairContext): Promise<RepairFinding[]> {
  const objects = join(context.gitDir, 'objects')
  const folders = (await readdir(objects)).filter((name) => /^[0-9a-f]{2}$/.test(name))
  const findings: RepairFinding[] = []
  for (const folder of folders) {
    const names = (await orNullWhenAbsent(readdir(join(objects, folder)))) ?? []
    for (const name of names.filter((each) => isObjectName(folder + each))) {
      const path = join(objects, folder, name)
      if (await isWhole(path, folder + name)) continue
      const what = `The object ${folder}${name} is damaged`
      const remedy = 'moved aside'
      findings.push(
        await repairable(context, { what, remedy }, (quarantine) => quarantine.move(path)),
      )
    }
  }
  return findings
}

/** An object may vanish meanwhile, because a git command has packed it. */
async function isWhole(path: string, oid: string): Promise<boolean> {
  const bytes = await orNullWhenAbsent(readFile(path))
  if (bytes === null) return true
  try {
    const content = await inflated(bytes)
    return createHash(formatOfName(oid).name).update(content).digest('hex') === oid
  } catch (error) {
    if (error instanceof Error && 'code' in error && String(error.code).startsWith('Z_'))
      return false
    throw error
  }
}
