import { join } from 'node:path'
import { replaceFile } from '../storage/durable-fs.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import { type ObjectFormat, SHA1 } from './object-format.ts'
import { syncFolder } from '../storage/sync-folder.ts'

/** Short delta chains cost little space and make old revisions as quick to read as new ones. */
export const DELTA_DEPTH = 20

const CORE = `\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\tautocrlf = false
[receive]
\tdenyCurrentBranch = updateInstead
[pack]
\tdepth = ${DELTA_DEPTH}
`

/** A repository of version 0, which every git can read, uses SHA-1. */
function configOf(format: ObjectFormat): string {
  if (format === SHA1) return `[core]\n\trepositoryformatversion = 0\n${CORE}`
  const extension = `[extensions]\n\tobjectformat = ${format.name}\n`
  return `[core]\n\trepositoryformatversion = 1\n${CORE}${extension}`
}

/** Creates a `.git` folder without commits, durably. */
export async function writeEmptyRepository(
  fs: FsPromises,
  gitDir: string,
  format: ObjectFormat,
): Promise<void> {
  const folders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks']
  for (const folder of folders) await fs.mkdir(join(gitDir, folder), { recursive: true })
  await replaceFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n', { fs })
  await replaceFile(join(gitDir, 'config'), configOf(format), { fs })
  for (const folder of [...folders, 'objects', 'refs', '.'])
    await syncFolder(fs, join(gitDir, folder))
}
