import { rm } from 'node:fs/promises'

/** A program that outlives who started it goes on for moments: they add up to two seconds and a half. */
const PATIENCE = { maxRetries: 9, retryDelay: 50 }

/**
 * Removes a folder with everything in it, if there is one. When its maker was killed, a git that
 * it had started may still write there: what appears meanwhile is removed too.
 */
export async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, ...PATIENCE })
}
