import type { VersionControlMaterial } from '../document/materials/identity.ts'
import { gitSource } from './git-source.ts'
import { hgSource } from './hg-source.ts'
import { withAllowedAddress } from './local-materials.ts'
import type { MaterialSource } from './modification.ts'
import { p4Source } from './p4-source.ts'
import type { SourcePlace } from './source-place.ts'
import { svnSource } from './svn-source.ts'
import { tfsSource } from './tfs-source.ts'

/** @throws {SourceFailed} for an address that must not be given to a tool. */
export async function openSource(
  configured: VersionControlMaterial,
  place: SourcePlace,
): Promise<MaterialSource> {
  const material = await withAllowedAddress(configured, place.local)
  switch (material.kind) {
    case 'git':
      return gitSource(material, place)
    case 'svn':
      return svnSource(material, place)
    case 'hg':
      return hgSource(material, place)
    case 'p4':
      return p4Source(material, place)
    case 'tfs':
      return tfsSource(material, place)
  }
}
