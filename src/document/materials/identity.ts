import { nameKey } from '../../core/name-key.ts'
import { memoize } from '../../lib/memoize.ts'
import { withoutSecret } from '../secrets/address-secret.ts'
import { hash } from 'node:crypto'
import type { Material } from '../model/model.ts'

/** A material that is watched through the client of its version control. */
export type VersionControlMaterial = Exclude<
  Material,
  { readonly kind: 'dependency' | 'package' | 'scm' | 'unknown' }
>

/** The identity of a material, wherever it is used (MAT-2). Passwords are no part of it. */
export const materialIdentity = memoize((material: Material) =>
  JSON.stringify([material.kind, ...identityParts(material)]),
)

export function isSource(material: Material): material is VersionControlMaterial {
  return !['dependency', 'package', 'scm', 'unknown'].includes(material.kind)
}

function identityParts(material: Material): readonly (string | boolean | null)[] {
  switch (material.kind) {
    case 'git':
      return [withoutSecret(material.url), material.branch === '' ? 'master' : material.branch]
    case 'svn':
      return [withoutSecret(material.url), material.username, material.checkExternals]
    case 'hg':
      return [withoutSecret(material.url), material.branch]
    case 'p4':
      return [material.port, material.username, material.view]
    case 'tfs':
      return [withoutSecret(material.url), material.username, material.domain, material.projectPath]
    case 'dependency':
      return [nameKey(material.pipeline), nameKey(material.stage)]
    case 'package':
    case 'scm':
      return [material.ref]
    case 'unknown':
      return [material.element]
  }
}

/**
 * Identifies a material: two that read the same thing in the same way have one fingerprint,
 * whatever their names, folders and passwords are. 64 hexadecimal characters.
 */
export const materialFingerprint = memoize((material: Material) =>
  hash('sha256', materialIdentity(material)),
)
