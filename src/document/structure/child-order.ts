import { ruleOf } from '../schema/vocabulary.ts'

/** The order in which the schemas, old and new together, want the children of some elements. */
export const CRUISE_CHILDREN = childOrder('cruise')

export const ENVIRONMENT_CHILDREN = childOrder('environment')

function childOrder(key: string): readonly string[] {
  return ruleOf(key).others.particles.flatMap(({ names }) => names)
}
