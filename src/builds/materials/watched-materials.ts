import {
  isSource,
  type VersionControlMaterial,
  materialFingerprint,
} from '../../document/materials/identity.ts'
import type { Pipeline } from '../../document/model/model.ts'

/** A repository that pipelines use. */
export interface WatchedMaterial {
  readonly fingerprint: string
  readonly material: VersionControlMaterial
  /** The names of the pipelines that use it. */
  readonly pipelines: readonly string[]
}

/** Each distinct repository once, however many pipelines use it. */
export function watchedMaterials(pipelines: readonly Pipeline[]): WatchedMaterial[] {
  const watched = new Map<string, { material: VersionControlMaterial; pipelines: Set<string> }>()
  for (const { name, materials } of pipelines) {
    for (const material of materials) {
      if (!isSource(material)) continue
      const fingerprint = materialFingerprint(material)
      const entry = watched.get(fingerprint)
      if (entry) entry.pipelines.add(name)
      else watched.set(fingerprint, { material, pipelines: new Set([name]) })
    }
  }
  return [...watched].map(([fingerprint, { material, pipelines: users }]) => ({
    fingerprint,
    material,
    pipelines: [...users],
  }))
}
