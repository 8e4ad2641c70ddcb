import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { builtFile } from '../lib/built-file.ts'

/** The version of this program, as its package says. */
export const VERSION: string = createRequire(import.meta.url)('#package').version

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
