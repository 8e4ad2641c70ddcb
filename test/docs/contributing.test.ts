import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { rootFile } from '../support/programs/root-file.ts'

const TEXT = readFileSync(rootFile('CONTRIBUTING.md'), 'utf8')
const Manifest = z.object({ scripts: z.record(z.string(), z.string()) })
const { scripts } = Manifest.parse(JSON.parse(readFileSync(rootFile('package.json'), 'utf8')))

const namedBy = (pattern: RegExp) => [...TEXT.matchAll(pattern)].map(([, name = '']) => name)

describe('CONTRIBUTING.md', () => {
  it('names scripts that there are, and each that is not started by npm itself', () => {
    const named = new Set(namedBy(/npm run ([\w:]+)/g))
    const others = ['prepare', 'start', 'test']
    const partsOfCheck = ['format:check', 'lint', 'types']

    expect([...named, ...others, ...partsOfCheck].toSorted()).toEqual(
      Object.keys(scripts).toSorted(),
    )
    for (const part of partsOfCheck) expect(scripts['check']).toContain(`npm run ${part}`)
  })

  it('names files that there are', () => {
    const named = namedBy(/(?:`(?=src|test|deploy)|\]\()([\w./-]+\/[\w./-]+|[A-Z]+\.md)/g)

    expect(named.length).toBeGreaterThan(12)
    expect(named.filter((path) => !existsSync(rootFile(path)))).toEqual([])
  })

  it('runs one test by an example that finds some', () => {
    const [, file = '', name = ''] =
      /test:all -- (\S+)` +\| one file; with `-t '([^']+)'`/.exec(TEXT) ?? []
    const names = [...readFileSync(rootFile(file), 'utf8').matchAll(/\bit\(\s*'([^']+)'/g)]

    expect(names.filter(([, found = '']) => found.includes(name))).not.toEqual([])
  })
})
