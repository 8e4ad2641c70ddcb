import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const { resolve } = createRequire(import.meta.url)

/**
 * A file of the last build by its path in `dist`, wherever this code runs from: the bundle, or its
 * TypeScript sources as in tests.
 */
export function builtFile(path: string): string {
  return resolve(`#dist/${path}`)
}

/**
 * Identifies the code of this program; null where it is not a part of the last build, such as its sources, which may be
 * others at any time.
 */
export function identifyProgram(): string | null {
  try {
    const stamp = builtFile('.built')
    const isBuilt = fileURLToPath(import.meta.url).startsWith(`${dirname(stamp)}${sep}`)
    return isBuilt ? `${readFileSync(stamp, 'utf8')} ${process.version}` : null
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
