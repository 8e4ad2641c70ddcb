import { createHook } from 'node:async_hooks'

/** Alive as long as the process, for its shape. */
let kept: object | null = null

/**
 * Keeps one of the objects alive in which Node notes what `process.nextTick` is to call. V8 drops the
 * shape of objects when a full collection finds none of them, and never learns another one for the
 * place where they are made: from then on every tick takes the slow way, and a request has six.
 */
export function keepTickShape(): object | null {
  const hook = createHook({
    init: (_id, type, _trigger, made) => {
      if (type === 'TickObject') kept = made
    },
  })
  hook.enable()
  process.nextTick(() => undefined)
  hook.disable()
  return kept
}
