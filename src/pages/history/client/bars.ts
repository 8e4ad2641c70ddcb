import { findAll } from '../../frame/client/dom.ts'

const STEPS: ReadonlyMap<string, number> = new Map([
  ['ArrowLeft', -1],
  ['ArrowRight', 1],
])

/** Moves among the bars of days, which are one tab stop. Returns whether the key was for them. */
export function moveBar(target: Element | null, key: string): boolean {
  const step = STEPS.get(key)
  const bars = findAll('.bars a')
  const place = bars.findIndex((bar) => bar === target)
  if (step === undefined || place < 0) return false
  const next = bars[place + step]
  if (!next) return true
  bars[place]?.setAttribute('tabindex', '-1')
  next.setAttribute('tabindex', '0')
  next.focus()
  return true
}
