import { readFileSync } from 'node:fs'
import { SourceMap, type SourceMapPayload } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { brotliDecompressSync } from 'node:zlib'

/** A position in a file that is loaded, at the end of a line of a stack or in brackets. */
const POSITION = /(file:\S+?\.js):(\d+):(\d+)/g

type SourceMaps = Readonly<Record<string, SourceMapPayload>>

/**
 * Lets the stacks of errors name lines of the sources. Node would read a source map of each file that it loads; the
 * build, in its own folder, has all of them in one compressed file, which is read for the first stack that is asked for.
 */
export function nameSourcePositions(folder: string): void {
  const positions = new SourcePositions(folder)
  Error.prepareStackTrace = (error, frames) => {
    const lines = frames.map(String).map((frame) => `\n    at ${positions.name(frame)}`)
    return `${headingOf(error)}${lines.join('')}`
  }
  // Otherwise Node shows the line of an error that nobody catches: that is a whole file.
  process.setSourceMapsEnabled(true)
}

function headingOf(error: Error): string {
  try {
    return Error.prototype.toString.call(error)
  } catch {
    return 'Error'
  }
}

/** Positions of the sources by those of a build. */
export class SourcePositions {
  readonly #folder: string
  readonly #address: string
  #maps: SourceMaps | null = null
  readonly #read = new Map<string, SourceMap>()

  constructor(folder: string) {
    this.#folder = folder
    this.#address = `${pathToFileURL(folder).href}/`
  }

  /** A line of a stack, or a position alone, with the position in the sources, if it has one. */
  name(line: string): string {
    return line.replace(POSITION, (place, file: string, row: string, column: string) => {
      const entry = this.#mapOf(file)?.findEntry(Number(row) - 1, Number(column) - 1)
      // The build adds code of its own, whose entries name no source.
      if (!entry || !('originalSource' in entry) || !entry.originalSource) return place
      const source = join(this.#folder, '..', entry.originalSource)
      return `${source}:${entry.originalLine + 1}:${entry.originalColumn + 1}`
    })
  }

  #mapOf(file: string): SourceMap | null {
    const known = this.#read.get(file)
    if (known || !file.startsWith(this.#address)) return known ?? null
    this.#maps ??= readSourceMaps(join(this.#folder, 'source-positions.json.br'))
    const payload = this.#maps[file.slice(this.#address.length)]
    if (!payload) return null
    const map = new SourceMap(payload)
    this.#read.set(file, map)
    return map
  }
}

/** Without its maps, a stack names positions in the build. */
function readSourceMaps(file: string): SourceMaps {
  try {
    return JSON.parse(brotliDecompressSync(readFileSync(file)).toString())
  } catch {
    return {}
  }
}
