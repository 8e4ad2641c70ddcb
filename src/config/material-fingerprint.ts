import { createHash } from 'node:crypto'
import { identityOf } from './materials/identity.ts'
import type { Material } from './model.ts'

/**
 * What tells materials apart: two that read the same thing in the same way have one fingerprint,
 * whatever their names, folders and passwords are. 64 hexadecimal characters.
 */
export function materialFingerprint(material: Material): string {
  return createHash('sha256').update(identityOf(material)).digest('hex')
}
