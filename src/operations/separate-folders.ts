import { join } from 'node:path'
import { type ServiceError, unavailable } from '../core/errors.ts'
import { isWithin, realPath } from '../storage/folders.ts'

/** Folders below the state folder that an operator may have linked elsewhere. */
const PARTS = ['.', 'artifacts', 'materials']

/**
 * Asserts that neither the configuration repository nor the state folder lies in the other: a
 * `git add` there would commit keys and consoles, and a `git clean` would remove them.
 *
 * @throws {ServiceError} `unavailable`, with both folders.
 */
export async function assertSeparate(places: {
  readonly repository: string
  readonly stateDir: string
  /** The folder of consoles and artifacts, where it is another. */
  readonly artifactsDir?: string
}): Promise<void> {
  const repository = await realPath(places.repository)
  const parts = PARTS.map((part) => join(places.stateDir, part))
  for (const folder of [...parts, ...(places.artifactsDir ? [places.artifactsDir] : [])]) {
    const state = await realPath(folder)
    if (isWithin(state, repository)) {
      throw nested(`${folder} lies in the configuration repository ${places.repository}`)
    }
    if (isWithin(repository, state)) {
      throw nested(`The configuration repository ${places.repository} lies in ${folder}`)
    }
  }
}

/**
 * Asserts that a file to write does not lie in a folder of the service.
 *
 * @throws {ServiceError} `unavailable`, with both.
 */
export async function assertOutside(
  file: string,
  { name, path }: { readonly name: string; readonly path: string },
): Promise<void> {
  if (!isWithin(await realPath(file), await realPath(path))) return
  throw unavailable(`${file} lies in the ${name} ${path}: name a place outside of it`)
}

function nested(what: string): ServiceError {
  return unavailable(`${what}: --config-repo and --state-dir have to lie beside each other`)
}
