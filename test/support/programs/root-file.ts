import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path of a file of the project, named from its root. */
export function rootFile(path: string): string {
  return fileURLToPath(new URL(`../../../${path}`, import.meta.url))
}

/** The text of a file of `deploy/`. */
export function deployed(name: string): string {
  return readFileSync(rootFile(`deploy/${name}`), 'utf8')
}
