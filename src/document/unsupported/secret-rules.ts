import { isSameName, nameKey } from '../../core/name-key.ts'
import { fitsPattern } from '../../core/builds/path-patterns.ts'
import type { SecretConfig } from '../model/model.ts'
import type { SecretReference } from '../secrets/secret-reference.ts'

/** The group of pipelines or the environment in which a text refers to a secret. */
export interface SecretUse {
  readonly type: 'pipeline_group' | 'environment'
  readonly name: string
}

const ANY = '*'
const REFER = 'refer'

/**
 * Why a text may not refer to a secret; null where it may. The first rule of its secret config that fits decides, and
 * where there are rules and none fits, it may not. A secret config without rules leaves it to the operator's files.
 */
export function whyNotReferable(
  configs: readonly SecretConfig[],
  { config: id }: Pick<SecretReference, 'config'>,
  { type, name }: SecretUse,
): string | null {
  const config = configs.find((each) => isSameName(each.id, id))
  if (!config || config.rules.length === 0) return null
  const rule = config.rules.find(
    ({ action, type: of, resource }) =>
      (action === ANY || action === REFER) &&
      (of === ANY || of === type) &&
      fitsPattern(nameKey(name), nameKey(resource)),
  )
  if (rule?.effect === 'allow') return null
  const place = type === 'pipeline_group' ? 'the group' : 'the environment'
  return `the rules of the secret config ${id} do not let ${place} ${name} refer to it`
}
