import { createHash } from 'node:crypto'
import { materialIdentity } from './identity.ts'
import type { Material } from '../model/model.ts'
import { memoize } from '../../lib/memoize.ts'

/**
 * What tells materials apart: two that read the same thing in the same way have one fingerprint,
 * whatever their names, folders and passwords are. 64 hexadecimal characters.
 */
export const materialFingerprint = memoize((material: Material) =>
  createHash('sha256').update(materialIdentity(material)).digest('hex'),
)
