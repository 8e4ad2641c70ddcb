import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'

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
  const maps = new Map<string, SourceMap | null>()
  return TOLD.parse(outcome).map(({ held, used, share, frames }) => {
    const names = frames.slice(0, NAMED).map((frame) => nameOf(frame, maps))
    return { held, used, stack: `${Math.round(share * 100)} % ${names.join(' < ')}` }
  })
}

function nameOf(frame: Frame, maps: Map<string, SourceMap | null>): string {
  const { functionName, url, lineNumber, columnNumber } = frame
  const name = functionName || 'anonymous'
  if (!url.startsWith('file:')) return name
  const file = fileURLToPath(url)
  const map = maps.get(file) ?? mapOf(file)
  maps.set(file, map)
  const entry = map?.findEntry(lineNumber, columnNumber)
  if (entry === undefined || !('originalLine' in entry)) return name
  const source = new URL(entry.originalSource, url)
  return `${name} (${relative(ROOT, fileURLToPath(source))}:${entry.originalLine + 1})`
}

function mapOf(file: string): SourceMap | null {
  const beside = `${file}.map`
  return existsSync(beside) ? new SourceMap(JSON.parse(readFileSync(beside, 'utf8'))) : null
}
