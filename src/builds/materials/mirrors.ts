import { renameSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { draftName } from '../../storage/draft-name.ts'
import { orNullWhenAbsent } from '../../storage/fs-error.ts'
import { removeFolder } from '../../storage/remove-folder.ts'

/**
 * Removes every folder that is not wanted. Each is put aside in the moment in which it is asked
 * for, so that one which is wanted again meanwhile begins empty and stays.
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
