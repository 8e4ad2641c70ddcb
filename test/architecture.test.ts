import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { readStructure, twoWayArrows } from '../scripts/structure.ts'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

const TOOLBOX = ['core', 'lib'] as const
const BASE = ['git', 'storage', 'processes', ...TOOLBOX] as const
const ENGINES = ['sources', 'history', 'document', 'diff', 'state', 'security', ...BASE] as const
const FEATURES = [
  'index',
  'configuration',
  'identities',
  'agents',
  'builds',
  'proposals',
  'notify',
  'health',
  'operations',
  'cluster',
] as const

/** The rooms that each room may import besides itself. The root is `src/main.ts`. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  lib: [],
  core: ['lib'],
  processes: TOOLBOX,
  storage: TOOLBOX,
  git: ['storage', 'processes', ...TOOLBOX],
  document: TOOLBOX,
  diff: TOOLBOX,
  security: ['storage', ...TOOLBOX],
  state: ['storage', ...TOOLBOX],
  sources: ['document', ...BASE],
  history: BASE,
  cluster: ['history', 'state', 'security', ...BASE],
  index: ['history', 'document', 'diff', ...BASE],
  configuration: ['index', ...ENGINES],
  identities: ['configuration', ...ENGINES],
  agents: ['configuration', ...ENGINES],
  builds: ['configuration', 'agents', ...ENGINES],
  proposals: ['configuration', 'builds', ...ENGINES],
  notify: ['configuration', 'wire', ...ENGINES],
  operations: ['configuration', 'identities', 'agents', 'builds', 'notify', ...ENGINES],
  health: ['configuration', 'agents', 'builds', 'notify', ...ENGINES],
  wire: ['document', ...TOOLBOX],
  agent: ['wire', 'processes', ...TOOLBOX],
  http: ['wire', ...TOOLBOX],
  api: ['http', 'wire', ...FEATURES, ...ENGINES],
  pages: ['api', 'http', 'wire', ...FEATURES, ...ENGINES],
  client: ['api', 'wire', ...TOOLBOX],
  mcp: ['api', 'http', 'wire', 'document', ...TOOLBOX],
  settings: ['wire', ...TOOLBOX],
  server: ['settings', 'api', 'mcp', 'pages', 'http', 'wire', ...FEATURES, ...ENGINES],
  cli: ['settings', 'server', 'agent', 'client', 'http', 'wire', ...FEATURES, ...ENGINES],
  root: ['cli', 'settings', 'server', ...TOOLBOX],
}

const structure = readStructure(SRC)
const files = [...structure.keys()]

function roomOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? 'root') : 'root'
}

describe('the rooms', () => {
  it('are all named in the table', () => {
    const rooms = readdirSync(SRC).filter((entry) => statSync(join(SRC, entry)).isDirectory())

    expect(rooms.filter((room) => !(room in MAY_IMPORT))).toEqual([])
  })

  it('import along the arrows only', () => {
    const imports = [...structure].flatMap(([file, { imports: targets }]) =>
      targets.map((target) => ({ file, from: roomOf(file), to: roomOf(target) })),
    )
    const forbidden = imports.filter(
      ({ from, to }) => from !== to && !MAY_IMPORT[from]?.includes(to),
    )

    expect(imports.length).toBeGreaterThan(0)
    expect(forbidden).toEqual([])
  })

  it('start programs that run beside them in one place', () => {
    const starts = /import \{[^}]*\b(?:spawn|exec|execFile|fork)\b[^}]*\} from 'node:child_process'/
    const starters = files.filter((file) => starts.test(readFileSync(join(SRC, file), 'utf8')))

    expect(starters).toEqual(['processes/piped-process.ts'])
  })

  it('have no two folders that import each other', () => {
    expect(twoWayArrows(structure)).toEqual([])
  })

  it('export what is their own, so that no arrow goes around a room', () => {
    const passedOn = files.filter((file) => {
      const text = readFileSync(join(SRC, file), 'utf8')
      const targets = [...text.matchAll(/^export [^;]*? from '(\.[^']+)'/gm)]
      return targets.some(([, path = '']) => {
        return roomOf(relative(SRC, resolve(SRC, dirname(file), path))) !== roomOf(file)
      })
    })

    expect(passedOn).toEqual([])
  })

  it('export each name once', () => {
    const exported = new Map<string, Set<string>>()
    const pattern =
      /^export (?:abstract |async )?(?:class|interface|function\*?|const|type) (\w+)/gm
    for (const file of files) {
      for (const [, name = ''] of readFileSync(join(SRC, file), 'utf8').matchAll(pattern)) {
        exported.set(name, (exported.get(name) ?? new Set<string>()).add(file))
      }
    }

    expect(exported.size).toBeGreaterThan(1_000)
    expect([...exported].filter(([, places]) => places.size > 1)).toEqual([])
  })

  it('put a service together from interfaces of at most twelve fields', () => {
    const large = files
      .filter((file) => file.startsWith('server/'))
      .flatMap((file) => {
        const text = readFileSync(join(SRC, file), 'utf8')
        return [...text.matchAll(/^(?:export )?interface (\w+)[^\n]*\{\n(.*?)^\}/gms)].map(
          ([, name = '', body = '']) =>
            [name, body.match(/^ {2}(?:readonly )?\w+\??[:(]/gm)?.length ?? 0] as const,
        )
      })

    expect(large.length).toBeGreaterThan(10)
    expect(large.filter(([, fields]) => fields > 12)).toEqual([])
  })

  // One is enough for the engine to keep an object for each number in the spans of all elements and lines.
  it('have no span that begins or ends at a number without a place', () => {
    const boundless = /\b(?:start|end): (?:-?Infinity|NaN|Number\.\w+)/
    const found = files.filter((file) => boundless.test(readFileSync(join(SRC, file), 'utf8')))

    expect(found).toEqual([])
  })

  it('read process.env in one place', () => {
    const readers = files.filter((file) =>
      readFileSync(join(SRC, file), 'utf8').includes('process.env'),
    )

    expect(readers).toEqual(['settings/environment.ts'])
  })
})
