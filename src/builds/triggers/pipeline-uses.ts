import type { StageName } from '../engine/keys.ts'
import { nameKey, stageNameKey } from '../../core/name-key.ts'
import { isSource, materialFingerprint } from '../../document/materials/identity.ts'
import { type WatchedMaterial, watchKey } from '../materials/watched-materials.ts'
import type { Material, Pipeline } from '../../document/model/model.ts'
import { memoize } from '../../lib/memoize.ts'
import { addToGroup } from '../../lib/grouping.ts'

/** A pipeline, and the one of its name that it takes the place of. */
interface PipelinePair {
  readonly before: Pipeline
  readonly after: Pipeline
}

/** The outcome for pipelines that took the place of others. */
export interface ReplacedUses {
  /** The pipelines whose triggers have changed. */
  readonly changed: readonly string[]
  /** The fingerprints of the repositories that no pipeline uses any more. */
  readonly unused: readonly string[]
  /** The repositories that the pipelines have for themselves. */
  readonly watched: readonly WatchedMaterial[]
}

/** So many pipelines are replaced at once. */
const FEW = 100

/** Maps the triggers of a configuration to the pipelines that they start, named in lower case. */
export class PipelineUses {
  readonly #byMaterial = new Map<string, string[]>()
  readonly #byStage = new Map<string, string[]>()
  readonly #timers = new Map<string, string>()
  readonly #keys = new Map<string, string>()

  /** The pipelines that use a repository. */
  ofMaterial(fingerprint: string): readonly string[] {
    return this.#byMaterial.get(fingerprint) ?? []
  }

  /** The pipelines that depend on a stage. */
  ofStage(stage: StageName): readonly string[] {
    return this.#byStage.get(stageNameKey(stage)) ?? []
  }

  /** The cron expression of each pipeline with a timer. */
  timers(): ReadonlyMap<string, string> {
    return this.#timers
  }

  /** The pipelines whose triggers have changed. */
  *changedSince(before: PipelineUses): Generator<string, void> {
    for (const [name, key] of this.#keys) if (key !== before.#keys.get(name)) yield name
  }

  add(pipeline: Pipeline): void {
    const name = nameKey(pipeline.name)
    for (const material of pipeline.materials) this.#addUse(material, name)
    this.#note(name, pipeline)
  }

  /**
   * Puts a few pipelines in the place of others of their names. What they use has to be theirs alone, or used as
   * before, so that nothing else changes; null, with nothing done, in any other case.
   */
  replace(before: readonly Pipeline[], after: readonly Pipeline[]): ReplacedUses | null {
    if (before.length !== after.length || after.length > FEW) return null
    const pairs = after.map((each, n) => ({ before: before[n] ?? each, after: each }))
    const uses = pairs.flatMap(newUses)
    const isShared = new Set(uses).size < uses.length
    if (isShared || !pairs.every((pair) => this.#isReplaceable(pair))) return null
    const unused = new Set(pairs.flatMap((pair) => this.#ownSources(pair.before)))
    for (const pair of pairs) this.#replaceOne(pair)
    const watched = pairs.flatMap(({ after: { name, materials } }) =>
      materials.filter(isSource).flatMap((material): WatchedMaterial[] => {
        const fingerprint = materialFingerprint(material)
        unused.delete(fingerprint)
        const isOwn = this.#isAloneIn(nameKey(name), material)
        return isOwn ? [{ fingerprint, material, pipelines: [name] }] : []
      }),
    )
    const changed = pairs.filter((pair) => startKey(pair.before) !== startKey(pair.after))
    return {
      changed: changed.map((pair) => nameKey(pair.after.name)),
      unused: [...unused],
      watched,
    }
  }

  /** Whether everything that only one of the two uses, or uses in another way, is used by no other pipeline. */
  #isReplaceable({ before, after }: PipelinePair): boolean {
    if (before.name !== after.name) return false
    const [old, now] = [usesOf(before), usesOf(after)]
    return [...before.materials, ...after.materials].every((material) => {
      const use = useOf(material)
      return old.get(use) === now.get(use) || this.#isAloneIn(nameKey(after.name), material)
    })
  }

  #replaceOne({ before, after }: PipelinePair): void {
    const name = nameKey(after.name)
    const own = (material: Material) => this.#isAloneIn(name, material)
    for (const material of before.materials.filter(own)) this.#forgetUse(material)
    for (const material of after.materials) if (own(material)) this.#addUse(material, name)
    this.#note(name, after)
  }

  #ownSources({ name, materials }: Pipeline): string[] {
    const own = materials.filter((material) => this.#isAloneIn(nameKey(name), material))
    return own.filter(isSource).map(materialFingerprint)
  }

  #isAloneIn(name: string, material: Material): boolean {
    return this.#usersOf(material).every((user) => user === name)
  }

  #usersOf(material: Material): readonly string[] {
    if (material.kind === 'dependency') return this.ofStage(material)
    return isSource(material) ? this.ofMaterial(materialFingerprint(material)) : []
  }

  #addUse(material: Material, name: string): void {
    if (material.kind === 'dependency') addToGroup(this.#byStage, stageNameKey(material), name)
    if (isSource(material)) addToGroup(this.#byMaterial, materialFingerprint(material), name)
  }

  #forgetUse(material: Material): void {
    if (material.kind === 'dependency') this.#byStage.delete(stageNameKey(material))
    if (isSource(material)) this.#byMaterial.delete(materialFingerprint(material))
  }

  #note(name: string, pipeline: Pipeline): void {
    if (pipeline.timer) this.#timers.set(name, pipeline.timer.cron)
    else this.#timers.delete(name)
    this.#keys.set(name, startKey(pipeline))
  }
}

/** The repositories and stages that a pipeline uses, each with the way in which it is watched. */
function usesOf({ materials }: Pipeline): ReadonlyMap<string, string> {
  const entries = materials.map((each) => [useOf(each), isSource(each) ? watchKey(each) : ''])
  return new Map(entries.map(([use = '', watched = '']) => [use, watched]))
}

function newUses({ before, after }: PipelinePair): string[] {
  const old = usesOf(before)
  return [...usesOf(after).keys()].filter((use) => !old.has(use))
}

function useOf(material: Material): string {
  return material.kind === 'dependency' ? stageNameKey(material) : materialFingerprint(material)
}

/** Identifies everything that the start of a pipeline depends on. */
const startKey = memoize(({ timer, materials, stages }: Pipeline) => {
  const approval = stages[0]?.approval?.type
  return JSON.stringify([timer?.cron, approval, materials.map(materialKey)])
})

function materialKey(material: Material): string {
  const ignores = 'ignores' in material ? material.ignores.map(({ pattern }) => pattern) : []
  const isInverted = 'invertFilter' in material && material.invertFilter
  const isPassive = material.kind === 'dependency' && material.ignoreForScheduling
  return JSON.stringify([materialFingerprint(material), ignores, isInverted, isPassive])
}
