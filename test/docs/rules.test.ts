import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { checkExamples } from '../../src/configuration/gate/rules/examples.ts'
import { readRules } from '../../src/configuration/gate/rules/read-rules.ts'

const TEXT = readFileSync(fileURLToPath(new URL('../../docs/rules.md', import.meta.url)), 'utf8')
const BLOCKS = Array.from(TEXT.matchAll(/```yaml\n([^]*?)```/g), ([, block = '']) => block)

describe('the document about rules', () => {
  it('has examples that hold', () => {
    const problems = BLOCKS.flatMap((block) => {
      const reading = readRules(Buffer.from(block))
      return reading.ok ? checkExamples(reading) : reading.problems
    })

    expect(BLOCKS.length).toBeGreaterThan(0)
    expect(problems).toEqual([])
  })
})
