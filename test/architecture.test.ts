import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

const TOOLBOX = ['core', 'lib'] as const
const BASE = ['git', 'storage', 'processes', ...TOOLBOX] as const
const ENGINES = ['sources', 'history', 'document', 'diff', 'state', 'security', ...BASE] as const
const FEATURES = ['configuration', 'agents', 'builds', 'notify', 'health', 'operations'] as const

/** What each room may import besides itself. The root is `src/*.ts`. */
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
  configuration: ENGINES,
  agents: ['configuration', ...ENGINES],
  builds: ['configuration', 'agents', ...ENGINES],
  notify: ['configuration', 'wire', ...ENGINES],
  operations: ['configuration', 'agents', 'builds', 'notify', ...ENGINES],
  health: ['configuration', 'agents', 'builds', 'notify', ...ENGINES],
  wire: TOOLBOX,
  agent: ['wire', 'processes', ...TOOLBOX],
  http: ['wire', ...TOOLBOX],
  api: ['http', 'wire', ...FEATURES, ...ENGINES],
  pages: ['api', 'http', 'wire', ...FEATURES, ...ENGINES],
  server: ['root', 'api', 'pages', 'http', 'wire', ...FEATURES, ...ENGINES],
  cli: ['root', 'server', 'agent', 'http', 'wire', ...FEATURES, ...ENGINES],
  root: ['cli', 'server', 'wire', ...TOOLBOX],
}

interface Import {
  readonly file: string
  readonly from: string
  readonly to: string
}

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) =>
  /\.tsx?$/.test(file),
)

function roomOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? 'root') : 'root'
}

function importsOf(file: string): Import[] {
  const text = readFileSync(join(SRC, file), 'utf8')
  const targets = [...text.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(
    (match) => match[1] ?? '',
  )
  return targets.map((target) => {
    const to = relative(SRC, resolve(SRC, dirname(file), target))
    return { file, from: roomOf(file), to: roomOf(to) }
  })
}

describe('the rooms', () => {
  it('are all named in the table', () => {
    const rooms = readdirSync(SRC).filter((entry) => statSync(join(SRC, entry)).isDirectory())

    expect(rooms.filter((room) => !(room in MAY_IMPORT))).toEqual([])
  })

  it('import along the arrows only', () => {
    const imports = files.flatMap(importsOf)
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

  it('keep process.env to the settings', () => {
    const readers = files.filter((file) =>
      readFileSync(join(SRC, file), 'utf8').includes('process.env'),
    )

    expect(readers.filter((file) => file !== 'settings.ts')).toEqual([])
  })
})
