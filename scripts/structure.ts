import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of fewer lines than this says little by itself. */
const SHORT = 25
/** A file of fewer lines than this, with one importer, could stand in that importer. */
const SMALL = 60
const SHOWN_FOLDERS = 8

interface SourceFile {
  readonly lines: number
  /** The files that it imports, or names the exports of. */
  readonly imports: readonly string[]
}

/** The files of a source tree, by their paths below it. */
export type Structure = ReadonlyMap<string, SourceFile>

export function readStructure(root: string): Structure {
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' })
  return new Map(
    files
      .filter((file) => /\.tsx?$/.test(file))
      .map((file) => {
        const text = readFileSync(join(root, file), 'utf8')
        return [file, { lines: text.split('\n').length - 1, imports: importsOf(root, file, text) }]
      }),
  )
}

/** The pairs of folders that import each other, each pair once, as `a <-> b`. */
export function twoWayArrows(structure: Structure): readonly string[] {
  const arrows = arrowsOf(structure)
  const pairs = [...arrows].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => from < to && arrows.get(to)?.has(from))
      .map((to) => `${from} <-> ${to}`),
  )
  return pairs.toSorted()
}

function importsOf(root: string, file: string, text: string): readonly string[] {
  const targets = text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)
  return [...targets].map(([, path = '']) => relative(root, resolve(root, dirname(file), path)))
}

function arrowsOf(structure: Structure): ReadonlyMap<string, ReadonlySet<string>> {
  const arrows = new Map<string, Set<string>>()
  for (const [file, { imports }] of structure) {
    const from = dirname(file)
    for (const to of imports.map(dirname)) {
      if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set<string>()).add(to))
    }
  }
  return arrows
}

function importersOf(structure: Structure): ReadonlyMap<string, ReadonlySet<string>> {
  const importers = new Map<string, Set<string>>()
  for (const [file, { imports }] of structure) {
    for (const target of imports) {
      importers.set(target, (importers.get(target) ?? new Set<string>()).add(file))
    }
  }
  return importers
}

function describeStructure(structure: Structure): string {
  const importers = importersOf(structure)
  const files = [...structure]
  const count = (isCounted: (file: string, lines: number) => boolean) =>
    files.filter(([file, { lines }]) => isCounted(file, lines)).length
  const lengths = files.map(([, { lines }]) => lines).toSorted((one, other) => one - other)
  const lengthAt = (part: number) => lengths[Math.floor(part * (lengths.length - 1))]
  const sizes = new Map<string, number>()
  for (const file of structure.keys()) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  const largest = [...sizes].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_FOLDERS)
  const arrows = twoWayArrows(structure)
  const rows = [
    ['files', files.length],
    ['lines', files.reduce((sum, [, { lines }]) => sum + lines, 0)],
    ['lines of a file: median / p90 / p99 / max', [0.5, 0.9, 0.99, 1].map(lengthAt).join(' / ')],
    [`files under ${SHORT} lines`, count((_, lines) => lines < SHORT)],
    [
      `files under ${SMALL} lines with one importer`,
      count((file, lines) => lines < SMALL && importers.get(file)?.size === 1),
    ],
    ['largest folders', largest.map(([folder, size]) => `${folder} ${size}`).join(', ')],
    ['two-way arrows between folders', arrows.length],
  ]
  return [
    ...rows.map(([name, value]) => `${String(name).padEnd(43)}${value}`),
    ...arrows.map((arrow) => `  ${arrow}`),
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url)))
  process.stdout.write(`${describeStructure(readStructure(root))}\n`)
}
