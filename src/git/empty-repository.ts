import { join } from 'node:path'
import { replaceFile } from '../storage/durable-fs.ts'
import type { FsPromises } from '../storage/fs-promises.ts'
import { syncFolder } from '../storage/sync-folder.ts'

/** Short delta chains cost little space and make old revisions as quick to read as new ones. */
export const DELTA_DEPTH = 20

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = false
\tlogallrefupdates = true
\tautocrlf = false
[receive]
\tdenyCurrentBranch = updateInstead
[pack]
\tdepth = ${DELTA_DEPTH}
`

/** Creates a `.git` folder without commits, durably. */
export async function writeEmptyRepository(fs: FsPromises, gitDir: string): Promise<void> {
  const folders = ['objects/info', 'objects/pack', 'refs/heads', 'refs/tags', 'info', 'hooks']
  for (const folder of folders) await fs.mkdir(join(gitDir, folder), { recursive: true })
  await replaceFile(join(gitDir, 'HEAD'), 'ref: refs/heads/main\n', { fs })
  await replaceFile(join(gitDir, 'config'), CONFIG, { fs })
  for (const folder of [...folders, 'objects', 'refs', '.'])
    await syncFolder(fs, join(gitDir, folder))
}
