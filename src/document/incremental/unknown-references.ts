import type { Configuration } from '../model/model.ts'

/** Whether the pipelines of a model refer to unknown packages or scms. */
export function hasUnknownReferences({ repositories, scms, groups }: Configuration): boolean {
  const packages = new Set(repositories.flatMap((each) => each.packages).map((each) => each.id))
  const ids = { package: packages, scm: new Set(scms.map((each) => each.id)) }
  return groups.some(({ pipelines }) =>
    pipelines.some(({ materials }) =>
      materials.some(
        (material) =>
          (material.kind === 'package' || material.kind === 'scm') &&
          !ids[material.kind].has(material.ref),
      ),
    ),
  )
}
