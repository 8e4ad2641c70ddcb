import {
  isSource,
  type VersionControlMaterial,
  materialFingerprint,
} from '../../document/materials/identity.ts'
import type { Pipeline } from '../../document/model/model.ts'
import { memoize } from '../../lib/memoize.ts'

/** A repository that pipelines use. */
export interface WatchedMaterial {
  readonly fingerprint: string
  readonly material: VersionControlMaterial
  /** The names of the pipelines that use it. */
  readonly pipelines: readonly string[]
}

/** Each distinct repository once, however many pipelines use it. */
export function watchedMaterials(pipelines: readonly Pipeline[]): WatchedMaterial[] {
  const users = new Map<string, string[]>()
  const watched: WatchedMaterial[] = []
  for (const { name, materials } of pipelines) {
    for (const material of materials) {
      if (!isSource(material)) continue
      const fingerprint = materialFingerprint(material)
      const known = users.get(fingerprint)
      if (!known) {
        const first = [name]
        users.set(fingerprint, first)
        watched.push({ fingerprint, material, pipelines: first })
      } else if (known.at(-1) !== name) known.push(name)
    }
  }
  return watched
}

/** The identity of a watch: a new password requires a new one. */
export const watchKey = memoize((material: VersionControlMaterial) => {
  const { username, password, encryptedPassword, autoUpdate } = material
  const useTickets = 'useTickets' in material && material.useTickets
  const address = 'url' in material ? material.url : material.port
  return JSON.stringify([address, username, password, encryptedPassword, autoUpdate, useTickets])
})
