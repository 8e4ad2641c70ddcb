import { renameSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { draftName } from '../../storage/draft-name.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { removeFolder } from '../../storage/remove-folder.ts'

/**
 * Removes every folder that is not needed. Each is moved aside within the call, so that a folder
 * needed again meanwhile starts empty and is not removed.
 */
export async function removeOthers(
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<void> {
  for (const name of (await orNullWhenAbsent(readdir(folder))) ?? []) {
    if (isWanted(name)) continue
    const aside = join(folder, draftName())
    renameSync(join(folder, name), aside)
    await removeFolder(aside)
  }
}
