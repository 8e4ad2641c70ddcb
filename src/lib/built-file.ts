import { createRequire } from 'node:module'

const { resolve } = createRequire(import.meta.url)

/**
 * A file of the last build by its path in `dist`, wherever this code runs from: the bundle, or its
 * TypeScript sources as in tests.
 */
export function builtFile(path: string): string {
  return resolve(`#dist/${path}`)
}
