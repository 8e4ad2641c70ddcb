import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { keptResults, renderTable, tableIn } from '../bench/readme-table.ts'

const README = readFileSync(new URL('../bench/README.md', import.meta.url), 'utf8')

describe('the table of test/bench/README.md', () => {
  it('is that of the last measurement, with the machine named', () => {
    const kept = keptResults()

    expect(tableIn(README)).toBe(renderTable(kept))
    expect(tableIn(README)).toContain(kept.machine.cpu)
  })

  it('has the calls of every area', () => {
    const areas = ['config.xml', 'revisions', 'diff', 'agents', 'pipelines', 'stages', 'metrics']

    for (const area of areas)
      expect(tableIn(README)).toMatch(new RegExp(`^\\| .*${area}.*\\d \\|`, 'm'))
  })
})
