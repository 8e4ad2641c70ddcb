import { nameKey, stageNameKey } from '../../core/name-key.ts'
import { isSource, materialFingerprint } from '../../document/materials/identity.ts'
import type { Material, Pipeline } from '../../document/model/model.ts'
import { memoize } from '../../lib/memoize.ts'

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
  ofStage(stage: { readonly pipeline: string; readonly stage: string }): readonly string[] {
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
    for (const material of pipeline.materials) {
      if (material.kind === 'dependency') append(this.#byStage, stageNameKey(material), name)
      if (isSource(material)) append(this.#byMaterial, materialFingerprint(material), name)
    }
    if (pipeline.timer) this.#timers.set(name, pipeline.timer.cron)
    this.#keys.set(name, startKey(pipeline))
  }
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

function append(map: Map<string, string[]>, key: string, name: string): void {
  const names = map.get(key)
  if (names) names.push(name)
  else map.set(key, [name])
}
