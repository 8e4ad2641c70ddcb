import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { SourcePositions } from '../../src/lib/source-positions.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** So many frames of a stack are named, from the innermost on. */
const NAMED = 4

const TOLD = z.array(
  z.object({
    held: z.number(),
    used: z.number(),
    share: z.number(),
    frames: z.array(
      z.object({
        functionName: z.string(),
        url: z.string(),
        lineNumber: z.number(),
        columnNumber: z.number(),
      }),
    ),
  }),
)
type Frame = z.infer<typeof TOLD>[number]['frames'][number]

/** A turn of the event loop. */
export interface HeldTurn {
  /** How long it held the thread, without the time in which others had its core, in milliseconds. */
  readonly held: number
  /** The CPU time of it. */
  readonly used: number
  /** The stack in which most of its longest callback was spent, with the share of the turn. */
  readonly stack: string
}

/** The turns that `loop-sampler.js` found, with places in the sources. */
export function turnsTold(outcome: unknown): readonly HeldTurn[] {
  const positions = new SourcePositions(join(ROOT, 'dist'))
  return TOLD.parse(outcome).map(({ held, used, share, frames }) => {
    const names = frames.slice(0, NAMED).map((frame) => nameOf(frame, positions))
    return { held, used, stack: `${Math.round(share * 100)} % ${names.join(' < ')}` }
  })
}

function nameOf(frame: Frame, positions: SourcePositions): string {
  const { functionName, url, lineNumber, columnNumber } = frame
  const name = functionName || 'anonymous'
  const built = `${url}:${lineNumber + 1}:${columnNumber + 1}`
  const source = positions.name(built)
  if (source === built) return name
  return `${name} (${relative(ROOT, source.replace(/:\d+$/, ''))})`
}
