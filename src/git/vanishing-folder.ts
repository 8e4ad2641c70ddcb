import { fsErrorCode } from '../storage/fs-error.ts'

/** An attempt fails only when git removes this folder at the same moment. */
const ATTEMPTS = 20

/**
 * Creates a file in a folder that may not exist yet. Git removes empty folders of objects and refs,
 * so a new folder may vanish before the file is in it; then both steps are retried.
 */
export async function inVanishingFolder<Result>(
  attempt: () => Promise<Result>,
  make: () => Promise<unknown>,
): Promise<Result> {
  for (let left = ATTEMPTS; ; left -= 1) {
    try {
      return await attempt()
    } catch (error) {
      if (fsErrorCode(error) !== 'ENOENT' || left === 1) throw error
      await make()
    }
  }
}
