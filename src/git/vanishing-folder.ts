import { fsErrorCode } from '../storage/fs-error.ts'

/** Each attempt loses only to a git that empties this very folder at this very moment. */
const ATTEMPTS = 20

/**
 * Puts a first file into a folder, which is made where it is not there. Git removes folders of
 * objects and refs that it has emptied, so one may be gone again before anything is in it: then
 * both are done once more.
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
