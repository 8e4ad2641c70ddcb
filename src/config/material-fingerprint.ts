import { createHash } from 'node:crypto'
import type { Material } from './model.ts'

/**
 * What tells materials apart: two that read the same thing in the same way have one fingerprint,
 * whatever their names, folders and passwords are. 64 hexadecimal characters.
 */
export function materialFingerprint(material: Material): string {
  const identity = identityOf(material)
  return createHash('sha256').update(JSON.stringify(identity)).digest('hex')
}

function identityOf(material: Material): (string | boolean | null)[] {
  const { kind } = material
  switch (kind) {
    case 'git':
      return [kind, material.url, material.branch]
    case 'hg':
      return [kind, material.url, material.branch]
    case 'svn':
      return [kind, material.url, material.username, material.checkExternals]
    case 'p4':
      return [kind, material.port, material.username, material.view]
    case 'tfs':
      return [kind, material.url, material.username, material.domain, material.projectPath]
    case 'dependency':
      return [kind, material.pipeline.toLowerCase(), material.stage.toLowerCase()]
    case 'package':
    case 'scm':
      return [kind, material.ref]
  }
}
