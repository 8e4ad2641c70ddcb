import { z } from 'zod'
import type { SourceKind } from '../../core/source-address.ts'
import { MATERIAL_ELEMENTS, SOURCE_ELEMENTS } from '../schema/materials.ts'
import {
  childrenOf,
  constant,
  ELEMENT_NAME,
  many,
  type Model,
  modelOf,
  type ValueOf,
} from './fields.ts'
import type { ModelNode } from './model-node.ts'

/** A pattern of files whose changes do not trigger the pipeline. */
export const Ignore = modelOf(MATERIAL_ELEMENTS.ignore)
export type Ignore = ValueOf<typeof Ignore>

const FILTER = { ignores: many(Ignore, 'filter', 'ignore') } as const

export const GitMaterial = modelOf(SOURCE_ELEMENTS.git, { kind: constant('git'), ...FILTER })
export type GitMaterial = ValueOf<typeof GitMaterial>

export const SvnMaterial = modelOf(SOURCE_ELEMENTS.svn, { kind: constant('svn'), ...FILTER })
export type SvnMaterial = ValueOf<typeof SvnMaterial>

export const HgMaterial = modelOf(SOURCE_ELEMENTS.hg, { kind: constant('hg'), ...FILTER })
export type HgMaterial = ValueOf<typeof HgMaterial>

export const P4Material = modelOf(SOURCE_ELEMENTS.p4, { kind: constant('p4'), ...FILTER })
export type P4Material = ValueOf<typeof P4Material>

export const TfsMaterial = modelOf(SOURCE_ELEMENTS.tfs, { kind: constant('tfs'), ...FILTER })
export type TfsMaterial = ValueOf<typeof TfsMaterial>

/** The passing of a stage of another pipeline. */
export const DependencyMaterial = modelOf(MATERIAL_ELEMENTS['materials/pipeline'], {
  kind: constant('dependency'),
})
export type DependencyMaterial = ValueOf<typeof DependencyMaterial>

const PackageMaterial = modelOf(MATERIAL_ELEMENTS['materials/package'], {
  kind: constant('package'),
})

/** A source that a plugin knows how to read, defined under `scms`. */
const ScmMaterial = modelOf(MATERIAL_ELEMENTS['materials/scm'], {
  kind: constant('scm'),
  ...FILTER,
})

/** A kind of material that no schema knows, kept as it is written. */
const UnknownMaterial = modelOf({}, { kind: constant('unknown'), element: ELEMENT_NAME })

const SOURCES = {
  git: GitMaterial,
  svn: SvnMaterial,
  hg: HgMaterial,
  p4: P4Material,
  tfs: TfsMaterial,
} as const satisfies Readonly<Record<SourceKind, Model>>

const BY_ELEMENT: ReadonlyMap<string, Model> = new Map<string, Model>([
  ...Object.entries(SOURCES),
  ['pipeline', DependencyMaterial],
  ['package', PackageMaterial],
  ['scm', ScmMaterial],
])

const Material = {
  form: z.discriminatedUnion('kind', [
    GitMaterial.form,
    SvnMaterial.form,
    HgMaterial.form,
    P4Material.form,
    TfsMaterial.form,
    DependencyMaterial.form,
    PackageMaterial.form,
    ScmMaterial.form,
    UnknownMaterial.form,
  ]),
  read: (node: ModelNode) => (BY_ELEMENT.get(node.name) ?? UnknownMaterial).read(node),
}
export type Material = ValueOf<typeof Material>

export const MATERIAL_LIST = childrenOf('materials', Material)
