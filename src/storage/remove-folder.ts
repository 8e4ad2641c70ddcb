import { rm } from 'node:fs/promises'

/** Retries for programs that briefly outlive their parent: two and a half seconds in total. */
const PATIENCE = { maxRetries: 9, retryDelay: 50 }

/**
 * Removes a folder with its content, if it exists. A git that outlived its killed parent may still
 * write there: new files are removed too.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...PATIENCE })
}
