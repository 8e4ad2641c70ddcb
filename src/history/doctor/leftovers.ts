import { readdir } from 'node:fs/promises'
import { basename, dirname, join, relative } from 'node:path'
import { isDraftName } from '../../storage/draft-name.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { filesBelow } from './files-below.ts'
import { type Finding, mendable, type Patient } from './patient.ts'

const OBJECT_DRAFT = /^(?:tmp_(?:obj|pack|idx|rev|bitmap|graph)_|\.tmp-)/

/** Drafts of writers that died: no harm, but room. */
export async function findLeftovers(patient: Patient): Promise<Finding[]> {
  const found = [...(await ownDrafts(patient)), ...(await objectDrafts(patient))]
  return Promise.all(
    found.map((path) => {
      const what = `${relative(patient.repository, path)} is the draft of a writer that died`
      return mendable(patient, { what, remedy: 'moved aside' }, (aside) => aside.move(path))
    }),
  )
}

async function ownDrafts({ repository, gitDir, fileName }: Patient): Promise<string[]> {
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

async function objectDrafts({ gitDir }: Patient): Promise<string[]> {
  const files = await filesBelow(join(gitDir, 'objects'))
  return files.filter((path) => OBJECT_DRAFT.test(basename(path)))
}
