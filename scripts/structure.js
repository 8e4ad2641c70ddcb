import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file of fewer lines than this says little by itself. */
const SHORT = 25
/** A file of fewer lines than this, with one importer, could stand in that importer. */
const SMALL = 60
const SHOWN_FOLDERS = 8

/**
 * The files of a source tree with their lines and what they import, and the folders with what they
 * import of each other.
 */
export function readStructure(root) {
  const files = new Map()
  for (const file of readdirSync(root, { recursive: true, encoding: 'utf8' })) {
    if (!/\.tsx?$/.test(file)) continue
    const text = readFileSync(join(root, file), 'utf8')
    files.set(file, { lines: text.split('\n').length - 1, imports: importsOf(root, file, text) })
  }
  return { files, arrows: arrowsOf(files) }
}

/** The pairs of folders that import each other, each pair once, as `a <-> b`. */
export function twoWayArrows({ arrows }) {
  const pairs = [...arrows].flatMap(([from, targets]) =>
    [...targets]
      .filter((to) => from < to && arrows.get(to)?.has(from))
      .map((to) => `${from} <-> ${to}`),
  )
  return pairs.toSorted()
}

function importsOf(root, file, text) {
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) => path)
  return targets.map((path) => relative(root, resolve(root, dirname(file), path)))
}

function arrowsOf(files) {
  const arrows = new Map()
  for (const [file, { imports }] of files) {
    const from = dirname(file)
    for (const to of imports.map(dirname)) {
      if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
    }
  }
  return arrows
}

function importersOf(files) {
  const importers = new Map()
  for (const [file, { imports }] of files) {
    for (const target of imports)
      importers.set(target, (importers.get(target) ?? new Set()).add(file))
  }
  return importers
}

function linesOf([, { lines }]) {
  return lines
}

function describe(root) {
  const structure = readStructure(root)
  const { files } = structure
  const importers = importersOf(files)
  const all = [...files]
  const sizes = new Map()
  for (const file of files.keys()) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  const largest = [...sizes].toSorted(([, one], [, other]) => other - one).slice(0, SHOWN_FOLDERS)
  const arrows = twoWayArrows(structure)
  return [
    `files                                  ${files.size}`,
    `lines                                  ${all.reduce((sum, each) => sum + linesOf(each), 0)}`,
    `files under ${SHORT} lines                   ${all.filter((each) => linesOf(each) < SHORT).length}`,
    `files under ${SMALL} lines with one importer ${all.filter((each) => linesOf(each) < SMALL && importers.get(each[0])?.size === 1).length}`,
    `largest folders                        ${largest.map(([folder, size]) => `${folder} ${size}`).join(', ')}`,
    `two-way arrows between folders         ${arrows.length}`,
    ...arrows.map((arrow) => `  ${arrow}`),
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const root = resolve(process.argv[2] ?? fileURLToPath(new URL('../src', import.meta.url)))
  process.stdout.write(`${describe(root)}\n`)
}
