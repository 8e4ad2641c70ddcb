import { setFlagsFromString } from 'node:v8'

/**
 * Lets the engine make every object among the young ones. It would make those of a tree among the old ones once it
 * has seen some of them live for long: the next trees are garbage at once, and each would be there until a full
 * collection.
 */
export function keepYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}
