import { setFlagsFromString } from 'node:v8'

let isKept = false

/**
 * Lets the engine make every object among the young ones. It would make those of a tree among the old ones once it
 * has seen some of them live for long: the next trees are garbage at once, and each would be there until a full
 * collection.
 *
 * From then on, Node compiles its own modules anew where they are loaded, in each thread that begins, too: what it
 * brings of them is for the flags that it was built with.
 */
export function keepYoung(): void {
  if (isKept) return
  isKept = true
  setFlagsFromString('--no-allocation-site-pretenuring')
}
