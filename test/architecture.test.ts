import { readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../src', import.meta.url))

/** What each room may import besides itself. The root is `src/*.ts`. */
const MAY_IMPORT: Record<string, readonly string[]> = {
  core: ['lib'],
  lib: [],
  processes: [],
  storage: ['core', 'lib'],
  config: ['core', 'lib'],
  diff: ['core', 'lib'],
  security: ['storage', 'core', 'lib'],
  history: ['processes', 'storage', 'core', 'lib'],
  state: ['storage', 'core', 'lib'],
  builds: ['storage', 'core', 'lib'],
  services: [
    'history',
    'builds',
    'config',
    'diff',
    'state',
    'security',
    'processes',
    'storage',
    'core',
    'lib',
  ],
  wire: ['core', 'lib'],
  agent: ['processes', 'wire', 'core', 'lib'],
  http: ['services', 'wire', 'core', 'lib'],
  commands: [
    'root',
    'agent',
    'http',
    'services',
    'history',
    'builds',
    'config',
    'state',
    'security',
    'storage',
    'core',
    'lib',
  ],
  root: [
    'commands',
    'agent',
    'http',
    'services',
    'history',
    'builds',
    'config',
    'diff',
    'state',
    'security',
    'storage',
    'wire',
    'core',
    'lib',
  ],
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
