import type { VersionControlMaterial } from '../document/materials/identity.ts'
import { splitHgAddress } from '../core/source-address.ts'
import { gitSource } from './git-source.ts'
import { hgSource } from './hg-source.ts'
import { type LocalMaterials, withAllowedAddress } from './local-materials.ts'
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
  const material = await withAllowedAddress(withOwnBranch(configured), place.local)
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

/** @throws {SourceFailed} for an address that must not be read, whatever is there. */
export async function assertAllowed(
  material: VersionControlMaterial,
  local: LocalMaterials,
): Promise<void> {
  await withAllowedAddress(withOwnBranch(material), local)
}

/** The branch of a Mercurial repository may stand behind its address; the attribute goes before. */
function withOwnBranch(material: VersionControlMaterial): VersionControlMaterial {
  if (material.kind !== 'hg') return material
  const { url, branch } = splitHgAddress(material.url)
  return { ...material, url, branch: material.branch || branch }
}
