import { copyFileSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The folders of one server. */
export interface Places {
  readonly repository: string
  readonly state: string
}

const SHARED = ['secret.keys', 'artifacts/.cairn-database']

/** Gives a new server what all servers of a database need. */
export function shareFiles(from: Places, to: Places): void {
  for (const name of SHARED) {
    mkdirSync(dirname(join(to.state, name)), { recursive: true })
    copyFileSync(join(from.state, name), join(to.state, name))
  }
}
