import { fileURLToPath } from 'node:url'

/** The path of a file of the project, named from its root. */
export function rootFile(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url))
}
