import type { Material } from '../model/model.ts'
import type { RuleContext } from './rule-context.ts'

/** The name a material goes by in labels, or null for one that has none. */
export function materialNameOf(
  material: Material,
  { pluginMaterialNames }: Pick<RuleContext, 'pluginMaterialNames'>,
): string | null {
  if (material.kind === 'package' || material.kind === 'scm') {
    return pluginMaterialNames.get(material.ref) ?? null
  }
  if (material.kind === 'dependency') return material.name ?? material.pipeline
  return material.name
}
