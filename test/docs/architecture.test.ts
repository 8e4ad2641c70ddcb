import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string) => readFileSync(`${ROOT}${path}`, 'utf8')
const TEXT = read('ARCHITECTURE.md')
const DOCUMENTS = [
  'ARCHITECTURE.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
]
const DESIGNS = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' }).filter((path) =>
  path.endsWith('.md'),
)
const section = (path: string, title: string) =>
  read(path)
    .split(/^#{2,3} /m)
    .find((each) => each.startsWith(title)) ?? ''
const rowsOf = (text: string) => text.split('\n').filter((line) => line.startsWith('| '))

describe('ARCHITECTURE.md', () => {
  it('is short enough to be read', () => {
    expect(Buffer.byteLength(TEXT)).toBeLessThanOrEqual(12 * 1_024)
  })

  it.each(DOCUMENTS)('and %s name no file that is not there', (document) => {
    const named = [
      ...read(document).matchAll(/(?:`|\()((?:src|test)\/[\w./-]+|\w[\w-]*\/[\w/-]+\.tsx?)/g),
    ]
    const paths = named.map(([, path = '']) =>
      /^(?:src|test)\//.test(path) ? path : `src/${path}`,
    )

    expect(paths.filter((path) => !existsSync(ROOT + path))).toEqual([])
  })

  it('has designs of rooms, which name no file that is not there', () => {
    const missing = DESIGNS.flatMap((design) => {
      const [room = ''] = design.split('/')
      const named = [...read(`src/${design}`).matchAll(/`([a-z][\w/-]*\.(?:tsx?|md))`/g)]
      const places = (path: string) =>
        [`src/${dirname(design)}/`, `src/${room}/`, 'src/', ''].map(
          (folder) => ROOT + folder + path,
        )
      return named
        .map(([, path = '']) => path)
        .filter((path) => !places(path).some((place) => existsSync(place)))
    })

    expect(DESIGNS.length).toBeGreaterThan(4)
    expect(missing).toEqual([])
  })

  it.each(DESIGNS)('has %s in at most 10 KB', (design) => {
    expect(Buffer.byteLength(read(`src/${design}`))).toBeLessThanOrEqual(10 * 1024)
  })

  it('lists every file of decisions', () => {
    const index = read('docs/decisions/README.md')
    const files = readdirSync(`${ROOT}docs/decisions`).filter((name) => name !== 'README.md')

    expect(files.length).toBeGreaterThan(8)
    for (const name of files) expect(index).toContain(`](${name})`)
  })

  it('has every room in its map', () => {
    const map = rowsOf(TEXT.split(/^## /m)[0] ?? '').join('\n')
    const rooms = readdirSync(`${ROOT}src`, { withFileTypes: true }).filter((entry) =>
      entry.isDirectory(),
    )

    for (const { name } of rooms) expect(map).toContain(`\`${name}/\``)
  })

  it('says of every folder of tests which room it is about', () => {
    const text = section('CONTRIBUTING.md', 'Tests of a room')
    const suites = ['unit', 'property', 'conformance', 'crash', 'service', 'http', 'e2e']
    const folders = suites.flatMap((suite) =>
      readdirSync(`${ROOT}test/${suite}`, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `test/${suite}/${name}`),
    )

    expect(folders.length).toBeGreaterThan(30)
    expect(folders.filter((folder) => !text.includes(folder))).toEqual([])
  })

  it('has a test for every crash', () => {
    const [, , ...rows] = rowsOf(section('docs/operations.md', 'Crashes'))

    expect(rows.length).toBeGreaterThan(15)
    for (const row of rows) expect(row).toMatch(/\| `test\/[\w/-]+\.test\.ts` +\|$/)
  })
})
