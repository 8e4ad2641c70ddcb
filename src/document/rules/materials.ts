import { nameKey } from '../../core/name-key.ts'
import { materialIdentity } from '../materials/identity.ts'
import type { Material, P4Material, Pipeline, TfsMaterial } from '../model/model.ts'
import { quoting, shorten } from '../text/shown-text.ts'
import { type Finding, repeats } from '../model/finding.ts'
import { normalPath, staysInside } from './paths.ts'
import { type PipelineRule, type RuleContext, materialNameOf } from './rule-context.ts'

/** MAT-1: what a material is reached by is given. */
export const materialAddresses: PipelineRule = function* ({ materials }): Generator<Finding> {
  for (const material of materials) {
    for (const message of missingIn(material)) yield { at: material.at, message }
  }
}

function* missingIn(material: Material): Generator<string> {
  switch (material.kind) {
    case 'git':
    case 'svn':
    case 'hg':
      if (isBlank(material.url)) yield `the url of the ${material.kind} material is blank`
      return
    case 'p4':
      yield* missingInP4(material)
      return
    case 'tfs':
      yield* missingInTfs(material)
      return
    case 'dependency':
    case 'package':
    case 'scm':
    case 'unknown':
      return
  }
}

function* missingInP4({ port, view }: P4Material): Generator<string> {
  if (isBlank(port)) yield 'the port of the p4 material is blank'
  else if (!/^[^:\s]+:\d+$/.test(port)) {
    yield quoting`the port ${port} of the p4 material does not have the form host:number`
  }
  if (isBlank(view)) yield 'the view of the p4 material is blank'
}

function* missingInTfs({ url, username, projectPath }: TfsMaterial): Generator<string> {
  if (isBlank(url)) yield 'the url of the tfs material is blank'
  if (isBlank(username ?? '')) yield 'the user name of the tfs material is blank'
  if (isBlank(projectPath)) yield 'the project path of the tfs material is blank'
}

function isBlank(text: string): boolean {
  return text.trim() === ''
}

/** MAT-1: material names are unique in a pipeline; a dependency goes by its pipeline. */
export const materialNames: PipelineRule = function* (pipeline, context): Generator<Finding> {
  const keyOf = (material: Material) => {
    const name = materialNameOf(material, context)
    return name === null ? null : nameKey(name)
  }
  for (const { item, first } of repeats(pipeline.materials, keyOf)) {
    if (isSameThing(item, first)) continue
    const name = materialNameOf(item, context) ?? ''
    const message = quoting`the pipeline ${pipeline.name} has several materials named ${name}`
    yield { at: item.at, message }
  }
}

/** The same upstream, package or scm twice has rules of its own. */
function isSameThing(one: Material, other: Material): boolean {
  if (one.kind === 'dependency' && other.kind === 'dependency') {
    return nameKey(one.pipeline) === nameKey(other.pipeline)
  }
  return 'ref' in one && 'ref' in other && one.ref === other.ref
}

type Checkout = Extract<Material, { readonly dest: string | null }>

/** MAT-1: materials are checked out inside the working folder, and apart from each other. */
export const materialFolders: PipelineRule = function* ({ name, materials }): Generator<Finding> {
  const checkouts = materials.filter((material): material is Checkout => 'dest' in material)
  for (const { at, dest } of checkouts) {
    if (dest !== null && !staysInside(dest)) {
      yield { at, message: quoting`the destination ${dest} is not inside the working folder` }
    }
  }
  if (checkouts.length > 1) yield* sharedFolders(checkouts, name)
}

interface PlacedCheckout {
  readonly at: Checkout['at']
  readonly dest: string
  /** The destination in the one form that all its spellings have. */
  readonly folder: string
}

function* sharedFolders(checkouts: readonly Checkout[], pipeline: string): Generator<Finding> {
  for (const { at, dest } of checkouts) {
    if (dest !== null && dest !== '') continue
    const message = quoting`the pipeline ${pipeline} has several materials to check out, and one has no destination`
    yield { at, message }
  }
  const placed = checkouts.flatMap(({ at, dest }) =>
    dest === null || dest === '' ? [] : [{ at, dest, folder: normalPath(dest) }],
  )
  for (const { item } of repeats(placed, ({ folder }) => nameKey(folder))) {
    const message = quoting`the destination ${item.dest} is already that of another material`
    yield { at: item.at, message }
  }
  yield* nestedFolders(placed)
}

function* nestedFolders(placed: readonly PlacedCheckout[]): Generator<Finding> {
  const around = outermostAround(placed.map(({ folder }) => folder))
  for (const { at, dest, folder } of placed) {
    const outer = around.get(folder)
    if (outer === undefined) continue
    const message = quoting`the destination ${dest} is inside ${outer}, that of another material`
    yield { at, message }
  }
}

/** Of each folder that is inside others: the outermost of those. */
function outermostAround(folders: readonly string[]): Map<string, string> {
  const around = new Map<string, string>()
  let outer: string | null = null
  // Sorted with the slash before every other character, what is inside a folder follows it at once.
  for (const key of folders.map((folder) => folder.replaceAll('/', '\0')).toSorted()) {
    if (outer === null || !key.startsWith(`${outer}\0`)) outer = key
    else around.set(key.replaceAll('\0', '/'), outer.replaceAll('\0', '/'))
  }
  return around
}

/** MAT-2: what is watched in several places is watched the same way. */
export function* autoUpdates({ pipelines }: RuleContext): Generator<Finding> {
  if (!isWatchedInTwoWays(pipelines)) return
  const first = new Map<string, boolean>()
  for (const { materials } of pipelines) {
    for (const material of materials) {
      if (!('autoUpdate' in material)) continue
      const identity = materialIdentity(material)
      const earlier = first.get(identity)
      if (earlier === undefined) first.set(identity, material.autoUpdate)
      else if (earlier !== material.autoUpdate) {
        const where = 'url' in material ? material.url : material.port
        const message = `the ${material.kind} material "${shorten(where)}" has autoUpdate ${material.autoUpdate} here and ${earlier} elsewhere`
        yield { at: material.at, message }
      }
    }
  }
}

/** Whether one thing is watched and not watched. Most documents have few materials of one of the two kinds. */
function isWatchedInTwoWays(pipelines: readonly Pipeline[]): boolean {
  const watched: Material[] = []
  const others: Material[] = []
  for (const { materials } of pipelines) {
    for (const material of materials) {
      if (!('autoUpdate' in material)) continue
      if (material.autoUpdate) watched.push(material)
      else others.push(material)
    }
  }
  const [few, many] = watched.length < others.length ? [watched, others] : [others, watched]
  if (few.length === 0) return false
  const identities = new Set(few.map(materialIdentity))
  return many.some((material) => identities.has(materialIdentity(material)))
}
