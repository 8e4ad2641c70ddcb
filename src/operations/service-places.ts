import { join, resolve } from 'node:path'

/** The settings of the state folder and of the places that may lie elsewhere. */
interface PlaceSettings {
  readonly 'state-dir': string
  readonly 'users-file': string | null
  readonly 'secret-keys': string | null
  readonly 'artifacts-dir': string | null
}

/** The state folder, and files and folders that lie in it unless the operator names another place. */
export interface StatePlaces {
  readonly stateDir: string
  readonly usersFile: string
  readonly keysFile: string
  /** The folder of consoles and artifacts. */
  readonly artifactsDir: string
}

/** The folders and files of a service. */
export interface ServicePlaces extends StatePlaces {
  readonly repository: string
  readonly fileName: string
}

export function statePlaces(settings: PlaceSettings): StatePlaces {
  const stateDir = resolve(settings['state-dir'])
  return {
    stateDir,
    usersFile: resolve(settings['users-file'] ?? join(stateDir, 'users.htpasswd')),
    keysFile: keysFileOf(settings),
    artifactsDir: resolve(settings['artifacts-dir'] ?? join(stateDir, 'artifacts')),
  }
}

export function keysFileOf(settings: Pick<PlaceSettings, 'state-dir' | 'secret-keys'>): string {
  return resolve(settings['secret-keys'] ?? join(settings['state-dir'], 'secret.keys'))
}
